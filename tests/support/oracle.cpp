// SPDX-License-Identifier: BSD-3-Clause
#include "support/oracle.hpp"

#include <fstream>
#include <stdexcept>

namespace actio::test {
namespace {

Eigen::Vector3d to_vector3(const Json& numbers) { return to_vector(numbers); }

Quaternion<double> to_quaternion(const Json& wxyz) {
  return quaternion::normalized(
      Quaternion<double>(wxyz[0].get<double>(), wxyz[1].get<double>(), wxyz[2].get<double>(), wxyz[3].get<double>()));
}

/// Reads a 3x3 matrix, nested or as nine numbers row by row.
Eigen::Matrix3d to_matrix3(const Json& rows) {
  if (rows.size() == 3) return to_matrix(rows);
  const Eigen::VectorXd numbers = to_vector(rows);
  return numbers.reshaped<Eigen::RowMajor>(3, 3);
}

Pose<double> to_pose(const Json& placement) {
  Pose<double> T = Pose<double>::identity();
  if (placement.contains("p")) T.p = to_vector3(placement["p"]);
  if (placement.contains("R")) T.R = to_matrix3(placement["R"]);
  return T;
}

detail::PerEntry<double> to_entries(const Json& joint, const char* key) {
  if (!joint.contains(key)) return {};
  return joint[key].is_array() ? detail::PerEntry<double>(to_vector(joint[key])) : detail::PerEntry<double>(joint[key].get<double>());
}

std::string body_name(const Json& index) { return index.get<int>() < 0 ? "world" : "body" + std::to_string(index.get<int>()); }

/// @param fixed what a fixed joint becomes: Fixed, or a Weld, which keeps the body separate.
template <class Joints, class FixedJoint>
void add_joint(ModelBuilder<double, Joints>& builder, std::size_t k, const Json& body, FixedJoint fixed) {
  const Json& joint = body["joint"];
  const std::string type = joint["type"];
  JointProperties<double> properties;
  properties.damping = to_entries(joint, "damping");
  properties.stiffness = to_entries(joint, "stiffness");
  properties.rest = to_entries(joint, "rest");
  const auto axis = [&](const char* key) { return to_vector3(joint[key]); };
  const auto add = [&](const auto& ours) {
    builder.add_joint("joint" + std::to_string(k), body_name(body["parent"]), "body" + std::to_string(k), to_pose(body["placement"]), ours,
                      properties);
  };
  if (type == "revolute") return add(Revolute<double>(axis("axis")));
  if (type == "prismatic") return add(Prismatic<double>(axis("axis")));
  if (type == "cylindrical") return add(Cylindrical<double>(axis("axis")));
  if (type == "universal") return add(Universal<double>(axis("axis"), axis("axis2")));
  if (type == "planar") return add(Planar<double>());
  if (type == "spherical") return add(Spherical<double>());
  if (type == "free") return add(Free<double>());
  if (type != "fixed") throw std::runtime_error("joint type '" + type + "' is not in the schema");
  builder.add_joint("joint" + std::to_string(k), body_name(body["parent"]), "body" + std::to_string(k), to_pose(body["placement"]),
                    fixed);
}

template <class Joints, class FixedJoint>
void add_bodies(ModelBuilder<double, Joints>& builder, const Json& theirs, FixedJoint fixed) {
  builder.gravity(to_vector3(theirs["gravity"]));
  builder.inertia_check(InertiaCheck::warn);  // double_pendulum_3d has a body whose inertia no mass distribution can have
  const Json& bodies = theirs["bodies"];
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Json& body = bodies[k];
    builder.add_body("body" + std::to_string(k), {body["mass"].get<double>(), to_vector3(body["com"]), to_matrix3(body["inertia"])});
    add_joint(builder, k, body, fixed);
  }
}

void add_loop(ModelBuilder<double>& builder, std::size_t k, const Json& theirs) {
  Loop<double> loop;
  loop.name = "loop" + std::to_string(k);
  const std::string type = theirs["type"];
  const std::string our_type = type == "inline" ? "point_on_line" : type == "spherical" ? "ball" : type;
  for (LoopType candidate : {LoopType::ball, LoopType::revolute, LoopType::universal, LoopType::fixed, LoopType::prismatic,
                             LoopType::cylindrical, LoopType::planar, LoopType::point_on_line}) {
    if (actio::name(candidate) == our_type) loop.type = candidate;
  }
  if (actio::name(loop.type) != our_type) throw std::runtime_error("loop type '" + type + "' is not in the schema");
  loop.T_A = to_pose(theirs["frameA"]);
  loop.T_B = to_pose(theirs["frameB"]);
  if (theirs.contains("axis")) loop.axis = to_vector3(theirs["axis"]);
  if (theirs.contains("axis2")) loop.axis2 = to_vector3(theirs["axis2"]);
  builder.add_loop(loop, body_name(theirs["bodyA"]), body_name(theirs["bodyB"]));
}

/// Appends the entries of one of their joints: x, y, z, w of a quaternion are at 1, 2, 3, 0, after the position of a free joint.
void append_entries(const Model<double>& model, BodyIndex i, Reference& reference) {
  const Eigen::Index q = model.q_index(i), quaternion = model.nq(i) - model.nv(i) == 1 ? model.nq(i) - 4 : model.nq(i);
  for (Eigen::Index k = 0; k < quaternion; ++k) reference.q_layout.push_back(q + k);
  if (quaternion < model.nq(i)) {
    for (const Eigen::Index k : {3, 0, 1, 2}) reference.q_layout.push_back(q + quaternion + k);
  }
  for (Eigen::Index k = 0; k < model.nv(i); ++k) reference.v_layout.push_back(model.v_index(i) + k);
}

}  // namespace

Json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot open " + file.string());
  return Json::parse(stream);
}

Eigen::VectorXd to_vector(const Json& numbers) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t k = 0; k < numbers.size(); ++k) out[static_cast<Eigen::Index>(k)] = numbers[k].get<double>();
  return out;
}

Eigen::MatrixXd to_matrix(const Json& rows) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.empty() ? 0 : rows[0].size()));
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(static_cast<Eigen::Index>(k)) = to_vector(rows[k]).transpose();
  return out;
}

Eigen::VectorXd Permutation::to_ours(const Eigen::VectorXd& theirs) const {
  if (theirs.size() != size())
    throw std::runtime_error("a vector of the reference has " + std::to_string(theirs.size()) + " entries, expected " +
                             std::to_string(size()));
  Eigen::VectorXd ours(size());
  for (Eigen::Index k = 0; k < size(); ++k) ours[entry_[static_cast<std::size_t>(k)]] = theirs[k];
  return ours;
}

Eigen::VectorXd Permutation::to_theirs(const Eigen::VectorXd& ours) const {
  Eigen::VectorXd theirs(size());
  for (Eigen::Index k = 0; k < size(); ++k) theirs[k] = ours[entry_[static_cast<std::size_t>(k)]];
  return theirs;
}

Eigen::MatrixXd Permutation::to_ours_both_sides(const Eigen::MatrixXd& theirs) const {
  Eigen::MatrixXd half(size(), size()), ours(size(), size());
  for (Eigen::Index k = 0; k < size(); ++k) half.col(k) = to_ours(theirs.col(k));
  for (Eigen::Index k = 0; k < size(); ++k) ours.row(k) = to_ours(half.row(k)).transpose();
  return ours;
}

Reference make_reference(Json json) {
  const Json& theirs = json["model"];
  ModelBuilder<double> builder(theirs["name"].get<std::string>());
  add_bodies(builder, theirs, Fixed{});
  const Json& bodies = theirs["bodies"];
  if (theirs.contains("loops")) {
    for (std::size_t k = 0; k < theirs["loops"].size(); ++k) add_loop(builder, k, theirs["loops"][k]);
  }
  Reference reference{Json(), builder.build(), {}, {}};
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k]["joint"]["type"] != "fixed") {
      append_entries(reference.model, reference.model.find_body("body" + std::to_string(k)), reference);
    }
  }
  reference.json = std::move(json);
  return reference;
}

Model<double, JointsAndWeld> with_welds(const Json& theirs) {
  ModelBuilder<double, JointsAndWeld> builder(theirs["name"].get<std::string>());
  add_bodies(builder, theirs, Weld{});
  return builder.build();
}

Reference reference(const std::string& name) {
  return make_reference(read_json(std::filesystem::path(ACTIO_TEST_DATA) / "reference" / (name + ".json")));
}

const std::vector<std::string>& reference_names() {
  static const std::vector<std::string> names{"pendulum",           "free_asymmetric_body", "free_fall_spinning", "chain10_x",
                                              "chain8_alternating", "double_pendulum_3d",   "branched_tree",      "floating_mixed_tree"};
  return names;
}

const std::vector<std::string>& loop_reference_names() {
  static const std::vector<std::string> names{"fourbar", "fourbar_chain2", "slider_crank_3d"};
  return names;
}

RobotLayout::RobotLayout(const Json& robot, const Model<double>& model) : nq_(model.nq()), floating_(robot["base"] == "floating") {
  if (floating_) {
    for (const Eigen::Index k : {3, 4, 5, 0, 1, 2}) v_layout_.push_back(k);  // linear first
  }
  for (const Json& name : robot["joint_names"]) {
    const BodyIndex i = model.find_joint(name.get<std::string>());
    joints_.push_back(model.q_index(i));
    v_layout_.push_back(model.v_index(i));
  }
  if (v_layout_.size() != model.nv()) throw std::runtime_error("robot and model differ in nv");
}

Eigen::VectorXd RobotLayout::q(const Json& theirs) const {
  Eigen::VectorXd q(nq_);
  if (floating_) q.head<7>() << to_vector3(theirs["base_position"]), to_quaternion(theirs["base_quaternion_wxyz"]).coeffs();
  for (std::size_t k = 0; k < joints_.size(); ++k) q[joints_[k]] = theirs["q"][k].get<double>();
  return q;
}

RobotState RobotLayout::state(const Json& theirs) const {
  const auto read = [&](const char* key) { return v_layout_.to_ours(to_vector(theirs[key])); };
  RobotState s;
  s.q = q(theirs);
  s.v = v(theirs);
  s.a = read("a");
  s.tau = read("tau");
  s.bias = read("bias");
  s.gravity_torque = read("gravity_torque");
  s.rnea_tau = read("rnea_tau");
  s.aba_acceleration = read("aba_acceleration");
  s.mass_matrix = v_layout_.to_ours_both_sides(to_matrix(theirs["mass_matrix"]));
  s.kinetic_energy = theirs["kinetic_energy"];
  s.potential_energy = theirs["potential_energy"];
  s.com = to_vector3(theirs["com"]);
  s.linear_momentum = to_vector3(theirs["linear_momentum"]);
  s.angular_momentum_about_com = to_vector3(theirs["angular_momentum_about_com"]);
  for (const auto& [name, link] : theirs["links"].items()) {
    s.links.push_back({name, Pose<double>::from(to_quaternion(link["quaternion_wxyz"]), to_vector3(link["position"])),
                       to_vector3(link["angular_velocity_world"]), to_vector3(link["linear_velocity_world"])});
  }
  return s;
}

}  // namespace actio::test
