/* Derivatives of inverse dynamics on two cores, in many cycles. Exit status 0: every bit equals the result of one core. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "panda_cores.h"

enum { N = PANDA_N, CYCLES = 2000 };

/* Inputs and outputs of a cycle. Core 0 writes them between calls, so the numbers `begun` and `ended` mark a cycle. */
static struct {
    panda_inverse_dynamics_derivatives_cores cores;
    panda_real q[N], qd[N], qdd[N], dtau_dq[N*N], dtau_dqd[N*N];
    alignas(64) panda_count begun; /* number of the cycle, written by core 0 */
    alignas(64) panda_count ended; /* the same, written by core 1 */
} cycle;

static void *core1(void *unused)
{
    (void)unused;
    for (uint32_t number = 1; number <= CYCLES; number++) {
        while (atomic_load_explicit(&cycle.begun, memory_order_acquire) != number) {
            PANDA_WAIT();
        }
        panda_inverse_dynamics_derivatives_core1(&cycle.cores, cycle.q, cycle.qd, cycle.qdd, cycle.dtau_dq, cycle.dtau_dqd);
        atomic_store_explicit(&cycle.ended, number, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int wrong = 0;
    panda_inverse_dynamics_derivatives_cores_init(&cycle.cores);
    atomic_init(&cycle.begun, 0u);
    atomic_init(&cycle.ended, 0u);
    if (pthread_create(&thread, NULL, core1, NULL) != 0) {
        return 2;
    }
    for (uint32_t number = 1; number <= CYCLES; number++) {
        panda_real by_q[N*N], by_qd[N*N];
        for (int i = 0; i < N; i++) {
            cycle.q[i] = 1e-3*number + i;
            cycle.qd[i] = 0.5 - 1e-4*number;
            cycle.qdd[i] = 0.1*i;
        }
        atomic_store_explicit(&cycle.begun, number, memory_order_release);
        panda_inverse_dynamics_derivatives_core0(&cycle.cores, cycle.q, cycle.qd, cycle.qdd, cycle.dtau_dq, cycle.dtau_dqd);
        while (atomic_load_explicit(&cycle.ended, memory_order_acquire) != number) {
            PANDA_WAIT();
        }
        panda_inverse_dynamics_derivatives(cycle.q, cycle.qd, cycle.qdd, by_q, by_qd);
        wrong += memcmp(by_q, cycle.dtau_dq, sizeof by_q) != 0 || memcmp(by_qd, cycle.dtau_dqd, sizeof by_qd) != 0;
    }
    pthread_join(thread, NULL);
    (void)printf("%d cycles on two cores, %d with results that differ from one core\n", (int)CYCLES, wrong);
    return wrong != 0;
}
