"""The schedulers, and how one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dynagen.scheduling.exact import DEFAULT_SECONDS, improve
from dynagen.scheduling.interval_bound import interval_bound
from dynagen.scheduling.list_scheduling import forward_and_backward, highest_level_first, layer_by_layer
from dynagen.scheduling.schedule import Placement, Resources, Schedule, require_units
from dynagen.scheduling.tasks import TaskGraph


@dataclass(frozen=True)
class Method:
    """A scheduler.

    Attributes:
        name: as users write it.
        meaning: for users.
        place: a place for every task.
        is_exact: whether what it gives is then improved until the bound proves it.
    """

    name: str
    meaning: str
    place: Callable[[TaskGraph, Resources], tuple[Placement, ...]]
    is_exact: bool = False


METHODS = (
    Method("exact", "list schedules, then a search that proves the shortest", forward_and_backward, is_exact=True),
    Method("sweeps", "list schedules forwards and backwards in turn (Li and Willis 1992)", forward_and_backward),
    Method("list", "highest level first (Hu 1961)", highest_level_first),
    Method("layered", "layer by layer, gaps filled from the next ones (Dhanaraj 1990)", layer_by_layer),
)


def schedule(graph: TaskGraph, resources: Resources, method: Method = METHODS[0], seconds: int = DEFAULT_SECONDS) -> Schedule:
    """Give every task a place.

    Args:
        graph: what to do.
        resources: what it runs on.
        method: one of `METHODS`.
        seconds: of an exact search, for each length that it asks for, by the solver's deterministic clock.

    Raises:
        UsageError: a task has no unit to run on.
        ToolchainError: an exact search is needed, and there is no solver.
    """
    require_units(graph, resources)
    found = Schedule(graph, resources, method.place(graph, resources), interval_bound(graph, resources), method.name)
    return improve(found, seconds) if method.is_exact else found
