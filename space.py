"""Build the folder that a Hugging Face Space runs, and push it.

    python space.py FOLDER                          # build it
    python space.py FOLDER --push your-name/symdemo # and push it, after `hf auth login`

A Space mounts requirements.txt alone while it installs, so the versions of constraints.txt are
written into it. For a CPU Space torch comes from PyTorch's index of CPU builds, as PyPI's needs
gigabytes of CUDA packages. ZeroGPU (--zero-gpu) refuses such builds; it wants a plain version.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NEEDED = ("README.md", "LICENSE", "app.py", "assets", "docs", "experiments/results", "models",
          "symdemo")  # fmt: skip
_CUDA = re.compile(r"(torch|triton|nvidia|cuda)\b")
_CPU_BUILDS = "--extra-index-url https://download.pytorch.org/whl/cpu"


def front_matter(name: str) -> str:
    """Return a value of the README's front matter."""
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return re.findall(rf'^{name}: "?([^"\n]+)', readme, re.MULTILINE)[0]


def added() -> list[str]:
    """Return what a Space of Gradio installs beside its requirements, as its build log shows."""
    gradio = f"gradio[oauth,mcp]=={front_matter('sdk_version')}"
    return [gradio, "uvicorn>=0.14.0", "websockets>=10.4", "spaces"]


def requirements(zero_gpu: bool) -> str:
    """Return the Space's requirements with all they need, in the versions of constraints.txt."""
    python = front_matter("python_version").rpartition(".")[0]
    command = ["uv", "pip", "compile", "requirements.txt", "-", "--constraints", "constraints.txt",
               "--python-version", python, "--python-platform", "x86_64-manylinux_2_28",
               "--no-python-downloads", "--no-header", "--no-annotate", "--quiet"]  # fmt: skip
    locked = subprocess.run(
        command, check=True, cwd=HERE, input="\n".join(added()), stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    torch = next(line for line in locked if line.startswith("torch=="))
    first = [torch] if zero_gpu else [_CPU_BUILDS, f"{torch}+cpu"]
    return "\n".join([*first, *(line for line in locked if not _CUDA.match(line)), ""])


def build(folder: Path, zero_gpu: bool = False) -> None:
    """Copy the committed files that the Space needs into an empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty; an empty or new folder is expected.")
    listed = subprocess.run(
        ["git", "ls-files", "-z", *NEEDED], check=True, cwd=HERE, stdout=subprocess.PIPE, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HERE / name, folder / name)
    (folder / "requirements.txt").write_text(requirements(zero_gpu), encoding="utf-8")


def push(folder: Path, repository: str, private: bool) -> str:
    """Push the folder in one commit, without what it no longer holds; return the address."""
    from huggingface_hub import HfApi

    api, where = HfApi(), {"repo_id": repository, "repo_type": "space"}
    address = api.create_repo(**where, space_sdk="gradio", private=private, exist_ok=True)
    api.upload_folder(**where, folder_path=folder, delete_patterns="*", commit_message="Update")
    return str(address)


def main() -> None:
    """Read the options, build and push."""
    parser = argparse.ArgumentParser(description="Build the folder of a Space, and push it.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--zero-gpu", action="store_true", help="for ZeroGPU instead of a CPU")
    parser.add_argument("--push", metavar="NAME/SPACE", help="push it to this Space")
    parser.add_argument("--private", action="store_true", help="create the Space as private")
    arguments = parser.parse_args()
    build(arguments.folder, arguments.zero_gpu)
    if arguments.push:
        sys.stdout.write(push(arguments.folder, arguments.push, arguments.private) + "\n")


if __name__ == "__main__":
    main()
