/* A joint controller: computed torque at 1 kHz for two seconds of a motion. Exit status 0: no motor was overloaded. */
#include <math.h>

#include "arm.h"

#define PERIOD 0.001f
#define PERIODS 2000

static const arm_real effort_limit[ARM_N] = {12.0f, 24.0f, 12.0f};
static const arm_real stiffness = 400.0f;

/* Stand-ins for encoders and motor drives: an arm that is where it should be, but for the last bits of its encoders. */
static void read_joints(const arm_real wanted[ARM_N], arm_real q[ARM_N])
{
    const arm_real counts = 65536.0f/6.2831853f;
    for (int i = 0; i < ARM_N; i++) {
        q[i] = floorf(wanted[i]*counts)/counts;
    }
}

static int write_efforts(const arm_real tau[ARM_N])
{
    int overloaded = 0;
    for (int i = 0; i < ARM_N; i++) {
        overloaded |= !(fabsf(tau[i]) <= effort_limit[i]);
    }
    return overloaded;
}

int main(void)
{
    int overloaded = 0;
    for (int period = 0; period < PERIODS; period++) {
        const arm_real phase = 3.0f*PERIOD*(arm_real)period;
        arm_real wanted[ARM_N], q[ARM_N], qd[ARM_N], qdd[ARM_N], tau[ARM_N];
        for (int i = 0; i < ARM_N; i++) {
            const arm_real amplitude = 0.3f + 0.1f*(arm_real)i;
            wanted[i] = 0.5f + amplitude*sinf(phase);
            qd[i] = 3.0f*amplitude*cosf(phase);
            qdd[i] = -9.0f*amplitude*sinf(phase);
        }
        read_joints(wanted, q);
        for (int i = 0; i < ARM_N; i++) {
            qdd[i] += stiffness*(wanted[i] - q[i]);
        }
        arm_inverse_dynamics(q, qd, qdd, tau);
        overloaded |= write_efforts(tau);
    }
    return overloaded;
}
