"""Helpers of the tests of model folders."""

from pathlib import Path

from symdemo import SymmetryClassifier

load = SymmetryClassifier.from_pretrained
FILES = {"README.md", "config.json", "encoder.safetensors", "index.safetensors", "taught.jsonl"}
WHOLE = {  # of sentence-transformers
    "1_Pooling/config.json", "2_Normalize/config.json", "config_sentence_transformers.json",
    "model.safetensors", "modules.json", "sentence_bert_config.json", "tokenizer.json",
    "tokenizer_config.json",
}  # fmt: skip


def files_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
