/* handlers.h: calls from XLA's foreign function interface, on many states in rows or in columns.
 *
 * In rows an array has the shape (..., elements): one state after the other. In columns it has the shape (..., elements, states).
 * All arrays of a call have the same number of axes over states. An input of length 1 along such an axis serves all states.
 */
#ifndef HANDLERS_H
#define HANDLERS_H

#include "xla/ffi/api/c_api.h"

#include "calls.h"

/* Return an array of a call: the inputs come first. */
static const XLA_FFI_Buffer *buffer_of(const Kernel *kernel, const XLA_FFI_CallFrame *frame, ptrdiff_t k)
{
    return k < kernel->inputs ? frame->args.args[k] : frame->rets.rets[k - kernel->inputs];
}

/* Return the length of an axis over states. In columns the innermost is the last axis of the array. */
static int64_t length_of(const XLA_FFI_Buffer *buffer, ptrdiff_t axis, ptrdiff_t count, int columns)
{
    return buffer->dims[columns && axis == count - 1 ? buffer->rank - 1 : axis];
}

/* Describe the axes over states; return whether types and shapes are those of the kernel. */
static int describe_axes(const Kernel *kernel, const XLA_FFI_CallFrame *frame, int columns, Axes *axes)
{
    const ptrdiff_t arrays = kernel->inputs + kernel->outputs;
    const XLA_FFI_Buffer *first = buffer_of(kernel, frame, kernel->inputs);
    const ptrdiff_t count = first->rank - kernel->arrays[kernel->inputs].rank;
    if (frame->args.size != kernel->inputs || frame->rets.size != kernel->outputs || count < columns || count > MOST_AXES)
        return 0;
    axes->count = count;
    for (ptrdiff_t k = 0; k < arrays; k++) {
        const XLA_FFI_Buffer *buffer = buffer_of(kernel, frame, k);
        if (buffer->dtype != XLA_REAL || buffer->rank != count + kernel->arrays[k].rank)
            return 0;
        ptrdiff_t step = sizeof(Real);
        if (!columns)
            step *= kernel->arrays[k].size;
        for (ptrdiff_t axis = count - 1; axis >= 0; axis--) {
            const int64_t length = length_of(buffer, axis, count, columns);
            axes->lengths[axis] = length_of(first, axis, count, columns);
            if (length != axes->lengths[axis] && (length != 1 || k >= kernel->inputs))
                return 0;
            axes->steps[axis][k] = length == axes->lengths[axis] ? step : 0;
            step *= length;
            if (columns && axis == count - 1)
                step *= kernel->arrays[k].size;
        }
    }
    return 1;
}

static XLA_FFI_Error *refuse(const XLA_FFI_CallFrame *frame, const char *message, XLA_FFI_Error_Code code)
{
    XLA_FFI_Error_Create_Args args = {XLA_FFI_Error_Create_Args_STRUCT_SIZE, NULL, message, code};
    return frame->api->XLA_FFI_Error_Create(&args);
}

/* Find the first number of each array, and the bytes from an element to the next along each axis of a state. */
static void find_elements(const Kernel *kernel, const XLA_FFI_CallFrame *frame, int columns, char **data, ptrdiff_t (*strides)[RANK])
{
    for (ptrdiff_t k = 0; k < kernel->inputs + kernel->outputs; k++) {
        const XLA_FFI_Buffer *buffer = buffer_of(kernel, frame, k);
        ptrdiff_t stride = sizeof(Real) * (columns ? buffer->dims[buffer->rank - 1] : 1);
        data[k] = buffer->data;
        for (ptrdiff_t axis = kernel->arrays[k].rank - 1; axis >= 0; stride *= kernel->arrays[k].lengths[axis], axis--)
            strides[k][axis] = stride;
    }
}

/* Compute all states of a call of XLA. */
static XLA_FFI_Error *respond(const Kernel *kernel, const XLA_FFI_CallFrame *frame, int columns)
{
    Axes axes;
    if (!describe_axes(kernel, frame, columns, &axes))
        return refuse(frame, "expected arrays with the types and shapes of the kernel", XLA_FFI_Error_Code_INVALID_ARGUMENT);
    char *data[ARRAYS];
    ptrdiff_t strides[ARRAYS][RANK];
    find_elements(kernel, frame, columns, data, strides);
    if (!compute(kernel, &axes, data, (const ptrdiff_t(*)[RANK])strides))
        return refuse(frame, "no memory for copies of a few states", XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
    return NULL;
}

/* State the version of the interface if a call requests it; return whether it does. */
static int states_version(XLA_FFI_CallFrame *frame)
{
    for (XLA_FFI_Extension_Base *each = frame->extension_start; each; each = each->next)
        if (each->type == XLA_FFI_Extension_Metadata) {
            XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)each)->metadata;
            /* The oldest version that has all that is used here, so that older versions of JAX accept the library too. */
            metadata->api_version.major_version = 0;
            metadata->api_version.minor_version = 1;
            return 1;
        }
    return 0;
}

/* Answer a call of XLA, which first requests the version of the interface. */
static XLA_FFI_Error *answer(const Kernel *kernel, XLA_FFI_CallFrame *frame, int columns)
{
    if (states_version(frame) || frame->stage != XLA_FFI_ExecutionStage_EXECUTE)
        return NULL;
    return respond(kernel, frame, columns);
}

#endif
