/* Inverse dynamics at two rates: a background task computes coefficients, the servo one multiplication and one addition for each.
 *
 *   two_rates            prints errors of torques over the age of their coefficients
 *   two_rates SECONDS    runs both tasks at once, and counts coefficients that were read half written; exit status 1 if there are any
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exchange.h"

enum { N = PUMA560_N, PERIODS = 2000 };
#define CHECKED 64              /* one of this many reads is compared with coefficients computed again */

static exchange shared;
static atomic_int running = 1;
static unsigned long written;

/* All joints swing by 1 rad, each with its own frequency below one rotation per second: up to 4 rad/s. */
static void motion(double time, puma560_real q[N], puma560_real qd[N], puma560_real qdd[N])
{
    for (int i = 0; i < N; i++) {
        const double rate = 4.0 - 0.4*i;
        q[i] = sin(rate*time + i);
        qd[i] = rate*cos(rate*time + i);
        qdd[i] = -rate*rate*sin(rate*time + i);
    }
}

static void compute(double time, coefficients *found)
{
    puma560_real q[N], qd[N], qdd[N];
    motion(time, q, qd, qdd);
    puma560_background(q, qd, found->state);
    found->time = time;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

static void *background(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&running, memory_order_relaxed)) {
        compute(seconds(), to_fill(&shared));
        publish(&shared);
        written++;
    }
    return NULL;
}

/* The largest error of any torque over 20 s, as a part of the largest torque of that joint. */
static double worst_error(double age)
{
    double errors[N] = {0}, largest[N] = {0}, worst = 0;
    for (int k = 0; k < PERIODS; k++) {
        puma560_real q[N], qd[N], qdd[N], tau[N], exact[N];
        coefficients old;
        const double time = 0.01*k;
        compute(time - age, &old);
        motion(time, q, qd, qdd);
        puma560_synchronous(old.state, qdd, tau);
        puma560_inverse_dynamics(q, qd, qdd, exact);
        for (int i = 0; i < N; i++) {
            errors[i] = fmax(errors[i], fabs(tau[i] - exact[i]));
            largest[i] = fmax(largest[i], fabs(exact[i]));
        }
    }
    for (int i = 0; i < N; i++) {
        worst = fmax(worst, errors[i]/largest[i]);
    }
    return worst;
}

/* Time of a call in nanoseconds: the shortest of many blocks of calls. */
static double shortest(int which)
{
    puma560_real q[N], qd[N], qdd[N], tau[N] = {0}, sum = 0;
    coefficients found;
    double best = 1;
    motion(1, q, qd, qdd);
    compute(1, &found);
    for (int block = 0; block < 2000; block++) {
        const double start = seconds();
        for (int call = 0; call < 100; call++) {
            qdd[0] = call; /* otherwise a compiler computes it once */
            q[0] = call;
            if (which == 0) {
                puma560_synchronous(found.state, qdd, tau);
            } else if (which == 1) {
                puma560_background(q, qd, found.state);
            } else {
                puma560_inverse_dynamics(q, qd, qdd, tau);
            }
            sum += tau[0] + found.state[0];
        }
        best = fmin(best, seconds() - start);
    }
    return sum == 0 ? 0 : 1e7*best;
}

static int run(double duration)
{
    pthread_t thread;
    unsigned long reads = 0, torn = 0;
    exchange_init(&shared);
    compute(seconds(), to_fill(&shared));
    publish(&shared);
    if (pthread_create(&thread, NULL, background, NULL) != 0) {
        return 2;
    }
    const double start = seconds();
    double oldest = 0, now = start;
    while (now < start + duration) {
        puma560_real q[N], qd[N], qdd[N], tau[N];
        const coefficients *const found = newest(&shared);
        motion(now, q, qd, qdd);
        puma560_synchronous(found->state, qdd, tau);
        oldest = fmax(oldest, now - found->time);
        if (reads++ % CHECKED == 0) {
            coefficients again;
            compute(found->time, &again);
            torn += memcmp(again.state, found->state, sizeof again.state) != 0;
        }
        now = seconds();
    }
    atomic_store_explicit(&running, 0, memory_order_relaxed);
    pthread_join(thread, NULL);
    (void)printf("%lu times torques, with coefficients of %lu times: %lu torn\n", reads, written, torn);
    (void)fprintf(stderr, "the oldest coefficients were %.3f ms old; ns of a call: ", 1e3*oldest);
    (void)fprintf(stderr, "synchronous %.0f, background %.0f, inverse_dynamics %.0f\n", shortest(0), shortest(1), shortest(2));
    return torn != 0;
}

int main(int argc, char **argv)
{
    static const int milliseconds[] = {0, 1, 2, 5, 10, 20, 50};
    if (argc == 2) {
        return run(atof(argv[1]));
    }
    (void)printf("| age of the coefficients (ms) | largest error of a torque |\n| ---: | ---: |\n");
    for (size_t k = 0; k < sizeof milliseconds/sizeof *milliseconds; k++) {
        (void)printf("| %d | %.2f %% |\n", milliseconds[k], 100*worst_error(0.001*milliseconds[k]));
    }
    return 0;
}
