// A robot as run_time.py writes it down, read into Pinocchio's model.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

// Gravity; then for each joint in order: parent (0 is the base), revolute or prismatic, placement in the parent's frame by columns
// and translation, mass, centre of mass, inertia about it (xx, xy, yy, xz, yz, zz), motor inertia.
inline pinocchio::Model read_robot(const std::string &path)
{
    std::ifstream file(path);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    const auto read = [&file](auto &matrix) -> auto & {
        for (Eigen::Index i = 0; i < matrix.size(); ++i)
            file >> matrix.data()[i];
        return matrix;
    };
    pinocchio::Model model;
    Eigen::Vector3d gravity;
    model.gravity.linear() = read(gravity);
    std::size_t joints;
    file >> joints;
    Eigen::VectorXd motors(joints);
    for (std::size_t joint = 0; joint < joints; ++joint) {
        pinocchio::JointIndex parent;
        std::string type;
        Eigen::Matrix3d rotation;
        Eigen::Vector3d translation, centre;
        double mass;
        Eigen::Matrix<double, 6, 1> inertia;
        file >> parent >> type;
        read(rotation);
        read(translation);
        file >> mass;
        read(centre);
        read(inertia);
        file >> motors[joint];
        const pinocchio::SE3 placement(rotation, translation);
        const std::string name = "joint" + std::to_string(joint);
        const auto index = type == "revolute" ? model.addJoint(parent, pinocchio::JointModelRZ(), placement, name)
                                              : model.addJoint(parent, pinocchio::JointModelPZ(), placement, name);
        model.appendBodyToJoint(index, pinocchio::Inertia(mass, centre, pinocchio::Symmetric3(inertia)));
    }
    model.armature = motors;
    return model;
}
