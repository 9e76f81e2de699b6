"""What does not depend on the order of sets: a program printed by two interpreters that hash
differently.
"""

import os
import subprocess
import sys


def with_two_hash_seeds(program: str, *arguments: str) -> tuple[bytes, bytes]:
    """What a Python program writes to standard output under two hash seeds."""
    command = [sys.executable, "-c", program, *arguments]
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2")]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        for environment in environments
    ]
    first, second = (process.communicate()[0] for process in running)
    assert [process.returncode for process in running] == [0, 0]
    return first, second
