/* One thread writes new values, another thread reads the newest. No thread waits, and no value is read half written.
 *
 * Two buffers are not enough: a writer that has filled the second buffer while the first is being read would have to wait. So there
 * are three: the writer's, the reader's, and one between them. Each thread exchanges its own buffer for the one between in a single
 * atomic step. If FRESH is set, the buffer between is newer than the reader's. C11, no lock, no call of an operating system.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdalign.h>
#include <stdatomic.h>

#include "puma560.h"

/* Result of the background task: coefficients, and the time that they are for. */
typedef struct {
    alignas(64) double time;
    puma560_real state[PUMA560_STATE_SIZE];
} coefficients;

enum { FRESH = 4 };

typedef struct {
    coefficients buffer[3];
    alignas(64) atomic_uint between; /* number of a buffer, and FRESH */
    alignas(64) unsigned writing;    /* the writer's own */
    alignas(64) unsigned reading;    /* the reader's own */
} exchange;

static inline void exchange_init(exchange *shared)
{
    shared->writing = 0;
    shared->reading = 2;
    atomic_init(&shared->between, 1);
}

/* The buffer to fill, until the next call of publish. */
static inline coefficients *to_fill(exchange *shared)
{
    return &shared->buffer[shared->writing];
}

/* Release: the thread that takes this buffer sees all its content. Acquire: the last reader has finished with the new buffer. */
static inline void publish(exchange *shared)
{
    shared->writing =
        atomic_exchange_explicit(&shared->between, shared->writing | FRESH, memory_order_acq_rel) & ~(unsigned)FRESH;
}

/* The newest coefficients, which do not change until the next call. */
static inline const coefficients *newest(exchange *shared)
{
    if (atomic_load_explicit(&shared->between, memory_order_relaxed) & FRESH) {
        shared->reading =
            atomic_exchange_explicit(&shared->between, shared->reading, memory_order_acq_rel) & ~(unsigned)FRESH;
    }
    return &shared->buffer[shared->reading];
}

#endif
