/* Wait of a thread that may share a processor: try some times, then let the other thread run. */
#include <sched.h>

static inline void wait_a_little(void)
{
    static _Thread_local unsigned tries;
    if (++tries % 4096u == 0u) {
        (void)sched_yield();
    }
}

#define PANDA_WAIT() wait_a_little()
