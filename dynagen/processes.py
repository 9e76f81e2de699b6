"""Execution of independent tasks in other processes, for tasks that take seconds.

The processes are forked from a server process (Python's `forkserver`), which has imported dynagen
once and has no other threads. Worker processes end when this process ends, for any reason.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from threading import Thread, current_thread, main_thread
from types import ModuleType
from typing import Any, TypeVar

from dynagen.memory import reduce_garbage_collection
from dynagen.watch import end_searches, follow_searches

Result = TypeVar("Result")
# Windows has no method but `spawn`.
_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_ENVIRONMENT = {
    # numpy would start one thread per processor in each process; they would only wait.
    "OMP_NUM_THREADS": "1",
    # glibc (Linux) would return the memory of many arrays to the system, only to request it again.
    "MALLOC_MMAP_THRESHOLD_": str(2**25),  # the largest value that glibc accepts
    "MALLOC_TRIM_THRESHOLD_": str(2**28),
}
"""Variables of the environment of worker processes, unless the user sets them."""


def count_workers() -> int:
    """Return the number of processes that this machine can run at once.

    The number is 1 on systems without `forkserver`, because they start processes slowly.
    """
    if _METHOD != "forkserver":
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def begin_workers(workers: int | None = None, now: bool = True) -> int:
    """Start the server process that imports dynagen, and return the number of worker processes.

    Args:
        workers: number of worker processes; None: as many as the machine can run at once.
        now: whether the server starts now; if False, it starts with the first task.

    Returns:
        The number of worker processes; if the number is 1, the server is not started.
    """
    workers = workers or count_workers()
    if workers > 1 and now:
        _start_server()
    return workers


def _start_server() -> None:
    """Start the server process, which imports dynagen, if it does not run yet."""
    if _METHOD != "forkserver":
        return
    multiprocessing.get_context(_METHOD).set_forkserver_preload(["dynagen.pipeline.worker"])
    # The server inherits this process's environment, which is the user's again afterwards.
    added = {name: value for name, value in _ENVIRONMENT.items() if name not in os.environ}
    os.environ.update(added)
    try:
        if current_thread() is not main_thread():  # only the main thread can set signal handlers
            forkserver.ensure_running()
            return
        # The server ignores interrupts only after its imports. Started while interrupts are
        # ignored, it inherits that and ignores them from the beginning.
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        forkserver.ensure_running()
        signal.signal(signal.SIGINT, handler)
    finally:
        for name in added:
            del os.environ[name]


def run_in_processes(
    task: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], workers: int
) -> Iterator[tuple[int, Result]]:
    """Run a task for every tuple of arguments, in parallel.

    Args:
        task: a function that is defined at the top level of a module, so that it can be pickled.
        arguments: the arguments of each call; at least one call. Long calls should come first.
            Arguments and results are pickled.
        workers: largest number of processes that run at the same time.

    Yields:
        Position of a call's arguments (from 0) and its result, in the order of completion.

    Raises:
        Exception: the error of a task; the other tasks are abandoned.
    """
    with open_processes(min(workers, len(arguments))) as begin:
        positions = {begin(task, *call): position for position, call in enumerate(arguments)}
        for future in as_completed(positions):
            yield positions[future], future.result()


@contextmanager
def open_processes(workers: int) -> Iterator[Callable[..., Future[Any]]]:
    """Yield a function that begins a task in another process; the processes end with the block.

    The yielded function is called with the task (a function at the top level of a module) and the
    task's arguments. The arguments and the result of a task are pickled. The yielded function
    returns a `Future`; its method `result` waits for the task and raises the error of the task.

    Args:
        workers: largest number of processes.

    Raises:
        RuntimeError: a process ended before its task was done.
    """
    with open_pools([workers]) as (begin,):
        yield begin


@contextmanager
def open_pools(sizes: Sequence[int]) -> Iterator[list[Callable[..., Future[Any]]]]:
    """Yield, for each pool of processes, a function that begins a task in a process of the pool.

    The yielded functions are those of `open_processes`. A pool with a single process runs all its
    tasks in this process, one after another.

    Args:
        sizes: largest number of processes of each pool.

    Raises:
        RuntimeError: a process ended before its task was done.
    """
    _start_server()
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context(_METHOD)
    # An event, and not a signal: a process that is still starting would miss a signal.
    ends = context.Event()
    pools = [ProcessPoolExecutor(size, context, _begin_work, (ends,)) for size in sizes]
    processes = set[BaseProcess]()

    def begin(
        pool: ProcessPoolExecutor, task: Callable[..., Result], *arguments: Any
    ) -> Future[Result]:
        with _hold_interrupts(), _hide_main_module():
            future = pool.submit(task, *arguments)
            processes.update(set(multiprocessing.active_children()) - others)
        return future

    def end() -> None:
        # A pool itself would wait for running tasks. `active_children` would read exit statuses
        # that the pools need.
        for process in processes:
            process.terminate()
        for pool in pools:
            pool.shutdown(cancel_futures=True)

    try:
        with follow_searches(ends.set):
            yield [partial(begin, pool) for pool in pools]
    except BrokenProcessPool:
        end()
        status = next(
            (process.exitcode for process in processes if process.exitcode != -signal.SIGTERM),
            -signal.SIGTERM,
        )
        raise RuntimeError(
            f"a process ended with status {status} before its task was done"
        ) from None
    finally:
        end()


@contextmanager
def _hold_interrupts() -> Iterator[None]:
    """Delay interrupts (Ctrl-C) while worker processes start.

    A worker process that started after the end of the main process would print a traceback.
    """
    if current_thread() is not main_thread():  # Python interrupts the main thread only
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


@contextmanager
def _hide_main_module() -> Iterator[None]:
    """Let worker processes start without running the script of this process again.

    Python would run the script in each worker process, because it may define the task.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _begin_work(ends: Event) -> None:
    """Prepare a worker process: it ignores interrupts, and ends when its parent process ends.

    A terminal sends an interrupt to all processes; only the parent process handles it. The parent
    sets `ends` when it ends its searches for programs with fewer operations.
    """
    reduce_garbage_collection()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    Thread(target=_end_searches_with_parent, args=(ends,), daemon=True).start()


def _end_searches_with_parent(ends: Event) -> None:
    ends.wait()
    end_searches()


def _end_with_parent() -> None:
    """Exit this worker process when its parent process has ended."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
