/* gpu_operators.h: kernels of an NVIDIA GPU as operators of PyTorch.
 *
 * A call starts kernels on the current stream of the tensors' GPU; it copies nothing and does not wait.
 */
#ifndef GPU_OPERATORS_H
#define GPU_OPERATORS_H

#include "gpu.h"
#include "operators.h"

static Refused (*get_stream)(int32_t device, void **stream);

/* Pass the function of torch that returns the current stream of a GPU. */
EXPORT void bind_stream(const void *function)
{
    memcpy(&get_stream, &function, sizeof function);
}

/* Start the kernel of a call on the current stream; return an error message or NULL. */
static const char *compute_on_gpu(const Kernel *kernel, void *gpu, Device device, Axes *axes, char *const *data,
                                  const ptrdiff_t (*strides)[RANK])
{
    void *stream = NULL;
    if (get_stream(device.index, &stream))
        return "torch has no stream for the GPU";
    return run_on_stream(kernel, gpu, axes, data, strides, device.index, stream);
}

#endif
