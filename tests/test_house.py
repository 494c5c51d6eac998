"""The house: which room may import which, and what is packed."""

import ast
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "symdemo"
FLOORS = (
    ("errors",),
    ("text",),
    ("pairs", "geometry"),
    ("losses", "files", "jobs"),
    ("data",),
    ("swapping",),
    ("encoders",),
    ("training",),
    ("classifier",),
    ("evaluation",),
    ("teaching", "analysis"),
    ("ui",),
    ("cli",),
)
"""From the ground up: a room imports rooms below its own floor, and none on it but itself."""

TABS = ("try_it", "teach", "analyse", "sentences", "benchmark")
UI_FLOORS = (("shared",), TABS, ("api",), ("app",))


def imports() -> dict[str, set[str]]:
    """Module → the modules of the package that it imports, wherever in it, for types too."""
    names = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    found = {name: set() for name in names}
    for name, path in names.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names} & names.keys()
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path} imports relatively"
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found[name] |= {inner if inner in names else node.module} & names.keys()
        found[name] -= {"symdemo", name}
    return found


def name_of(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


IMPORTS = imports()


def floor(name: str, floors: tuple[tuple[str, ...], ...]) -> int:
    return next(number for number, rooms in enumerate(floors) if name in rooms)


@pytest.mark.parametrize("inside", ["symdemo", "symdemo.ui"])
def test_imports_point_down(inside):
    floors, depth = (FLOORS, 1) if inside == "symdemo" else (UI_FLOORS, 2)
    wrong = []
    for name, others in IMPORTS.items():
        if not name.startswith(f"{inside}.") or name == "symdemo.__main__":
            continue
        room = name.split(".")[depth]
        for other in others:
            parts = other.split(".")
            if not other.startswith(f"{inside}.") or parts[depth] == room:
                continue
            if floor(parts[depth], floors) >= floor(room, floors):
                wrong.append(f"{name} imports {other}")
    assert not wrong


def test_every_room_has_a_floor():
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or any(path.glob("*.py"))
    }
    rooms -= {"__init__", "__main__", "__pycache__", "shipped"}
    assert rooms == {room for rooms in FLOORS for room in rooms}


def test_there_is_no_circle():
    seen, path = set(), []

    def visit(name: str) -> None:
        assert name not in path, " imports ".join([*path[path.index(name) :], name])
        if name in seen:
            return
        path.append(name)
        for other in sorted(IMPORTS[name]):
            if not name.startswith(f"{other}."):  # a package that gives out what is in it
                visit(other)
        path.pop()
        seen.add(name)

    for name in sorted(IMPORTS):
        visit(name)


def test_all_packages_are_packed():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    packed = set(project["tool"]["setuptools"]["packages"])
    here = {name_of(path) for path in PACKAGE.rglob("__init__.py")}
    assert {name for name in packed if not name.startswith("symdemo.shipped.")} == here


def test_no_class_name_is_used_twice():
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(f"{path.name}:{node.lineno}")
    assert not {name: places for name, places in found.items() if len(places) > 1}
