"""Tasks in other processes: for what takes seconds and shares nothing.

Processes come from a server that has imported the program once and knows nothing of this process's threads. Each does one
task after the other, and ends when this process does, however it ends.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
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
    """Results with the positions of their arguments, in the order in which they are ready.

    Args:
        task: a function of a module.
        arguments: of every call; they and the results are pickled. Calls that take long should come first.
        workers: most processes at a time.

    Raises:
        Exception: what a task raised; the other tasks are given up.
    """
    context: Any = multiprocessing.get_context(_METHOD)
    waiting = list(enumerate(arguments))[::-1]
    processes: dict[Connection, BaseProcess] = {}
    running: dict[Connection, int] = {}
    try:
        for _ in range(min(workers, len(arguments))):
            here, there = context.Pipe()
            process: BaseProcess = context.Process(target=_work, args=(there, task), daemon=True)
            process.start()
            there.close()
            processes[here] = process
            running[here] = _send(here, waiting.pop())
        while running:
            for connection in wait(list(running)):
                assert isinstance(connection, Connection)
                position = running.pop(connection)
                result = _receive(connection, processes[connection])
                if waiting:
                    running[connection] = _send(connection, waiting.pop())
                yield position, result
    finally:
        for connection, process in processes.items():
            connection.close()
            process.terminate()
            process.join()


def _work(connection: Connection, task: Callable[..., Any]) -> None:
    """Do what comes through the connection until its other end is closed."""
    collect_rarely()
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # whoever interrupts the program ends this process too, without a traceback
    with suppress(EOFError, BrokenPipeError):
        while True:
            call = connection.recv()
            result, failure = None, None
            try:
                result = task(*call)
            except Exception as error:
                failure = error
            connection.send((result, failure))


def _send(connection: Connection, numbered: tuple[int, tuple[Any, ...]]) -> int:
    position, call = numbered
    with suppress(
        BrokenPipeError
    ):  # whoever waits for the result is told that the process has ended
        connection.send(call)
    return position


def _receive(connection: Connection, process: BaseProcess) -> Any:
    try:
        result, error = connection.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"a process ended with status {process.exitcode} before its task was done"
        ) from None
    if error is not None:
        raise error
    return result
