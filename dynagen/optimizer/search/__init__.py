"""Search: optimised programs are changed again and again until a budget is spent.

The search uses two representations, which lead to different savings.

- Polynomials (`expansion`) are factored in many ways (`neighbourhood_search`, with `counted_sums`
  and `factoring`).
- In value graphs, values are computed in other ways from existing values (`resubstitution`), and a
  few connected values are replaced by the shortest program for them (`exact_synthesis`).

The module `step` alternates polynomials and value graphs, and keeps the cheapest program.
"""
