/* gpu_handlers.h: kernels of an NVIDIA GPU as handlers of XLA's foreign function interface.
 *
 * A call starts kernels on the stream of XLA; it copies nothing and does not wait.
 */
#ifndef GPU_HANDLERS_H
#define GPU_HANDLERS_H

#include "gpu.h"
#include "handlers.h"

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
    const char *message = run_on_stream(kernel, gpu, &axes, data, (const ptrdiff_t(*)[RANK])strides, -1, found.stream);
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
