/* operators.h: kernels as operators of PyTorch on tensors in any layout, by the stable C interface of torch.
 *
 * The arguments of an operator are its inputs, then whether results are stored in columns. Input shapes are (..., elements). Leading
 * axes count states and broadcast. Results in columns have the same shape, but states are contiguous instead of elements.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include <stdbool.h>
#include <stdio.h>

#include "calls.h"

typedef struct TensorOfTorch *Tensor;
typedef uint64_t Value; /* an argument or result: a tensor or a truth value */
typedef int32_t Refused; /* 0: done */

/* Functions of torch, in the order of `bind` in _operators.py. Each tensor of a call belongs to the operator, which deletes it. */
static struct {
    Refused (*get_dim)(Tensor, int64_t *);
    Refused (*get_sizes)(Tensor, int64_t **);
    Refused (*get_strides)(Tensor, int64_t **);
    Refused (*get_dtype)(Tensor, int32_t *);
    Refused (*get_data_ptr)(Tensor, void **);
    Refused (*get_device_type)(Tensor, int32_t *);
    Refused (*get_device_index)(Tensor, int32_t *);
    Refused (*empty_strided)(int64_t, const int64_t *, const int64_t *, int32_t, int32_t, int32_t, Tensor *);
    Refused (*delete_tensor_object)(Tensor);
    int32_t (*dtype)(void);
    void (*check)(bool, const char *, const char *, uint32_t, const char *);
} torch;

/* A device of torch: its type and its number. */
typedef struct {
    int32_t type, index;
} Device;

/* A tensor of a call: axes over states and elements, first number, and device. */
typedef struct {
    int64_t rank, *sizes, *strides;
    void *data;
    Device device;
} View;

/* Computes all states of a call on a device, or starts a kernel of a GPU for them; returns an error message or NULL. */
typedef const char *Compute(const Kernel *kernel, void *gpu, Device device, Axes *axes, char *const *data,
                            const ptrdiff_t (*strides)[RANK]);

/* Read the shape of an input; return an error message or NULL. */
static const char *read_input(Tensor tensor, const Array *array, View *view)
{
    int32_t type = -1;
    if (torch.get_dtype(tensor, &type) || torch.get_dim(tensor, &view->rank) || torch.get_sizes(tensor, &view->sizes) ||
        torch.get_strides(tensor, &view->strides) || torch.get_data_ptr(tensor, &view->data) ||
        torch.get_device_type(tensor, &view->device.type) || torch.get_device_index(tensor, &view->device.index))
        return "expected dense tensors";
    if (type != torch.dtype())
        return "expected tensors of type " REAL_NAME;
    if (view->rank < array->rank || view->rank - array->rank > MOST_AXES)
        return "expected inputs of shape (..., elements of a state)";
    for (ptrdiff_t axis = 0; axis < array->rank; axis++)
        if (view->sizes[view->rank - array->rank + axis] != array->lengths[axis])
            return "expected inputs of shape (..., elements of a state)";
    return NULL;
}

/* Find the axes over states, along which inputs broadcast; return an error message or NULL. */
static const char *find_axes(const Kernel *kernel, const View *views, Axes *axes)
{
    axes->count = 0;
    for (ptrdiff_t k = 0; k < kernel->inputs; k++) {
        const ptrdiff_t count = views[k].rank - kernel->arrays[k].rank;
        if (count > axes->count)
            axes->count = count;
    }
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        axes->lengths[axis] = 1;
    for (ptrdiff_t k = 0; k < kernel->inputs; k++) {
        const ptrdiff_t count = views[k].rank - kernel->arrays[k].rank, missing = axes->count - count;
        for (ptrdiff_t axis = 0; axis < axes->count; axis++) {
            const int64_t length = axis < missing ? 1 : views[k].sizes[axis - missing];
            if (length != 1 && axes->lengths[axis] != 1 && length != axes->lengths[axis])
                return "expected inputs whose axes over states broadcast";
            if (length != 1)
                axes->lengths[axis] = length;
            axes->steps[axis][k] = length == 1 ? 0 : (ptrdiff_t)sizeof(Real) * views[k].strides[axis - missing];
        }
    }
    return NULL;
}

/* Make a result and its strides; return the tensor or NULL. */
static Tensor make_result(const Kernel *kernel, ptrdiff_t k, int columns, Device device, Axes *axes, ptrdiff_t *strides)
{
    const Array *array = &kernel->arrays[k];
    const ptrdiff_t rank = axes->count + array->rank;
    int64_t sizes[MOST_AXES + RANK], steps[MOST_AXES + RANK], states = 1;
    for (ptrdiff_t axis = 0; axis < rank; axis++)
        sizes[axis] = axis < axes->count ? axes->lengths[axis] : array->lengths[axis - axes->count];
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        states *= axes->lengths[axis] > 1 ? axes->lengths[axis] : 1;
    int64_t step = columns ? states : 1;
    for (ptrdiff_t axis = rank - 1; axis >= axes->count; step *= sizes[axis], axis--)
        steps[axis] = step;
    step = columns ? 1 : array->size;
    for (ptrdiff_t axis = axes->count - 1; axis >= 0; step *= sizes[axis] > 1 ? sizes[axis] : 1, axis--)
        steps[axis] = step;
    for (ptrdiff_t axis = 0; axis < array->rank; axis++)
        strides[axis] = (ptrdiff_t)sizeof(Real) * steps[axes->count + axis];
    for (ptrdiff_t axis = 0; axis < axes->count; axis++)
        axes->steps[axis][k] = (ptrdiff_t)sizeof(Real) * steps[axis];
    Tensor result = NULL;
    if (torch.empty_strided(rank, sizes, steps, torch.dtype(), device.type, device.index, &result))
        return NULL;
    return result;
}

/* Compute a call; return an error message or NULL. */
static const char *compute_call(const Kernel *kernel, Compute *compute_all, void *gpu, const Tensor *given, int columns,
                                Tensor *results)
{
    View views[ARRAYS];
    Axes axes;
    char *data[ARRAYS];
    ptrdiff_t strides[ARRAYS][RANK];
    for (ptrdiff_t k = 0; k < kernel->inputs; k++) {
        const char *message = read_input(given[k], &kernel->arrays[k], &views[k]);
        if (message)
            return message;
        if (views[k].device.type != views[0].device.type || views[k].device.index != views[0].device.index)
            return "expected tensors on one device";
        data[k] = views[k].data;
        for (ptrdiff_t axis = 0; axis < kernel->arrays[k].rank; axis++)
            strides[k][axis] = (ptrdiff_t)sizeof(Real) * views[k].strides[views[k].rank - kernel->arrays[k].rank + axis];
    }
    const char *message = find_axes(kernel, views, &axes);
    if (message)
        return message;
    for (ptrdiff_t k = 0; k < kernel->outputs; k++) {
        const ptrdiff_t place = kernel->inputs + k;
        void *first = NULL;
        results[k] = make_result(kernel, place, columns, views[0].device, &axes, strides[place]);
        if (results[k] == NULL || torch.get_data_ptr(results[k], &first))
            return "no memory for the results";
        data[place] = first;
    }
    return compute_all(kernel, gpu, views[0].device, &axes, data, (const ptrdiff_t(*)[RANK])strides);
}

/* Compute all states of a call on the CPU; return an error message or NULL. */
static const char *compute_on_cpu(const Kernel *kernel, void *gpu, Device device, Axes *axes, char *const *data,
                                  const ptrdiff_t (*strides)[RANK])
{
    (void)gpu;
    (void)device;
    return compute(kernel, axes, data, strides) ? NULL : "no memory for copies of a few states";
}

/* Serve a call of an operator: its arguments are replaced by its results. */
static void operate(const Kernel *kernel, Compute *compute_all, void *gpu, Value *stack)
{
    Tensor given[ARRAYS], results[ARRAYS] = {NULL};
    for (ptrdiff_t k = 0; k < kernel->inputs; k++)
        given[k] = (Tensor)(uintptr_t)stack[k];
    const char *message = compute_call(kernel, compute_all, gpu, given, (int)(stack[kernel->inputs] & 1), results);
    for (ptrdiff_t k = 0; k < kernel->inputs; k++)
        torch.delete_tensor_object(given[k]);
    if (message) {
        for (ptrdiff_t k = 0; k < kernel->outputs; k++)
            if (results[k])
                torch.delete_tensor_object(results[k]);
        char text[160];
        snprintf(text, sizeof text, "%s: %s", kernel->name, message);
        torch.check(false, kernel->name, "operators.h", __LINE__, text); /* raises RuntimeError */
    }
    for (ptrdiff_t k = 0; k < kernel->outputs; k++)
        stack[k] = (Value)(uintptr_t)results[k];
}

#endif
