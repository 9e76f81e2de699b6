/* gpu.h: kernels of an NVIDIA GPU as handlers of XLA's foreign function interface.
 *
 * `attach` passes the kernels as PTX text, which the CUDA driver compiles for each GPU at the first call there. A call starts kernels on
 * the stream of XLA; it copies nothing and does not wait.
 */
#ifndef GPU_H
#define GPU_H

#include <dlfcn.h>
#include <pthread.h>

#include "handlers.h"

#define DEVICES 64         /* most GPUs of a machine */
#define SHARED_MEMORY 8    /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */

/* A kernel: rows of blocks, shared memory that its start requests, threads of a block; and the loaded kernel of each GPU. */
typedef struct {
    const char *symbol;
    unsigned parts, bytes, threads;
    void *loaded[DEVICES];
} GpuKernel;

/* Functions of the CUDA driver, in the order of `driver_names`. Each returns 0 on success. */
static struct {
    int (*stream_get_context)(void *, void **);
    int (*push_context)(void *);
    int (*pop_context)(void **);
    int (*get_device)(int *);
    int (*load_module)(void **, const void *);
    int (*get_function)(void **, void *, const char *);
    int (*set_attribute)(void *, int, int);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} driver;
static const char *const driver_names[] = {
    "cuStreamGetCtx", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxGetDevice",
    "cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel"};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* of the driver and of kernels */
static const char *kernels_as_ptx;
static void *modules[DEVICES];

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
static const char *load_kernel(GpuKernel *gpu, void **function)
{
    int device;
    if (driver.get_device(&device) || device < 0 || device >= DEVICES)
        return "the CUDA driver reports no device";
    if (modules[device] == NULL && driver.load_module(&modules[device], kernels_as_ptx)) {
        modules[device] = NULL;
        return "the CUDA driver cannot load the kernels: it needs the driver of the CUDA version that compiled them, and compute capability 7.5";
    }
    if (gpu->loaded[device] == NULL) {
        void *loaded;
        if (driver.get_function(&loaded, modules[device], gpu->symbol))
            return "the CUDA driver does not find the kernel";
        if (gpu->bytes && driver.set_attribute(loaded, SHARED_MEMORY, (int)gpu->bytes))
            return "the kernel needs more shared memory than the GPU grants; compute capability 8.0 suffices";
        gpu->loaded[device] = loaded;
    }
    *function = gpu->loaded[device];
    return NULL;
}

/* Start a kernel on all states of a call; return an error message or NULL. */
static const char *start_kernel(const Kernel *kernel, const GpuKernel *gpu, void *function, Axes *axes, char *const *data,
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
        const size_t blocks = (values[0] + gpu->threads - 1) / gpu->threads;
        if (driver.launch(function, (unsigned)blocks, gpu->parts, 1, gpu->threads, 1, 1, gpu->bytes, stream, places, NULL))
            return "the CUDA driver cannot start the kernel";
    }
    return NULL;
}

/* Start a kernel in the context of a stream; return an error message or NULL. */
static const char *run_on_stream(const Kernel *kernel, GpuKernel *gpu, Axes *axes, char *const *data, const ptrdiff_t (*strides)[RANK],
                                 void *stream)
{
    merge_axes(axes, kernel->inputs + kernel->outputs);
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        if (axes->lengths[axis] == 0)
            return NULL;
    void *context = NULL, *function = NULL;
    pthread_mutex_lock(&loading);
    const char *message = open_driver();
    if (message == NULL && (driver.stream_get_context(stream, &context) || driver.push_context(context)))
        message = "the CUDA driver rejects the stream";
    const int pushed = message == NULL;
    if (message == NULL)
        message = load_kernel(gpu, &function);
    pthread_mutex_unlock(&loading);
    if (message == NULL)
        message = start_kernel(kernel, gpu, function, axes, data, strides, stream);
    if (pushed)
        driver.pop_context(&context);
    return message;
}

/* Start a kernel for a call of XLA. */
static XLA_FFI_Error *respond_on_gpu(const Kernel *kernel, GpuKernel *gpu, const XLA_FFI_CallFrame *frame, int columns)
{
    XLA_FFI_Stream_Get_Args found = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, NULL, frame->ctx, NULL};
    XLA_FFI_Error *error = frame->api->XLA_FFI_Stream_Get(&found);
    if (error)
        return error;
    Axes axes;
    if (!describe_axes(kernel, frame, columns, &axes))
        return refuse(frame, "expected arrays with the types and shapes of the kernel", XLA_FFI_Error_Code_INVALID_ARGUMENT);
    char *data[ARRAYS];
    ptrdiff_t strides[ARRAYS][RANK];
    find_elements(kernel, frame, columns, data, strides);
    const char *message = run_on_stream(kernel, gpu, &axes, data, (const ptrdiff_t(*)[RANK])strides, found.stream);
    return message ? refuse(frame, message, XLA_FFI_Error_Code_INTERNAL) : NULL;
}

/* Answer a call of XLA, which first requests the version of the interface. */
static XLA_FFI_Error *answer_on_gpu(const Kernel *kernel, GpuKernel *gpu, XLA_FFI_CallFrame *frame, int columns)
{
    if (states_version(frame) || frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
        return NULL;
    return respond_on_gpu(kernel, gpu, frame, columns);
}

#endif
