// Pinocchio's algorithms recorded on CasADi's symbols, common subexpressions shared, and written as C:
//
//     to_casadi ROBOT     writes into the current folder
#include <pinocchio/autodiff/casadi.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "robot.hpp"

using casadi::SX;
using Vector = Eigen::Matrix<SX, Eigen::Dynamic, 1>;
using Matrix = Eigen::Matrix<SX, Eigen::Dynamic, Eigen::Dynamic>;

static Vector vector(const SX &symbols)
{
    Vector elements(symbols.size1());
    pinocchio::casadi::copy(symbols, elements);
    return elements;
}

// Row by row.
static SX flat(const Matrix &matrix)
{
    SX elements;
    pinocchio::casadi::copy(matrix, elements);
    return vec(elements.T());
}

static SX flat_symmetric(Matrix matrix)
{
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return flat(matrix);
}

int main(int, char **arguments)
{
    const auto model = read_robot(arguments[1]).cast<SX>();
    const SX in_q = SX::sym("q", model.nv), in_qd = SX::sym("qd", model.nv), in_u = SX::sym("u", model.nv);
    const Vector q = vector(in_q), qd = vector(in_qd), u = vector(in_u);
    const auto write = [&](const std::string &name, const std::vector<SX> &parts) {
        casadi::Function(name, {in_q, in_qd, in_u}, {cse(vertcat(parts))}).generate(name + ".c");
    };
    pinocchio::DataTpl<SX> data(model);
    write("inverse_dynamics", {flat(pinocchio::rnea(model, data, q, qd, u))});
    write("gravity_forces", {flat(pinocchio::computeGeneralizedGravity(model, data, q))});
    write("bias_forces", {flat(pinocchio::nonLinearEffects(model, data, q, qd))});
    pinocchio::crba(model, data, q);
    write("mass_matrix", {flat_symmetric(data.M)});
    write("forward_dynamics", {flat(pinocchio::aba(model, data, q, qd, u))});
    pinocchio::computeRNEADerivatives(model, data, q, qd, u);
    write("inverse_dynamics_derivatives", {flat(data.dtau_dq), flat(data.dtau_dv), flat_symmetric(data.M)});
    pinocchio::computeABADerivatives(model, data, q, qd, u);
    write("forward_dynamics_derivatives", {flat(data.ddq_dq), flat(data.ddq_dv), flat_symmetric(data.Minv)});
}
