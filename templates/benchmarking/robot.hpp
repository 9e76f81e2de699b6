// Pinocchio's model of a robot that is given as a list of numbers.
//
// The list has gravity (3) and the number of joints; then for each joint in order: parent (0 is the base); whether it moves freely;
// linear and angular direction (3 each); placement in the parent's frame, rotation by columns (9) and translation (3); mass,
// centre of mass (3), inertia about the centre of mass (xx, xy, yy, xz, yz, zz).
#pragma once

#include <string>

#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

inline pinocchio::JointModel joint_of(bool is_free, const Eigen::Vector3d &linear, const Eigen::Vector3d &angular)
{
    using namespace pinocchio;
    using Eigen::Vector3d;
    if (is_free)
        return JointModelFreeFlyer();
    if (!linear.isZero()) {
        if (linear == Vector3d::UnitX())
            return JointModelPX();
        if (linear == Vector3d::UnitY())
            return JointModelPY();
        if (linear == Vector3d::UnitZ())
            return JointModelPZ();
        return JointModelPrismaticUnaligned(linear);
    }
    if (angular == Vector3d::UnitX())
        return JointModelRX();
    if (angular == Vector3d::UnitY())
        return JointModelRY();
    if (angular == Vector3d::UnitZ())
        return JointModelRZ();
    return JointModelRevoluteUnaligned(angular);
}

inline pinocchio::Model make_robot(const double *numbers)
{
    const auto read = [&numbers](auto &&matrix) {
        for (Eigen::Index i = 0; i < matrix.size(); ++i)
            matrix.data()[i] = *numbers++;
        return matrix;
    };
    pinocchio::Model model;
    model.gravity.linear() = read(Eigen::Vector3d());
    const int joints = static_cast<int>(*numbers++);
    for (int joint = 1; joint <= joints; ++joint) {
        const auto parent = static_cast<pinocchio::JointIndex>(*numbers++);
        const bool is_free = *numbers++ != 0;
        const Eigen::Vector3d linear = read(Eigen::Vector3d()), angular = read(Eigen::Vector3d());
        const Eigen::Matrix3d rotation = read(Eigen::Matrix3d());
        const pinocchio::SE3 placement(rotation, read(Eigen::Vector3d()));
        const double mass = *numbers++;
        const Eigen::Vector3d centre = read(Eigen::Vector3d());
        const pinocchio::Symmetric3 inertia(read(Eigen::Matrix<double, 6, 1>()));
        const auto index = model.addJoint(parent, joint_of(is_free, linear, angular), placement, "joint" + std::to_string(joint));
        model.appendBodyToJoint(index, pinocchio::Inertia(mass, centre, inertia));
    }
    return model;
}
