"""Saving a model: existing folders, failed writes, and killed processes."""

import multiprocessing
import random
import shutil
import sys
import time
from pathlib import Path

import pytest
import torch
from model_folders import files_of, load

from symdemo import Pair
from symdemo.classifier import checkpoints
from symdemo.classifier.checkpoints import find_model
from symdemo.errors import InputError
from symdemo.files import storage


def test_an_existing_folder_is_only_overwritten_on_request(fitted, saved, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before = files_of(folder)
    with pytest.raises(InputError, match=r"mine exists and is not empty; choose another name"):
        fitted["fine-tuning"].save_pretrained(folder)
    assert files_of(folder) == before
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("precious", encoding="utf-8")
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    for name in ("letters", "file"):  # never overwritten: no model
        with pytest.raises(InputError, match=name):
            fitted["knn"].save_pretrained(tmp_path / name, overwrite=True)
    assert files_of(tmp_path / "letters") == {"letter.txt": b"precious"}


@pytest.mark.parametrize("failing", ["save_file", "save_pairs", "readme", "_hash", "storage._put"])
@pytest.mark.parametrize("existing", [True, False])
def test_a_failed_save_leaves_the_old_folder_whole(
    fitted, saved, tmp_path, monkeypatch, failing, existing
):
    folder = tmp_path / "mine"
    if existing:
        shutil.copytree(saved["knn"], folder)
        before = files_of(folder)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    module = checkpoints
    if failing.startswith("storage."):
        module, failing = storage, failing.removeprefix("storage.")
    monkeypatch.setattr(module, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == (["mine"] if existing else [])
    if existing:
        assert files_of(folder) == before
        assert load(folder).method == "knn"


@pytest.mark.parametrize("moment", ["first fails", "second fails", "a reader between"])
def test_the_renames_of_a_save(fitted, saved, tmp_path, monkeypatch, moment):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    before, rename, calls = files_of(folder), Path.rename, []

    def watched(self, target):
        calls.append(target)
        if len(calls) == {"first fails": 1, "second fails": 2}.get(moment):
            raise OSError(5, "Input/output error")
        rename(self, target)
        if moment == "a reader between" and len(calls) == 1:
            find_model(folder)  # restores the old folder

    monkeypatch.setattr(Path, "rename", watched)
    if moment == "a reader between":
        fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
        assert load(folder).method == "fine-tuning"
    else:
        with pytest.raises(OSError, match="Input/output"):
            fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
        assert files_of(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_recovery_from_a_kill_between_the_renames_and_after_them(fitted, saved, tmp_path):
    folder, aside = tmp_path / "mine", tmp_path / ".mine.previous"
    shutil.copytree(saved["knn"], aside)  # loading restores it
    assert load(folder).method == "knn"
    assert files_of(folder) == files_of(saved["knn"])
    folder.rename(aside)  # and so does saving
    with pytest.raises(InputError, match="exists and is not empty"):
        fitted["fine-tuning"].save_pretrained(folder)
    assert files_of(folder) == files_of(saved["knn"])
    aside.mkdir()  # the kill came while the old folder was deleted
    (aside / "README.md").write_text("left over", encoding="utf-8")
    assert load(folder).method == "knn"
    fitted["fine-tuning"].save_pretrained(folder, overwrite=True)
    assert load(folder).method == "fine-tuning"
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def save_for_ever(one, two, folder, base, saves):
    """Save two models in turn, in a child process, with the base encoder from memory."""
    torch.set_num_threads(1)
    checkpoints.load_encoder = lambda *_, **__: base
    while True:
        for model in (one, two):
            model.save_pretrained(folder, overwrite=True)
            saves.value += 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a forked child is killed")
def test_a_killed_process_leaves_a_complete_model(fitted, saved, tiny_encoder, tmp_path):
    folder = shutil.copytree(saved["knn"], tmp_path / "mine")
    context, rng = multiprocessing.get_context("fork"), random.Random(0)
    found = set()
    for _ in range(6):
        saves = context.Value("i", 0)
        child = context.Process(
            target=save_for_ever,
            args=(fitted["knn"], fitted["fine-tuning"], folder, tiny_encoder, saves),
        )
        child.start()
        limit = time.monotonic() + 20
        while not saves.value and time.monotonic() < limit:
            time.sleep(0.002)
        time.sleep(rng.uniform(0, 0.1))
        child.kill()  # SIGKILL: nothing is tidied up
        child.join()
        assert saves.value
        assert child.exitcode == -9
        model = load(folder)
        found.add(model.method)
        assert model.predict([Pair("Ann is next.", "Next is Ann.")])
    assert found <= {"knn", "fine-tuning"}
