"""What a Hugging Face Space gets: its folder, what it installs, where it stores, its login."""

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import gradio as gr
import pytest
from ui_fakes import event_of, make_store

import space
from symdemo.ui.app import build_app
from symdemo.ui.shared import sessions as sessions_module
from symdemo.ui.shared.sessions import FOLDER, Sessions, default_root
from symdemo.ui.teach import transfer

ON_A_SPACE = {
    "SYSTEM": "spaces", "SPACE_ID": "me/symdemo", "SPACE_HOST": "me-symdemo.hf.space",
    "OAUTH_CLIENT_ID": "id", "OAUTH_CLIENT_SECRET": "secret", "OAUTH_SCOPES": "openid profile",
    "OPENID_PROVIDER_URL": "https://huggingface.co",
}  # fmt: skip


def python_of_a_space() -> str | None:
    """Return an interpreter of the version that the front matter names, or None."""
    version = space.front_matter("python_version").rpartition(".")[0]
    installed = Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python")
    for candidate in (shutil.which(f"python{version}"), *installed):
        tried = candidate and subprocess.run([candidate, "-V"], check=False, capture_output=True)
        if tried and not tried.returncode:
            return str(candidate)
    return None


def has_cpu_builds() -> bool:
    try:
        socket.create_connection(("download.pytorch.org", 443), timeout=5).close()
    except OSError:
        return False
    return True


@pytest.mark.slow
def test_a_fresh_environment_of_what_a_space_installs_starts_and_answers(tmp_path):
    python = python_of_a_space()
    if python is None or shutil.which("uv") is None:
        pytest.skip("uv and the Python of the front matter are not both here")
    texts = {}
    for name in ("cpu", "zero"):
        space.build(tmp_path / name, zero_gpu=name == "zero")
        texts[name] = (tmp_path / name / "requirements.txt").read_text().splitlines()
    assert texts["cpu"][1] == f"{texts['zero'][0]}+cpu"
    assert texts["cpu"][2:] == texts["zero"][1:]
    locked = (space.HERE / "constraints.txt").read_text().splitlines()
    assert set(texts["zero"]) <= {line.partition(" ;")[0] for line in locked}
    folder = tmp_path / ("cpu" if has_cpu_builds() else "zero")  # torch with CUDA starts, too
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SYMDEMO"))}
    env = tmp_path / "env"
    install = ["uv", "pip", "install", "--quiet", "--python", env, "-r", "requirements.txt"]
    for command in (["uv", "venv", "--quiet", "--python", python, env], [*install, *space.added()]):
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, capture_output=True, text=True
        )
        assert not done.returncode, done.stderr[-3000:]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment |= ON_A_SPACE | {  # and nothing may be downloaded after the build
        "HF_HUB_OFFLINE": "1", "HOME": str(tmp_path), "SYMDEMO_PROJECTS": str(tmp_path / "data"),
        "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": port,
    }  # fmt: skip
    with (tmp_path / "log").open("w+") as log:
        app = subprocess.Popen(
            [env / "bin" / "python", "app.py"], cwd=folder, env=environment, stdout=log, stderr=log
        )
        try:
            end = time.monotonic() + 180
            while socket.socket().connect_ex(("127.0.0.1", int(port))):
                assert app.poll() is None, (tmp_path / "log").read_text()
                assert time.monotonic() < end, (tmp_path / "log").read_text()
                time.sleep(1)
            ask = (
                f"from gradio_client import Client; c = Client('http://127.0.0.1:{port}/');"
                "print(c.predict('A cat sleeps.', 'A cat naps.', api_name='/similarity'));"
                "print(c.predict('Kenya borders Uganda.', api_name='/predict')['label'])"
            )
            said = subprocess.run(
                [env / "bin" / "python", "-c", ask], env=environment, check=False,
                capture_output=True, text=True,
            )  # fmt: skip
            assert not said.returncode, said.stderr[-2000:]
        finally:
            app.terminate()
            app.wait(30)
    assert re.search(r"'all-MiniLM-L6-v2', 'missing': None, 'cosine': 0\.\d+", said.stdout)
    assert said.stdout.splitlines()[-1] == "entailment"


def test_a_folder_that_holds_something_is_not_built_into(tmp_path):
    (tmp_path / "old").touch()
    with pytest.raises(SystemExit, match="is not empty"):
        space.build(tmp_path)


@pytest.mark.parametrize("attached", [True, False])
def test_a_space_keeps_projects_in_its_storage_if_it_has_one(monkeypatch, tmp_path, attached):
    monkeypatch.delenv("SYMDEMO_PROJECTS", raising=False)
    monkeypatch.setenv("SPACE_ID", "me/symdemo")
    storage = tmp_path if attached else tmp_path / "none"
    monkeypatch.setattr(sessions_module, "STORAGE", storage)
    assert default_root() == (tmp_path if attached else Path("/tmp")) / FOLDER


@pytest.mark.parametrize(
    ("typed", "login", "used"),
    [("", "hf_login", "hf_login"), ("hf_typed", "hf_login", "hf_typed"), ("", None, "")],
)
def test_on_a_space_a_push_uses_the_login_where_no_token_is_typed(
    monkeypatch, tmp_path, typed, login, used
):
    def functions(space_id):
        monkeypatch.setenv("SPACE_ID", space_id)
        monkeypatch.setenv("OAUTH_CLIENT_ID", "id")
        sessions = Sessions(make_store(), tmp_path)
        demo = build_app(sessions.store, sessions=sessions)
        buttons = [b for b in demo.blocks.values() if isinstance(b, gr.LoginButton)]
        return buttons, event_of(demo, "push", "click").fn

    tokens = []
    monkeypatch.setattr("gradio.routes.attach_oauth", lambda app: None)  # it asks the hub
    monkeypatch.setattr(transfer, "push_version", lambda *given: tokens.append(given[3]) or "there")
    outside, _ = functions("")
    buttons, push = functions("me/symdemo")
    assert (len(outside), len(buttons)) == (0, 1)
    oauth = gr.OAuthToken(token=login, scope="", expires_at=0) if login else None
    push(gr.Request(session_hash="page"), oauth, "id", "me/model", typed, True)
    assert tokens == [used]
