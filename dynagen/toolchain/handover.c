/* Measures and prints, in nanoseconds, the time of one operation in a long sequence and of a hand-off of a value to
 * another thread. The shortest of many tries counts: other programs can only lengthen them. */
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { TRIES = 100, TRIPS = 200, ROUNDS = 100 };

static struct {
    alignas(128) atomic_uint there;
    alignas(128) atomic_uint back;
    alignas(128) double sum;
} shared;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void await_number(atomic_uint *number, unsigned wanted)
{
    static _Thread_local unsigned tries;
    while (atomic_load_explicit(number, memory_order_acquire) != wanted) {
        if (++tries % 65536u == 0u) {
            (void)sched_yield(); /* the other thread needs this processor if it is the only one */
        }
    }
}

static void *echo(void *unused)
{
    (void)unused;
    for (unsigned trip = 1; trip <= TRIES * TRIPS; trip++) {
        await_number(&shared.there, trip);
        atomic_store_explicit(&shared.back, trip, memory_order_release);
    }
    return NULL;
}

static double handover(void)
{
    pthread_t thread;
    double best = 1e9;
    unsigned trip = 0;
    if (pthread_create(&thread, NULL, echo, NULL) != 0) {
        return -1;
    }
    for (int each = 0; each < TRIES; each++) {
        const double start = now();
        for (int k = 0; k < TRIPS; k++) {
            atomic_store_explicit(&shared.there, ++trip, memory_order_release);
            await_number(&shared.back, trip);
        }
        const double time = (now() - start) / (2.0 * TRIPS);
        best = time < best ? time : best;
    }
    pthread_join(thread, NULL);
    return best;
}

/* Eight independent chains, the average parallelism of kernels, with sixteen operations in each round. */
static double operation(void)
{
    double best = 1e9, a = 0.1, b = 0.2, c = 0.3, d = 0.4, e = 0.5, f = 0.6, g = 0.7, h = 0.8;
    for (int each = 0; each < TRIES; each++) {
        const double start = now();
        for (int round = 0; round < ROUNDS; round++) {
            const double x = a * 0.5 + b, y = b * 0.5 - c, z = c * 0.5 + d, w = d * 0.5 - e;
            e = e * 0.5 + f, f = f * 0.5 - g, g = g * 0.5 + h, h = h * 0.5 - a;
            a = x, b = y, c = z, d = w;
        }
        const double time = (now() - start) / (16.0 * ROUNDS);
        best = time < best ? time : best;
        shared.sum += a + b + c + d + e + f + g + h;
    }
    return best;
}

int main(void)
{
    const double line = operation();
    printf("%.6f %.6f\n", line, handover());
    return 0;
}
