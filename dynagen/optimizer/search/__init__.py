"""Search: optimised programs that are changed over and over until a budget is spent.

Two representations find different savings:

- polynomials (`expansion`), whose cheaper forms are searched (`neighbourhood_search`, with
  `counted_sums` and `factoring`);
- value graphs, in which nodes are redefined by existing nodes (`resubstitution`), and a few nodes
  together by the shortest program for them (`exact_synthesis`).

`step` alternates both and keeps the cheapest program, as the passes count it.
"""
