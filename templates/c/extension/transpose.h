/* transpose.h: vectors made of pieces of 16 bytes, one of each state, and transposition in squares.
 *
 * A piece has SIDE elements of one state. A vector has pieces of every SIDE-th state, and SIDE such vectors have the pieces of all states. After
 * transposition of all squares of SIDE by SIDE numbers, each vector has one element of all states in their order. A second
 * transposition restores the pieces.
 */
#ifndef TRANSPOSE_H
#define TRANSPOSE_H

#include <string.h>

#define SIDE ((ptrdiff_t)(16 / sizeof(Real))) /* numbers of a piece */

/* Shuffle indices that alternate the even lanes of two vectors, and the odd ones: for numbers, and for pairs of numbers. */
#if VECTOR_LANES == 2
#define EVEN 0, 2
#define ODD 1, 3
#elif VECTOR_LANES == 4
#define EVEN 0, 4, 2, 6
#define ODD 1, 5, 3, 7
#define EVEN_PAIRS 0, 1, 4, 5
#define ODD_PAIRS 2, 3, 6, 7
#elif VECTOR_LANES == 8
#define EVEN 0, 8, 2, 10, 4, 12, 6, 14
#define ODD 1, 9, 3, 11, 5, 13, 7, 15
#define EVEN_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define ODD_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#else
#define EVEN 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define ODD 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define EVEN_PAIRS 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define ODD_PAIRS 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#endif

typedef double Piece __attribute__((vector_size(16))); /* two doubles or four floats */

INLINE Piece piece_at(const char *from)
{
    Piece piece;
    memcpy(&piece, from, sizeof piece);
    return piece;
}

/* Load a piece of each state into a vector; `step` is the distance of states in bytes. */
INLINE Vector join_pieces(const char *from, ptrdiff_t step)
{
#if VECTOR_BYTES == 16
    (void)step;
    return (Vector)piece_at(from);
#elif VECTOR_BYTES == 32
    return (Vector)__builtin_shufflevector(piece_at(from), piece_at(from + step), 0, 1, 2, 3);
#else
    return (Vector)__builtin_shufflevector(
        __builtin_shufflevector(piece_at(from), piece_at(from + step), 0, 1, 2, 3),
        __builtin_shufflevector(piece_at(from + 2 * step), piece_at(from + 3 * step), 0, 1, 2, 3), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/* Transpose all squares of two by two, of numbers or of pairs, in two vectors. */
#define EXCHANGE(x, y, even, odd) \
    do { \
        const Vector exchanged = __builtin_shufflevector(x, y, even); \
        y = __builtin_shufflevector(x, y, odd); \
        x = exchanged; \
    } while (0)

/* Transpose all squares of SIDE by SIDE numbers. */
INLINE void transpose(Vector *square)
{
    for (ptrdiff_t k = 0; k < SIDE; k += 2)
        EXCHANGE(square[k], square[k + 1], EVEN, ODD);
#ifdef FLOATS
    EXCHANGE(square[0], square[2], EVEN_PAIRS, ODD_PAIRS);
    EXCHANGE(square[1], square[3], EVEN_PAIRS, ODD_PAIRS);
#endif
}

#endif
