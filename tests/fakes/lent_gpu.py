"""Retrain a model on ZeroGPU's own package: its patched torch, its forks and its pickling.

Only its edges are stood in for: the server that lends GPUs, a CUDA build of torch, and the two
calls that move to a GPU. Without them, `teach` runs the same retraining as on any machine.

    python lent_gpu.py FOLDER

FOLDER holds the model.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import torch


class Lender(BaseHTTPRequestHandler):
    """Lends a GPU at once, and notes what was asked."""

    asked: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        """Answer as the server of a Space does."""
        path = self.path.partition("?")[0]
        self.asked.append(path)
        loan = {"idle": True, "nvidiaIndex": 0, "nvidiaUUID": "none", "allowToken": "token"}
        body = json.dumps(loan if path == "/schedule" else {}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def _is_in_bad_fork() -> bool:
    return False


def lend() -> None:
    """Import `spaces` as on a Space that lends GPUs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lender)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    os.environ.update(SPACES_ZERO_GPU="true", SPACES_ZERO_DEVICE_API_URL=url)
    if torch.version.cuda is None:
        torch.version.cuda = "12.8"
        torch._C._cuda_init = lambda: None  # type: ignore[attr-defined]
        _is_in_bad_fork.__module__ = "torch.cuda"  # it is pickled by name
        torch.cuda._is_in_bad_fork = _is_in_bad_fork
    from spaces.zero import torch as moving

    assert torch.cuda.is_available()  # pretended, in this process
    moving.init = lambda uuid: None
    moving.move = lambda callback=None: None


def teach(folder: Path) -> dict[str, Any]:
    """Retrain on rows as the app does; return the losses, the answers and the devices."""
    from teach_fakes import QUICK, edit, make_cells
    from ui_fakes import make_tiny_store

    from symdemo.classifier import SymmetryClassifier
    from symdemo.teaching import comparison
    from symdemo.ui.shared.sessions import Sessions
    from symdemo.ui.teach.training import plan_training, start_training

    facts = comparison.benchmark_pairs()[:28]
    comparison.benchmark_pairs = lambda: facts
    store = make_tiny_store(SymmetryClassifier.from_pretrained(folder / "model"))
    sessions = Sessions(store, folder / "projects")
    project = sessions.projects.create()
    plan = plan_training(edit(sessions, project.id, "page", make_cells()), QUICK)[1]
    view = start_training(sessions, project.id, plan)
    view = sessions.queue.wait(view.id, project.id, 120)
    if view.error:
        raise RuntimeError(view.error)
    model = project.model(view.result.id)
    sessions.queue.close(2)
    return {
        "losses": [point["loss"] for point in view.result.curve],
        "labels": [p.label for p in model.predict(model.index.pairs)],
        "device": str(model.encoder.device),
        "estimated": plan.estimate.device,
    }


if __name__ == "__main__":
    lend()
    found = teach(Path(sys.argv[1]))
    sys.stdout.write(json.dumps(found | {"asked": Lender.asked}))
