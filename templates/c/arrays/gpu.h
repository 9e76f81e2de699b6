/* gpu.h: kernels of an NVIDIA GPU on arrays of states, loaded and started through the CUDA driver.
 *
 * `attach` passes the kernels as PTX text, which the CUDA driver compiles for each GPU at the first call there. A call starts kernels on
 * a stream; it copies nothing and does not wait.
 */
#ifndef GPU_H
#define GPU_H

#include <dlfcn.h>
#include <pthread.h>

#include "calls.h"

#define DEVICES 64            /* most GPUs of a machine */
#define SHARED_MEMORY 8       /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
#define MOST_SHARED_MEMORY 97 /* CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */

/* A kernel as it is loaded on a GPU, with its threads of a block and their shared memory. */
typedef struct {
    void *function;
    unsigned threads, bytes;
} LoadedKernel;

/* A kernel: rows of blocks, most threads of a block and the shared memory that their start requests; and the loaded kernel of each GPU. */
typedef struct {
    const char *symbol;
    unsigned parts, bytes, threads;
    LoadedKernel loaded[DEVICES];
} GpuKernel;

/* Functions of the CUDA driver, in the order of `driver_names`. Each returns 0 on success. */
static struct {
    int (*stream_get_context)(void *, void **);
    int (*retain_context)(void **, int);
    int (*get_device_attribute)(int *, int, int);
    int (*push_context)(void *);
    int (*pop_context)(void **);
    int (*get_device)(int *);
    int (*load_module)(void **, const void *);
    int (*get_function)(void **, void *, const char *);
    int (*set_attribute)(void *, int, int);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} driver;
static const char *const driver_names[] = {
    "cuStreamGetCtx", "cuDevicePrimaryCtxRetain", "cuDeviceGetAttribute", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxGetDevice",
    "cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel"};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* of the driver and of kernels */
static const char *kernels_as_ptx;
static void *modules[DEVICES], *contexts[DEVICES];

EXPORT void attach(const char *ptx)
{
    kernels_as_ptx = ptx;
}

/* Open the driver; return an error message or NULL. */
static const char *open_driver(void)
{
    static int is_open;
    if (is_open)
        return NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL)
        return "the CUDA driver libcuda.so.1 cannot be loaded";
    for (size_t k = 0; k < sizeof driver_names / sizeof *driver_names; k++) {
        void *function = dlsym(library, driver_names[k]);
        if (function == NULL)
            return "the CUDA driver is too old";
        memcpy((char *)&driver + k * sizeof function, &function, sizeof function);
    }
    is_open = 1;
    return NULL;
}

/* Load a kernel into the current context, unless it is loaded; return an error message or NULL. */
static const char *load_kernel(GpuKernel *gpu, LoadedKernel *found)
{
    int device;
    if (driver.get_device(&device) || device < 0 || device >= DEVICES)
        return "the CUDA driver reports no device";
    if (modules[device] == NULL && driver.load_module(&modules[device], kernels_as_ptx)) {
        modules[device] = NULL;
        return "the CUDA driver cannot load the kernels: it needs the driver of the CUDA version that compiled them, and compute capability 7.5";
    }
    if (gpu->loaded[device].function == NULL) {
        LoadedKernel loaded = {NULL, gpu->threads, gpu->bytes};
        int most = 0;
        if (driver.get_function(&loaded.function, modules[device], gpu->symbol))
            return "the CUDA driver does not find the kernel";
        if (driver.get_device_attribute(&most, MOST_SHARED_MEMORY, device))
            return "the CUDA driver does not report the shared memory of the GPU";
        /* Fewer threads need less memory: compute capability 7.5 grants 64 KiB to a block, 8.0 and later at least 99 KiB. */
        for (; loaded.threads > 1 && loaded.bytes > (unsigned)most; loaded.threads /= 2)
            loaded.bytes /= 2;
        if (loaded.bytes && driver.set_attribute(loaded.function, SHARED_MEMORY, (int)loaded.bytes))
            return "the kernel needs more shared memory than the GPU grants";
        gpu->loaded[device] = loaded;
    }
    *found = gpu->loaded[device];
    return NULL;
}

/* Start a kernel on all states of a call; return an error message or NULL. */
static const char *start_kernel(const Kernel *kernel, const LoadedKernel *loaded, unsigned parts, Axes *axes, char *const *data,
                                const ptrdiff_t (*strides)[RANK], void *stream)
{
    const ptrdiff_t arrays = kernel->inputs + kernel->outputs, last = axes->count - 1;
    const size_t number = sizeof(Real);
    size_t values[1 + 3 * ARRAYS];
    void *places[1 + 3 * ARRAYS];
    int64_t calls = 1;
    for (ptrdiff_t axis = 0; axis < last; axis++)
        calls *= axes->lengths[axis];
    values[0] = (size_t)axes->lengths[last];
    for (ptrdiff_t k = 0; k < 1 + 3 * arrays; k++)
        places[k] = &values[k];
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const ptrdiff_t rank = kernel->arrays[k].rank;
        values[2 + 3 * k] = rank ? (size_t)strides[k][rank - 1] / number : 1;
        values[3 + 3 * k] = (size_t)axes->steps[last][k] / number;
    }
    for (int64_t call = 0; call < calls; call++) {
        for (ptrdiff_t k = 0; k < arrays; k++) {
            int64_t left = call;
            uintptr_t address = (uintptr_t)data[k];
            for (ptrdiff_t axis = last - 1; axis >= 0; left /= axes->lengths[axis], axis--)
                address += (uintptr_t)(left % axes->lengths[axis] * axes->steps[axis][k]);
            values[1 + 3 * k] = address;
        }
        const size_t blocks = (values[0] + loaded->threads - 1) / loaded->threads;
        if (driver.launch(loaded->function, (unsigned)blocks, parts, 1, loaded->threads, 1, 1, loaded->bytes, stream, places, NULL))
            return "the CUDA driver cannot start the kernel";
    }
    return NULL;
}

/* Find the context of a stream; return whether the driver accepts it. The default stream of a GPU has no context of its own. */
static int find_context(int device, void *stream, void **context)
{
    if (device < 0)
        return driver.stream_get_context(stream, context) == 0;
    if (device >= DEVICES || (contexts[device] == NULL && driver.retain_context(&contexts[device], device)))
        return 0;
    *context = contexts[device];
    return 1;
}

/* Start a kernel on a stream of a GPU; return an error message or NULL. Device -1 is the GPU of the stream. */
static const char *run_on_stream(const Kernel *kernel, GpuKernel *gpu, Axes *axes, char *const *data, const ptrdiff_t (*strides)[RANK],
                                 int device, void *stream)
{
    merge_axes(axes, kernel->inputs + kernel->outputs);
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        if (axes->lengths[axis] == 0)
            return NULL;
    void *context = NULL;
    LoadedKernel loaded = {NULL, 0, 0};
    pthread_mutex_lock(&loading);
    const char *message = open_driver();
    if (message == NULL && (!find_context(device, stream, &context) || driver.push_context(context)))
        message = "the CUDA driver rejects the stream";
    const int pushed = message == NULL;
    if (message == NULL)
        message = load_kernel(gpu, &loaded);
    pthread_mutex_unlock(&loading);
    if (message == NULL)
        message = start_kernel(kernel, &loaded, gpu->parts, axes, data, strides, stream);
    if (pushed)
        driver.pop_context(&context);
    return message;
}

#endif
