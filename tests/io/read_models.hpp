// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The readers of SDF and MJCF for double; they are compiled once, in sdf_test.cpp and mjcf_test.cpp.
#include "actio/dynamics/kinematics.hpp"
#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"

namespace actio {
extern template Loaded<double> parse_sdf<double>(std::string_view text, const std::string& name, const ReadOptions& options);
extern template Loaded<double> read_sdf<double>(const std::string& path, const ReadOptions& options);
extern template Loaded<double> parse_mjcf<double>(std::string_view text, const std::string& name, const ReadOptions& options);
extern template Loaded<double> read_mjcf<double>(const std::string& path, const ReadOptions& options);

namespace test {

/// Pose of a named frame in the world.
inline Pose<double> pose_of(const Model<double>& model, const std::string& frame_name, const VectorX<double>& q) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, q);
  const Frame<double>& frame = model.find_frame(frame_name);
  return data.T_WB[frame.body] * frame.T_BF;
}

inline bool has_code(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.code == code; });
}

/// R = Rz Ry Rx of angles in radians, and a position.
inline Pose<double> pose(double x, double y, double z, double roll = 0, double pitch = 0, double yaw = 0) {
  const auto about = [](int axis, double angle) { return so3::rotation<double>(Vector3<double>::Unit(axis), angle); };
  return {about(2, yaw) * about(1, pitch) * about(0, roll), {x, y, z}};
}

}  // namespace test
}  // namespace actio
