"""Projects and models as zip files, to keep or to take elsewhere."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

from symdemo.classifier import SymmetryClassifier
from symdemo.classifier.checkpoints import CONFIG
from symdemo.classifier.index import unit_rows
from symdemo.encoders.registry import ENCODERS
from symdemo.errors import InputError, ModelError, SymdemoError
from symdemo.files.storage import files_in, read_json
from symdemo.teaching import project_files as files
from symdemo.teaching.limits import Limits
from symdemo.teaching.project import Project
from symdemo.teaching.project_files import VERSION_ID, ProjectInfo, RowTable, Version
from symdemo.teaching.rows import check_sizes
from symdemo.teaching.safe_zip import Kinds, unpack, write_zip
from symdemo.teaching.store import ProjectStore
from symdemo.text import MIB, one_line, shorten

FORMAT = "symdemo-project/1"
_CONFIG_BYTES = MIB
_VECTOR_BYTES = 64 * MIB  # 20,000 pairs of a wide encoder take up to 30 MiB
_MESSAGE_CHARACTERS = 400
_CHECKED_PAIRS = 128  # of a version; if a twentieth is false, one is found in 999 of 1,000 cases
_LEAST_COSINE = 0.99  # rounding the index to bytes and the weights to half precision leaves .9999
_BASE_LABELS = 3  # that a model may know besides those of the person's table

_README = """# {name}

A symdemo model and its sentence encoder.

- `model/` is for symdemo: `SymmetryClassifier.from_pretrained("model")`. It needs the encoder
  {encoder}, from which it was made.
- `encoder/` is for everything else that needs sentence embeddings, and is complete:
  `SentenceTransformer("encoder")`.
"""


def export_project(project: Project, path: str | Path) -> Path:
    """Write a project to a zip without its id; `InputError` if too large to be opened again."""
    path = _target(path)
    project.repair()
    with project.changing():
        sources: dict[str, Path | bytes] = {
            ProjectInfo.FILE: _json(project.info.to_json()),
            RowTable.FILE: _json([row.to_json() for row in project.rows]),
        }
        total = 0
        for version in project.versions():
            folder = project.version_folder(version.id)
            for file in [folder / Version.FILE, *sorted((folder / "model").iterdir())]:
                sources[file.relative_to(project.folder).as_posix()] = file
                total += file.stat().st_size
        project.limits.check("archive_bytes", total)
        write_zip(path, sources, FORMAT)
    return path


def export_model(project: Project, version_id: str | None, path: str | Path) -> Path:
    """Write a model to a zip: `model/` for symdemo, `encoder/` for sentence-transformers.

    The version None is the base model. `ModelError` if the encoder cannot be saved so.
    """
    path = _target(path)
    model = project.model(version_id)
    name = project.version(version_id).name if version_id else model.card.name
    text = _README.format(name=name, encoder=model.card.encoder)
    sources: dict[str, Path | bytes] = {"README.md": text.encode("utf-8")}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        model.save_pretrained(place / "model", whole=False)
        model.encoder.save_pretrained(place / "encoder")
        sources |= {file.relative_to(place).as_posix(): file for file in sorted(files_in(place))}
        write_zip(path, sources)
    return path


def import_project(
    store: ProjectStore, path: str | Path, allowed_encoders: Collection[str] | None = None
) -> Project:
    """Create a project, with a new id, from a zip that `export_project` wrote.

    The zip may come from anybody: nothing in it is trusted, and an error leaves nothing behind. Its
    versions may be made from the encoders of the built-in models and from `allowed_encoders`, all
    registered ones if None. `InputError` if it is too large, damaged, or not such a zip.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(
            f"There is no file {shorten(one_line(path.name))}; an exported project is expected."
        )
    try:
        with store.draft() as draft:
            names = unpack(path, draft, FORMAT, _kinds(store.limits), store.limits)
            info = _check_project(store, draft, names, allowed_encoders)
            return store.adopt(draft, info)
    except InputError as error:  # it may quote what is in the archive
        raise InputError(shorten(one_line(str(error)), _MESSAGE_CHARACTERS)) from None


def _check_project(
    store: ProjectStore, draft: Path, names: list[str], allowed_encoders: Collection[str] | None
) -> dict[str, Any]:
    """Check everything that was unpacked, and return the new content of project.json."""
    for needed in (ProjectInfo.FILE, RowTable.FILE):
        if needed not in names:
            raise InputError(f"The archive has no {needed}; an exported project is expected.")
    info, limits = ProjectInfo.read(draft), store.limits
    name = limits.check_name(info.name)
    store.check_base(info.base)
    rows = RowTable.read(draft).rows
    check_sizes(rows, limits)
    RowTable.of(rows, revision=1).write(draft)
    ids = sorted({name.split("/")[1] for name in names if "/" in name})
    limits.check("versions", len(ids))
    if info.selected is not None and info.selected not in ids:
        raise InputError(f"The archive’s {info.FILE} selects a version that is not in it.")
    for id in ids:
        folder = draft / files.VERSIONS / id
        version = Version.read(folder)
        limits.check_name(version.name)
        limits.check_name(version.base)
        model = _load_model(store, folder / "model", version.name, allowed_encoders)
        known = {"labels": tuple(model.labels), "method": model.method}
        version.model_copy(update=known).write(folder)
    last = max((int(id[1:7]) for id in ids), default=0)
    return info.model_dump() | {"name": name, "made": max(info.made, last)}


def _load_model(
    store: ProjectStore, folder: Path, version: str, allowed_encoders: Collection[str] | None
) -> SymmetryClassifier:
    """Check the model of a version as data, load it, and check what it knows."""
    limits = store.limits
    if (taught := folder / "taught.jsonl").is_file():
        with taught.open("rb") as file:
            limits.check("taught_pairs", sum(1 for _ in file))
    config = read_json(folder / CONFIG, _CONFIG_BYTES)
    card = config.get("card") if isinstance(config, dict) else None
    encoder = card.get("encoder") if isinstance(card, dict) else None
    allowed = ENCODERS if allowed_encoders is None else allowed_encoders
    if encoder not in list(allowed) and not _is_built_in(store, encoder):
        expected = f"; expected: {', '.join(map(str, allowed))}" if allowed else ""
        raise InputError(
            f"The version “{version}” in the archive was made from an encoder that is not "
            f"allowed here, “{shorten(str(encoder))}”{expected}."
        )
    try:
        model = SymmetryClassifier.from_pretrained(folder)
        _check_index(model)
    except Exception as error:  # a hostile file may cause any
        own = isinstance(error, SymdemoError)
        cause = str(error) if own else f"It leads to {type(error).__name__}."
        message = f"The version “{version}” in the archive cannot be used: {cause}"
        raise InputError(message) from None
    if len(model.labels) > limits.labels + _BASE_LABELS:
        limits.check("labels", len(model.labels))
    for label in model.labels:
        limits.check_label(label)
    return model


def _check_index(model: SymmetryClassifier) -> None:
    """Embed some taught pairs again, chosen at random; `ModelError` if the index differs."""
    known = model.index
    rows = sorted(SystemRandom().sample(range(len(known)), min(len(known), _CHECKED_PAIRS)))
    again = unit_rows(model.embed([known.pairs[row] for row in rows]))
    cosines = (again * known.embeddings[rows]).sum(axis=1)
    if rows and not cosines.min() >= _LEAST_COSINE:
        raise ModelError("Its label embeddings are not those that its weights give.")


def _is_built_in(store: ProjectStore, encoder: Any) -> bool:
    """True if a built-in model has this encoder: any of them may be retrained."""
    for name in store.bases:
        with suppress(SymdemoError):  # it is damaged or missing
            if encoder == store.base_model(name).card.encoder:
                return True
    return False


def _kinds(limits: Limits) -> Kinds:
    version = f"{files.VERSIONS}/{VERSION_ID}"
    forms = {
        r"project\.json": ProjectInfo.MOST_BYTES,
        r"rows\.json": RowTable.MOST_BYTES,
        rf"{version}/version\.json": Version.MOST_BYTES,
        rf"{version}/model/(config\.json|README\.md)": _CONFIG_BYTES,
        rf"{version}/model/taught\.jsonl": RowTable.MOST_BYTES,
        rf"{version}/model/encoder\.safetensors": limits.project_bytes,
        rf"{version}/model/(index|head)\.safetensors": _VECTOR_BYTES,
    }
    return [(re.compile(form), most) for form, most in forms.items()]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8")


def _target(path: str | Path) -> Path:
    path = Path(path).absolute()
    if path.is_dir():
        raise InputError(f"{path.name} is a folder; the name of a file is expected.")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
