"""Every figure that README or app shows stands in a JSON, and every JSON is made by a command."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from symdemo.analysis.loading.loaded import MAX_PAIRS
from symdemo.data.relations import RELATIONS
from symdemo.files.paths import README, RESULTS
from symdemo.reproduction.selection import Inner
from symdemo.teaching.limits import Limits

REPOSITORY = Path(__file__).resolve().parents[1]
BENCHMARKS = REPOSITORY / "benchmarks"
UI = REPOSITORY / "symdemo" / "ui"

UNITS = (
    r"%|s\b|ms\b|seconds?\b|minutes?\b|hours?\b|days?\b|[MG]iB|pairs?\b|phrasings?\b|sentences?\b"
)
UNITS += r"|relations?\b|points?\b|labelled\b"
FIGURE = re.compile(rf"(?<![\w.,{{-])(\d[\d,]*(?:\.\d+)?)[\s-]?(?:labelled )?({UNITS})")
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
DRAWN = ("headline", "labels", "trust")
"""What commands draw between two markers of README.md."""

SCALE = {"0%", "50%", "100%", "95%", "80%"}
"""Ends and middle of scales, the confidence of all intervals, and the share that a ruler's bar
holds."""


def figures(text: str) -> set[str]:
    """Numbers with a unit, such as “90%” or “48 pairs”."""
    return {number + (unit if unit == "%" else f" {unit}") for number, unit in FIGURE.findall(text)}


def strip(text: str, *patterns: str) -> str:
    for pattern in patterns:
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


# README


def test_outside_of_what_is_drawn_the_readme_has_limits_alone():
    pytest.importorskip("gradio")
    from symdemo.ui.shared.events import LONG_SECONDS, SECONDS
    from symdemo.ui.shared.traffic.bodies import BODY_BYTES

    limits = {
        f"{MAX_PAIRS:,} pairs",
        f"{Limits().idle_days} days",
        f"{BODY_BYTES / 2**20:g} MiB",
        f"{SECONDS:g} s",
        f"{LONG_SECONDS:g} s",
    }
    sections = (rf"<!-- {name}: begin -->.*?<!-- {name}: end -->" for name in DRAWN)
    prose = strip(README.read_text(encoding="utf-8"), "```.*?```", *sections)
    assert figures(prose) == limits


@pytest.fixture
def drawn(monkeypatch) -> Callable[[Callable[[Any], Any]], dict[str, str]]:
    """What the commands draw, by the names in `DRAWN`, once each report went through a change."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import headline
    import trust

    read = headline.read

    def draw(change: Callable[[Any], Any]) -> dict[str, str]:
        monkeypatch.setattr(headline, "read", lambda name: change(read(name)))
        texts = headline.markdown(), headline.labels(), trust.markdown(change(read("trust")))
        return dict(zip(DRAWN, texts, strict=True))

    return draw


def other(value: Any) -> Any:
    """The same JSON with other numbers, so that shares and ratios of them are others as well."""
    if isinstance(value, dict):
        return {key: other(own) for key, own in value.items()}
    if isinstance(value, list):
        return [other(own) for own in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return 2 * value + 100 if isinstance(value, int) else 1.7 * abs(value) ** 1.2 + 0.3


def test_every_figure_that_is_drawn_comes_out_of_a_json(drawn):
    """With other numbers in the files, all numbers but those of words are others."""
    words = {"95", "100", "1", "3", str(len(RELATIONS))}  # 95% intervals, × 100, 1-to-3-grams
    words |= {"150", "1,000"}  # how large the bodies and tables of `benchmarks/trust.py` are
    then, now = drawn(lambda report: report), drawn(other)
    for name in DRAWN:
        before, after = NUMBER.findall(then[name]), NUMBER.findall(now[name])
        assert len(before) == len(after) > 5
        same = {old for old, new in zip(before, after, strict=True) if old == new}
        assert same <= words, name


def test_what_is_drawn_stands_in_the_readme(drawn):
    text = README.read_text(encoding="utf-8")
    for name, section in drawn(lambda report: report).items():
        shown = text.split(f"<!-- {name}: begin -->")[1].split(f"<!-- {name}: end -->")[0]
        assert shown == f"\n{section}"


# The app


def test_the_apps_own_texts_hold_no_measured_figure():
    """What it shows of measurements is put in from files; written out are limits and scales."""
    limits = {f"{MAX_PAIRS:,} pairs", "1 MiB"}
    allowed = SCALE | limits | {f"{len(RELATIONS)} relations"}
    found = {path: figures(text) - allowed for path, text in own_texts()}
    assert {path.name: left for path, left in found.items() if left} == {}
    assert len(found) > 100


def own_texts() -> Iterator[tuple[Path, str]]:
    """The words of templates without what is put in, and those in the strings of modules."""
    for path in UI.rglob("*.html"):
        yield (
            path,
            strip(path.read_text(encoding="utf-8"), r"{{.*?}}", "{%.*?%}", "{#.*?#}", "<[^>]*>"),
        )
    for path in UI.rglob("*.py"):
        yield path, " ".join(strings(path))


def strings(path: Path) -> Iterator[str]:
    """Strings that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("right on 90.7% of 21,079 sentences", {"90.7%", "21,079 sentences"}),
        ("48 labelled pairs in 0.1 s, or 62 seconds", {"48 pairs", "0.1 s", "62 seconds"}),
        ("bge-3 sees Qwen2 at 375 px, commit 4acca4fa755d", set()),
    ],
)
def test_a_figure_would_be_found(text, found):
    assert figures(text) == found


# The files


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_a_file_of_results_says_by_what_it_was_made(path):
    def commits(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if "versions" in value.get("made_by", {}):
                yield value["made_by"]["commit"]
            value = list(value.values())
        for child in value if isinstance(value, list) else ():
            yield from commits(child)

    report = json.loads(path.read_text(encoding="utf-8"))
    assert list(commits(report))
    if "winners" in report:  # a selection is called after its encoder
        assert path.name == Inner.of(report["encoder"]).file
        return
    sources = [*BENCHMARKS.glob("*.py"), *(REPOSITORY / "symdemo").rglob("*.py")]
    stem = path.stem.removesuffix("_dev")
    assert any(f"{stem}.json" in source.read_text(encoding="utf-8") for source in sources), (
        "made by nobody"
    )
