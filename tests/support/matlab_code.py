"""What MATLAB and Octave run of a file: its text without comments, and without the content of
strings.
"""

import re


def matlab_code(text: str) -> str:
    """The code that is left; strings are quoted once, a transposition follows a dot."""
    bare = re.sub(
        r"(?<!\.)'(?:[^'\n]|'')*'|%[^\n]*",
        lambda found: "''" if found[0].startswith("'") else "",
        text,
    )
    return "\n".join(line.rstrip() for line in bare.splitlines() if line.strip())
