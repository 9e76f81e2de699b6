/* Times of inverse dynamics in ns: states, calls of one state, batch, batch with threads. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "one.h"
#include "many.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9*(double)t.tv_sec + (double)t.tv_nsec;
}

int main(void)
{
    const size_t most = 32768;
    float *arrays[4];
    for (int k = 0; k < 4; k++) {
        arrays[k] = malloc(N*most*sizeof(float));
        for (size_t i = 0; i < N*most; i++) {
            arrays[k][i] = 1e-3f*(float)(i % 1000);
        }
    }
    for (size_t count = 1; count <= most; count *= 2) {
        double shortest[3] = {1e18, 1e18, 1e18};
        const size_t times = 1 + 4096/count;
        for (int round = 0; round < 60; round++) {
            for (int way = 0; way < 3; way++) {
                const double start = now();
                for (size_t repeat = 0; repeat < times; repeat++) {
                    if (way == 0) {
                        for (size_t i = 0; i < count; i++) {
                            const size_t place = N*i;
                            one_inverse_dynamics(arrays[0] + place, arrays[1] + place, arrays[2] + place,
                                                 arrays[3] + place);
                        }
                    } else if (way == 1) {
                        one_inverse_dynamics_batch(count, most, arrays[0], arrays[1], arrays[2], arrays[3]);
                    } else {
                        many_inverse_dynamics_batch(count, most, arrays[0], arrays[1], arrays[2], arrays[3]);
                    }
                }
                const double spent = (now() - start)/(double)times;
                shortest[way] = spent < shortest[way] ? spent : shortest[way];
            }
        }
        printf("%zu %g %g %g\n", count, shortest[0], shortest[1], shortest[2]);
    }
    return 0;
}
