"""How fast the app is: `python app.py` to its first answer, and a warm answer with its pictures.

    python benchmarks/app_speed.py

Prints and writes benchmarks/results/app_speed.json.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))
RESULT = REPOSITORY / "benchmarks" / "results" / "app_speed.json"
REPEATS = 100
LIMIT_SECONDS = 120
SENTENCES = (
    "Kenya borders Uganda.",
    "Serena Williams is a sibling of Venus Williams.",
    "Nairobi is located in Kenya.",
    "The cat chased the dog.",
)


def measure_start() -> dict[str, float]:
    """Seconds from `python app.py` to the page, and to the first answer from `/predict`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    from gradio_client import Client

    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port)],
        cwd=REPOSITORY,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.perf_counter() - started > LIMIT_SECONDS:
                    raise RuntimeError("the app did not start") from None
                time.sleep(0.05)
        page = time.perf_counter() - started
        client = Client(f"http://127.0.0.1:{port}/", verbose=False)
        client.predict(SENTENCES[0], api_name="/predict")
        answer = time.perf_counter() - started
    finally:
        process.terminate()
        process.wait(20)
    return {"page_s": round(page, 2), "first_answer_s": round(answer, 2)}


def measure_warm() -> dict[str, float | int | str]:
    """Milliseconds of an answer with everything that is drawn for it; memory at its peak."""
    from symdemo.classifier.asking import find_swap
    from symdemo.ui.shared.answers import check
    from symdemo.ui.shared.store import ModelStore
    from symdemo.ui.try_it.events import show_answer, warm_up
    from symdemo.ui.try_it.questions import Asked

    store = ModelStore.of_folder()
    warm_up(store, SENTENCES[0])
    times = []
    for turn in range(REPEATS):
        find_swap.cache_clear()  # a visitor's sentence is a new one
        started = time.perf_counter()
        sentence = SENTENCES[turn % len(SENTENCES)]
        found = check(store, sentence)
        show_answer(found, Asked(turn, sentence), None)
        times.append(1000 * (time.perf_counter() - started))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "model": store.default or "",
        "taught_pairs": len(store.get().classifier.index),
        "repeats": REPEATS,
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(statistics.quantiles(times, n=20)[-1], 1),
        "peak_memory_mib": round(peak / (1024**2 if sys.platform == "darwin" else 1024)),
    }


def describe_machine() -> dict[str, str | int | None]:
    """What the figures were measured on."""
    import torch

    cpu = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":", 1)[1].strip() if names else cpu
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": str(torch.__version__),
    }


def commit() -> str:
    """The commit that was measured, marked where the tree differs from it."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "unknown"


def main() -> None:
    """Measure, print and write."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None  # others on the same cores
    figures = {
        "load_before": None if load is None else round(load, 1),
        "start": measure_start(),
        "warm": measure_warm(),
        "commit": commit(),
        "machine": describe_machine(),
    }
    text = json.dumps(figures, indent=2)
    print(text)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
