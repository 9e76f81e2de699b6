/* ufunc.h: the ufuncs of a module's kernels. */
#ifndef UFUNC_H
#define UFUNC_H

#include "call.h"
#include "loop.h"

/* Create numpy's ufunc of a kernel; it keeps pointers into the kernel. */
static int make_ufunc(Kernel *kernel)
{
    static PyUFuncGenericFunction loops[] = {run_loop};
    const int arrays = kernel->inputs + kernel->outputs, operands = arrays + kernel->can_fail;
    char types[OPERANDS + 3] = "";
    if (operands > OPERANDS) {
        PyErr_Format(PyExc_ValueError, "%s() has %d inputs and results; numpy allows %d", kernel->name, operands, OPERANDS);
        return -1;
    }
    for (int k = 0; k < operands; k++) {
        kernel->codes[k] = k < arrays ? REAL : NPY_INT;
        strcat(strcat(types, k == kernel->inputs ? "->" : ""), k < arrays ? LETTER : "i");
    }
    kernel->data = kernel;
    kernel->types = PyUnicode_FromString(types);
    kernel->ufunc = PyUFunc_FromFuncAndDataAndSignature(loops, &kernel->data, kernel->codes, 1, kernel->inputs,
                                                        operands - kernel->inputs, PyUFunc_None, kernel->name, kernel->doc, 0,
                                                        kernel->signature);
    return kernel->types == NULL || kernel->ufunc == NULL ? -1 : 0;
}

PyObject *make_module(struct PyModuleDef *definition, Kernel *kernels, size_t count)
{
    import_array();
    import_umath();
    for (size_t k = 0; k < count; k++)
        if (make_ufunc(&kernels[k]) < 0)
            return NULL;
    return PyModule_Create(definition);
}

#endif
