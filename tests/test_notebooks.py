"""The notebooks run without a network, and show what they say."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from symdemo.pairs import LABELS

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
pytestmark = pytest.mark.slow


class EntailsAll:
    """Stands in for a cross-encoder: every pair is an entailment."""

    config = SimpleNamespace(id2label=dict(enumerate(LABELS)))

    def predict(self, texts, show_progress_bar):
        return np.tile([1.0, 0.0, 0.0], (len(texts), 1))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the code of a notebook in an empty folder; return its names."""
    monkeypatch.chdir(tmp_path)

    def run(name: str) -> dict:
        names: dict = {}
        book = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                assert not cell["outputs"]
                exec(compile("".join(cell["source"]), f"{name}: {cell['id']}", "exec"), names)
        return names

    return run


def test_a_model_that_never_looks_at_the_order_is_found_out(run, monkeypatch, tmp_path):
    monkeypatch.setattr("symdemo.evaluation.nli.load_cross_encoder", lambda name: EntailsAll())
    table = run("does_my_model_know_symmetry.ipynb")["table"]
    mine = table.loc["my model"]
    assert mine.str.extract(r"(\d+\.\d)%")[0].to_dict() == {
        "accuracy": "31.4", "entailment": "100.0", "contradiction": "0.0", "neutral": "0.0",
        "same exchanged": "100.0",
    }  # fmt: skip
    shares = table.accuracy.str.extract(r"(\d+\.\d)%")[0].astype(float)
    assert shares.idxmax() == "general"
    assert (
        shares["word counts, premise only"] > shares["commonest label"] > shares["my model"] - 0.1
    )
    assert (tmp_path / "my_model.html").is_file()


def test_a_few_rows_teach_relations_and_the_folder_opens_elsewhere(run):
    names = run("teach_and_share.ipynb")
    table = names["table"]
    assert (table.before != table.label).all()
    assert (table.after == table.label).all()
    assert names["difference"] < 1e-6
    assert names["changed"].sum() <= 1
    assert [found.label for found in names["again"].predict(names["held_out"])] == [*table.label]
