/* An arm picks up a load: the same kernels with other parameters. Exit status 0: success. */
#include <stdio.h>

#include "arm.h"

int main(void)
{
    const arm_real stretched[ARM_N] = {0}, at_rest[ARM_N] = {0};
    const arm_real loads[] = {0.0f, 1.5f, -5.0f}; /* the last is a mistake */
    arm_real values[ARM_VALUES] = ARM_DEFAULTS, params[ARM_PARAMS];

    for (int i = 0; i < 3; i++) {
        arm_real g[ARM_N], qdd[ARM_N];
        values[ARM_P_M_LOAD] = loads[i];
        if (arm_prepare(values, params) != 0) {
            return 1;
        }
        arm_gravity_forces(stretched, params, g);
        (void)printf("%4.1f kg: %6.2f N m and %6.2f N m hold the arm", (double)loads[i], (double)g[0], (double)g[1]);
        if (arm_forward_dynamics(stretched, at_rest, at_rest, params, qdd) != 0) {
            (void)printf("; nothing can weigh that\n");
        } else {
            (void)printf("; let go, it falls at %.1f rad/s^2\n", (double)qdd[0]);
        }
    }
    return 0;
}
