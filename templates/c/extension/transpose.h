/* transpose.h: rows to columns, four by four in vectors. */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <string.h>

#include "kernel.h"

#define SIDE 4

typedef Real Vector __attribute__((vector_size(SIDE * sizeof(Real))));

#if defined(__clang__)
#define SHUFFLED(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef Index Places __attribute__((vector_size(SIDE * sizeof(Index))));
#define SHUFFLED(x, y, ...) __builtin_shuffle(x, y, (Places){__VA_ARGS__})
#endif

/* Transpose a square; steps are those from row to row, in bytes. */
static inline void transpose_square(const char *from, npy_intp step, char *to, npy_intp to_step)
{
    Vector a, b, c, d;
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + step, sizeof b);
    memcpy(&c, from + 2 * step, sizeof c);
    memcpy(&d, from + 3 * step, sizeof d);
    const Vector ab_even = SHUFFLED(a, b, 0, 4, 2, 6), ab_odd = SHUFFLED(a, b, 1, 5, 3, 7);
    const Vector cd_even = SHUFFLED(c, d, 0, 4, 2, 6), cd_odd = SHUFFLED(c, d, 1, 5, 3, 7);
    a = SHUFFLED(ab_even, cd_even, 0, 1, 4, 5);
    b = SHUFFLED(ab_odd, cd_odd, 0, 1, 4, 5);
    c = SHUFFLED(ab_even, cd_even, 2, 3, 6, 7);
    d = SHUFFLED(ab_odd, cd_odd, 2, 3, 6, 7);
    memcpy(to, &a, sizeof a);
    memcpy(to + to_step, &b, sizeof b);
    memcpy(to + 2 * to_step, &c, sizeof c);
    memcpy(to + 3 * to_step, &d, sizeof d);
}

/* Transpose a matrix of at least four rows and columns. Where its sides are no multiples of four the last squares cover a part of
 * those before them, and store the same there. */
static inline void transpose(const char *from, npy_intp step, npy_intp rows, npy_intp columns, char *to, npy_intp to_step)
{
    for (npy_intp i = 0; i < rows; i += SIDE)
        for (npy_intp j = 0; j < columns; j += SIDE) {
            const npy_intp row = i + SIDE <= rows ? i : rows - SIDE, column = j + SIDE <= columns ? j : columns - SIDE;
            const npy_intp size = (npy_intp)sizeof(Real);
            transpose_square(from + row * step + column * size, step, to + column * to_step + row * size, to_step);
        }
}

#endif
