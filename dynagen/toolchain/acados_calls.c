/* Calls of external functions of acados on many states, with the vectors and matrices that acados passes:
 * [u; x] is one vector, and the derivatives are the first rows of a matrix with one row more.
 *
 * Compiled with -DNX, -DNU (lengths of x and u). A null Jacobian is not computed. */
#include <stddef.h>

#include "acados/utils/external_function_generic.h"
#include "blasfeo_d_aux.h"
#include "blasfeo_d_aux_ext_dep.h"

typedef int External(void **in, void **out, void *parameters);

void call_external(External *function, size_t count, size_t parameter_count, double *x, double *u, double *p,
                   double *x_next, double *jacobian, int *failed)
{
    struct blasfeo_dvec ux, next;
    struct blasfeo_dmat matrix;
    blasfeo_allocate_dvec(NU + NX, &ux);
    blasfeo_allocate_dvec(NX, &next);
    blasfeo_allocate_dmat(NU + NX + 1, NX, &matrix);
    struct blasfeo_dvec_args state = {&ux, NU}, input = {&ux, 0}, result = {&next, 0};
    struct blasfeo_dmat_args derivatives = {&matrix, 0, 0};
    void *in[] = {&state, &input}, *out[] = {&result, &derivatives};
    for (size_t i = 0; i < count; i++) {
        blasfeo_pack_dvec(NX, x + i * NX, 1, &ux, NU);
        blasfeo_pack_dvec(NU, u + i * NU, 1, &ux, 0);
        blasfeo_dgese(NU + NX + 1, NX, 1e300, &matrix, 0, 0);
        failed[i] = function(in, out, p + i * parameter_count);
        blasfeo_unpack_dvec(NX, &next, 0, x_next + i * NX, 1);
        if (jacobian)
            blasfeo_unpack_dmat(NU + NX, NX, &matrix, 0, 0, jacobian + i * (NU + NX) * NX, NU + NX);
    }
    blasfeo_free_dvec(&ux);
    blasfeo_free_dvec(&next);
    blasfeo_free_dmat(&matrix);
}
