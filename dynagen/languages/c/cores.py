"""C11 for several cores: a function for each, a context through which they hand each other values, and a header for both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dynagen.ir.count import count
from dynagen.ir.program import Element
from dynagen.ir.statements import Block
from dynagen.languages import documentation
from dynagen.languages.c.printer import CPrinter
from dynagen.languages.c.vocabulary import HELPERS, uses_math
from dynagen.languages.naming import NameTable, prefixed_symbol
from dynagen.languages.package import Kernel, Package, SourceFile
from dynagen.languages.printing import Helper, Paragraph
from dynagen.languages.routine import Routine
from dynagen.languages.shares import Share, share_of
from dynagen.languages.templating import fill
from dynagen.real import Real
