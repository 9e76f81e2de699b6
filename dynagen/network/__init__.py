"""Networks: programs as functions of the inputs, each known by its fingerprint, whose definitions can be exchanged.

A program is read (`reading`) into a `network`, whose nodes are known by their `node_values`: residues, ranges, exact ratios.
Whoever changes it, greedily (`passes.resubstitution`) or at random (`refactoring.drifting`), emits a program again.
"""
