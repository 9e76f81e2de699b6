// Stand-in for the renamed interface in the proof of generated plugins: its names and types.
#pragma once

#include <string>
#include <tuple>

#include <eigen3/Eigen/Core>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>

namespace inverse_dynamics_interface
{

class InverseDynamicsInterface
{
public:
  using Vector = Eigen::VectorXd;
  using Wrench = Eigen::Matrix<double, 6, 1>;
  using Parameters = rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr;

  virtual ~InverseDynamicsInterface() = default;
  virtual void initialize(
    Parameters node = nullptr, const std::string & space = "", const std::string & urdf = "") = 0;
  virtual Eigen::MatrixXd getInertiaMatrix(const Vector & q) const = 0;
  virtual Vector getCoriolisVector(const Vector & q, const Vector & qd) const = 0;
  virtual Vector getGravityVector(const Vector & q) const = 0;
  virtual Vector getFrictionVector(const Vector & qd) const = 0;
  virtual Eigen::MatrixXd getJacobian(const Vector & q) const = 0;

  virtual std::tuple<Eigen::MatrixXd, Vector, Vector> getDynamicParameters(
    const Vector & q, const Vector & qd) const
  {
    return {getInertiaMatrix(q), getCoriolisVector(q, qd), getGravityVector(q)};
  }

  virtual Vector getExternalTorques(const Vector & q, const Wrench & h) const
  {
    return getJacobian(q).transpose() * h;
  }

  virtual Vector getTorques(
    const Vector & q, const Vector & qd, const Vector & qdd,
    const Wrench & h = Eigen::VectorXd::Zero(6)) const
  {
    return getInertiaMatrix(q) * qdd + getCoriolisVector(q, qd) + getGravityVector(q) +
           getExternalTorques(q, h);
  }

protected:
  InverseDynamicsInterface() = default;
};

}  // namespace inverse_dynamics_interface
