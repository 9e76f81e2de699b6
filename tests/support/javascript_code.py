"""What JavaScript runs of a module: its text without comments, and without the content of
strings.
"""

import re


def javascript_code(text: str) -> str:
    """The code that is left; regular expressions and templates do not occur in what dynagen
    writes.
    """
    bare = re.sub(
        r'/\*.*?\*/|//[^\n]*|"[^"\n]*"',
        lambda found: '""' if found[0].startswith('"') else "",
        text,
        flags=re.DOTALL,
    )
    return "\n".join(line.rstrip() for line in bare.splitlines() if line.strip())
