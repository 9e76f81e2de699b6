/* A CUDA driver that runs the kernels of robot.cuh on the CPU; see fake_gpu.py. */
#include "robot.cuh"
#include <cstdio>
#include <cstdlib>
#include <string>

static std::string calls;
static int device = -1;
typedef void (*Kernel)(void **arguments);
struct Function { std::string name; Kernel run; int bytes, requested; };
static Function *functions();

#define EXPORT extern "C" __attribute__((visibility("default"))) int
EXPORT cuInit(unsigned flags) { return flags != 0; }
EXPORT cuGetErrorString(int error, const char **text) { *text = "invalid argument"; return error == 0; }
EXPORT cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
EXPORT cuDeviceGetAttribute(int *value, int attribute, int)
{
    const char *memory = getenv("SHARED_MEMORY"); /* of a block, in bytes */
    *value = attribute == 75 ? 9 : attribute == 97 ? (memory ? atoi(memory) : 232448) : 0;
    return attribute != 75 && attribute != 76 && attribute != 97;
}
EXPORT cuDevicePrimaryCtxRetain(void **context, int number) { *context = (void *)(long)(number + 1); return 0; }
EXPORT cuCtxPushCurrent_v2(void *context) { device = (int)(long)context - 1; return 0; }
EXPORT cuCtxPopCurrent_v2(void **) { device = -1; return 0; }
EXPORT cuStreamGetCtx(void *, void **context) { *context = (void *)1; return 0; }
EXPORT cuCtxGetDevice(int *number) { *number = device; return device < 0; }
EXPORT cuCtxSynchronize() { calls += "synchronize\n"; return 0; }
EXPORT cuPointerGetAttribute(void *value, int attribute, unsigned long long)
{
    *(int *)value = 0;
    return attribute != 9;
}
EXPORT cuModuleLoadData(void **module, const void *) { calls += "load\n"; *module = &calls; return device < 0; }
EXPORT cuModuleGetFunction(void **function, void *, const char *name)
{
    for (Function *each = functions(); each->run; each++) {
        if (each->name == name) {
            *function = each;
            return 0;
        }
    }
    return 500;
}
EXPORT cuFuncSetAttribute(void *function, int attribute, int bytes)
{
    ((Function *)function)->requested = bytes;
    return attribute != 8;
}
EXPORT cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned ty,
                      unsigned tz, unsigned bytes, void *stream, void **arguments, void **extra)
{
    Function *called = (Function *)function;
    char text[200];
    snprintf(text, sizeof text, "launch %s %u %u %u %u stream %ld\n", called->name.c_str(), x, y, threads,
             bytes, (long)stream);
    calls += text;
    if (device < 0 || z != 1 || ty != 1 || tz != 1 || extra || threads > ROBOT_THREADS ||
        bytes != (unsigned)called->requested || bytes*ROBOT_THREADS != called->bytes*threads) {
        return 1;
    }
    robot_block_size = threads;
    for (robot_block.y = 0; robot_block.y < y; robot_block.y++) {
        for (robot_block.x = 0; robot_block.x < x; robot_block.x++) {
            for (robot_thread.x = 0; robot_thread.x < threads; robot_thread.x++) {
                called->run(arguments);
            }
        }
    }
    return 0;
}
EXPORT cuMemAlloc_v2(unsigned long long *address, size_t size)
{
    *address = (unsigned long long)malloc(size);
    return device < 0;
}
EXPORT cuMemFree_v2(unsigned long long address) { free((void *)address); return 0; }
EXPORT cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
    calls += "copy to\n";
    memcpy((void *)to, from, size);
    return 0;
}
EXPORT cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
    calls += "copy from\n";
    memcpy(to, (const void *)from, size);
    return 0;
}
extern "C" __attribute__((visibility("default"))) const char *recorded_calls() { return calls.c_str(); }

EXPORT cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t size)
{
    memcpy((void *)to, (const void *)from, size);
    return 0;
}
