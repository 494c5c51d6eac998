"""What the command line refuses: one line on stderr, and nothing is written."""

import shlex

import pytest
from cases import each_case
from model_folders import files_of

FILES = {
    "pairs.csv": "premise,hypothesis,label,gpt\nAnn met Ben.,Ben met Ann.,yes,no\n"
    "Ann leads Ben.,Ben leads Ann.,no,no\nCy met Di.,Di met Cy.,yes,yes\n",
    "rows.csv": "premise,label\nAnn borders Ben.,yes\nAnn is part of Ben.,no\n",
    "odd.csv": "subject,relation,object,label\nAnn 7,,Ben 7,yes\n",
    "fremd.csv": 'Nr,Satz,"Gegensatz, falls da",Urteil\n1,Ann borders Ben.,,yes\n',
    "triples.txt": "Q1\tP25\tQ2\nQ3\tP3373\tQ4\n",
    "entities.txt": "".join(f"Q{n}\tperson {n}\n" for n in range(1, 5)),
    "empty.txt": "\n \n",
    "folder.html/page": "",
}


@pytest.fixture
def here(tmp_path, tiny_folder, monkeypatch):
    """A folder with these files and an encoder, in which commands are run."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "encoder").symlink_to(tiny_folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@each_case(__file__, "refusals.csv")
def test_a_refused_command_is_one_line_and_writes_nothing(refused, with_models, here, row):
    before = files_of(here)
    assert row["says"] in refused(*shlex.split(row["command"]))
    assert files_of(here) == before
