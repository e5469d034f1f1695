// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reference data, converted to this library's layout. Theirs: quaternions w first, world = -1, bodies in any order with parents first;
// the robots' base velocity linear part first. All conversions are in this file and its .cpp.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "actio/model/builder.hpp"

namespace actio::test {

using Json = nlohmann::json;

/// @throws std::runtime_error if the file cannot be opened.
Json read_json(const std::filesystem::path& file);

Eigen::VectorXd to_vector(const Json& numbers);
Eigen::MatrixXd to_matrix(const Json& rows);

/// Maps their entries to ours: ours[entry[k]] = theirs[k].
class Permutation {
 public:
  void push_back(Eigen::Index ours) { entry_.push_back(ours); }
  Eigen::Index size() const { return static_cast<Eigen::Index>(entry_.size()); }
  Eigen::VectorXd to_ours(const Eigen::VectorXd& theirs) const;
  Eigen::VectorXd to_theirs(const Eigen::VectorXd& ours) const;
  Eigen::MatrixXd to_ours_both_sides(const Eigen::MatrixXd& theirs) const;

 private:
  std::vector<Eigen::Index> entry_;
};

/// A reference trajectory (oracles/SCHEMA.md) and its model. Body k of the file is named "body<k>", its joint "joint<k>".
/// Momenta and generalised forces have the layout of v. A sampled row is `reference.q(json["discrete"]["split"]["q"][k])`.
struct Reference {
  Json json;
  Model<double> model;
  Permutation q_layout, v_layout;

  Eigen::VectorXd q(const Json& theirs) const { return q_layout.to_ours(to_vector(theirs)); }
  Eigen::VectorXd v(const Json& theirs) const { return v_layout.to_ours(to_vector(theirs)); }
  Eigen::VectorXd p(const Json& theirs) const { return v(theirs); }
  Eigen::VectorXd q_to_theirs(const Eigen::VectorXd& ours) const { return q_layout.to_theirs(ours); }
  Eigen::VectorXd v_to_theirs(const Eigen::VectorXd& ours) const { return v_layout.to_theirs(ours); }
  Eigen::VectorXd q0() const { return q(json["q0"]); }
  Eigen::VectorXd v0() const { return v(json["v0"]); }
};

/// A fixed joint that is not merged: a joint with no degree of freedom.
struct Weld {
  using Real = double;
  static constexpr int nq = 0, nv = 0;
  static constexpr bool constant_subspace = true;
  using Config = Eigen::Matrix<double, 0, 1>;
  using Tangent = Eigen::Matrix<double, 0, 1>;
  Pose<double> pose(const Config&) const { return Pose<double>::identity(); }
  Eigen::Matrix<double, 6, 0> motion_subspace(const Config&) const { return {}; }
  Config integrate(const Config&, const Tangent&) const { return {}; }
  Tangent difference(const Config&, const Config&) const { return {}; }
};
using JointsAndWeld = std::variant<Revolute<double>, Prismatic<double>, Helical<double>, Cylindrical<double>, Universal<double>,
                                   Spherical<double>, Planar<double>, Free<double>, Weld>;

/// Builds the model block of a file with all of its bodies kept separate, as for the reference solutions: the kind `split` distinguishes a
/// composite body from its parts, by terms of order h^2 (their centres of mass move on chords of different arcs).
Model<double, JointsAndWeld> with_welds(const Json& theirs);

/// Returns the reference of a file's content; its loops become active loops of the model.
Reference make_reference(Json json);
/// Returns the reference stored with the tests, tests/data/reference/<name>.json.
Reference reference(const std::string& name);
/// Return all names of trees, and of mechanisms with closed loops, that reference() accepts.
const std::vector<std::string>& reference_names();
const std::vector<std::string>& loop_reference_names();

/// One state of a robot (oracles/robots/README.md), in the layout of the model it was converted for.
struct RobotState {
  Eigen::VectorXd q, v, a, tau, bias, gravity_torque, rnea_tau, aba_acceleration;
  Eigen::MatrixXd mass_matrix;
  double kinetic_energy = 0, potential_energy = 0;
  Eigen::Vector3d com, linear_momentum, angular_momentum_about_com;
  struct Link {
    std::string name;
    Pose<double> T_WL;
    Eigen::Vector3d angular_velocity, linear_velocity;  ///< of the link's origin, in world axes
  };
  std::vector<Link> links;
};

/// The layout of a robot's file relative to a model of the same URDF: joints are matched by name, a floating base is body 1.
class RobotLayout {
 public:
  RobotLayout(const Json& robot, const Model<double>& model);
  RobotState state(const Json& theirs) const;
  /// Return our q and v of a sample that has only `q`, `v`, `base_position` and `base_quaternion_wxyz`.
  Eigen::VectorXd q(const Json& theirs) const;
  Eigen::VectorXd v(const Json& theirs) const { return v_layout_.to_ours(to_vector(theirs["v"])); }

 private:
  Eigen::Index nq_;
  bool floating_;
  std::vector<Eigen::Index> joints_;  // entries of q
  Permutation v_layout_;
};

}  // namespace actio::test
