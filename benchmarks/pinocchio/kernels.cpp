// Pinocchio's algorithms as kernels that run_time.py can load: one robot, arrays of doubles.
//
// Where `out` is null nothing is copied: the results stay in Pinocchio's data, where its users read them.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "robot.hpp"

using Vector = Eigen::Map<const Eigen::VectorXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static pinocchio::Model model;
static pinocchio::Data data;

static Vector vector(const double *values) { return Vector(values, model.nv); }

template <typename Result>
static double *deliver(const Result &result, double *out)
{
    if (!out)
        return nullptr;
    Eigen::Map<RowMajor>(out, result.rows(), result.cols()) = result;
    return out + result.size();
}

// Only its upper triangle is computed.
static double *deliver_mass_matrix(double *out)
{
    if (out)
        data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose();
    return deliver(data.M, out);
}

extern "C" {
void load(const char *path)
{
    model = read_robot(path);
    data = pinocchio::Data(model);
}

void inverse_dynamics(const double *q, const double *qd, const double *qdd, double *out)
{
    deliver(pinocchio::rnea(model, data, vector(q), vector(qd), vector(qdd)), out);
}

void gravity_forces(const double *q, const double *, const double *, double *out)
{
    deliver(pinocchio::computeGeneralizedGravity(model, data, vector(q)), out);
}

void bias_forces(const double *q, const double *qd, const double *, double *out)
{
    deliver(pinocchio::nonLinearEffects(model, data, vector(q), vector(qd)), out);
}

void mass_matrix(const double *q, const double *, const double *, double *out)
{
    pinocchio::crba(model, data, vector(q));
    deliver_mass_matrix(out);
}

void forward_dynamics(const double *q, const double *qd, const double *tau, double *out)
{
    deliver(pinocchio::aba(model, data, vector(q), vector(qd), vector(tau)), out);
}

void inverse_dynamics_derivatives(const double *q, const double *qd, const double *qdd, double *out)
{
    pinocchio::computeRNEADerivatives(model, data, vector(q), vector(qd), vector(qdd));
    deliver_mass_matrix(deliver(data.dtau_dv, deliver(data.dtau_dq, out)));
}

void forward_dynamics_derivatives(const double *q, const double *qd, const double *tau, double *out)
{
    pinocchio::computeABADerivatives(model, data, vector(q), vector(qd), vector(tau));
    if (out)
        data.Minv.triangularView<Eigen::StrictlyLower>() = data.Minv.transpose();
    deliver(data.Minv, deliver(data.ddq_dv, deliver(data.ddq_dq, out)));
}
}
