"""Tasks in other processes: for what takes seconds and shares nothing.

Processes come from a server that has imported the program once and knows nothing of this process's threads. They end when this
process does, however it ends.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import forkserver
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

Result = TypeVar("Result")
_METHOD = (
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
)  # Windows has no other


def most_workers() -> int:
    """The number of processes that this machine can run at once; 1 where they cost much to start."""
    if _METHOD != "forkserver":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_workers(workers: int | None = None) -> int:
    """Begin to import what tasks need, while this process goes on: the first then starts at once. For the main thread.

    Args:
        workers: how many processes there will be; None is as many as the machine can run at once.

    Returns:
        How many; a single one needs no server.
    """
    workers = workers or most_workers()
    if workers > 1:
        os.environ.setdefault(
            "OMP_NUM_THREADS", "1"
        )  # numpy's threads, one per processor in each process, would only wait
    if workers > 1 and _METHOD == "forkserver":
        multiprocessing.get_context("forkserver").set_forkserver_preload(
            ["dynagen.pipeline.driver"]
        )
        # The server ignores interrupts only once it has imported: started while they are ignored, it does so from the first.
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        forkserver.ensure_running()
        signal.signal(signal.SIGINT, handler)
    return workers


def collect_rarely() -> None:
    """Have this process look for garbage less often: it makes small tuples by the hundred thousand, and hardly any cycles."""
    gc.set_threshold(100_000)


def in_processes(
    task: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Yield results with the positions of their arguments, in the order in which they are ready.

    Args:
        task: a function of a module.
        arguments: of every call, at least one; they and the results are pickled. Calls that take long should come first.
        workers: most processes at a time.

    Raises:
        Exception: what a task raised; the other tasks are given up.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context(_METHOD)
    pool = ProcessPoolExecutor(min(workers, len(arguments)), context, initializer=_begin_work)
    try:
        with _interrupts_held():
            positions = {
                pool.submit(task, *call): position for position, call in enumerate(arguments)
            }
            processes = set(multiprocessing.active_children()) - others
        for future in as_completed(positions):
            yield positions[future], future.result()
    except BrokenProcessPool:
        pool.shutdown()  # it ends the other processes by SIGTERM
        status = next(
            (each.exitcode for each in processes if each.exitcode != -signal.SIGTERM),
            -signal.SIGTERM,
        )
        raise RuntimeError(
            f"a process ended with status {status} before its task was done"
        ) from None
    finally:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()  # the pool itself would wait for running tasks
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay interrupts while processes start: one that began after the end of this process would print a traceback."""
    if current_thread() is not main_thread():  # which alone is interrupted
        yield
        return
    interrupts: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


def _begin_work() -> None:
    """Prepare a process of the pool: an interrupt ends it without a traceback, and it ends with the process that began it."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
