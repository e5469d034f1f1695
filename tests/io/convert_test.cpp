// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/peers.hpp"

#include <numbers>

#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/io/urdf.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"
#include "support/refusal.hpp"
#include "support/shared_file.hpp"

namespace convert_test {

using namespace actio;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

const std::array all_peers{peers::pinocchio, peers::mujoco, peers::drake, peers::dart};
const double pi = std::numbers::pi;

VectorXd vector(std::initializer_list<double> numbers) {
  return VectorXd::Map(numbers.begin(), static_cast<Eigen::Index>(numbers.size()));
}
VectorXd joined(std::initializer_list<VectorXd> parts) {
  VectorXd all;
  for (const VectorXd& part : parts) {
    all.conservativeResize(all.size() + part.size());
    all.tail(part.size()) = part;
  }
  return all;
}
double distance(const VectorXd& a, const VectorXd& b) { return a.size() == b.size() ? (a - b).norm() : HUGE_VAL; }

/// Rotations as defined by the documentation of each library, by Eigen's classes.
Quaterniond rotation(const PeerConvention& peer, const VectorXd& x) {
  if (x.size() == 4) return peer.name == "Pinocchio" ? Quaterniond(x[3], x[0], x[1], x[2]) : Quaterniond(x[0], x[1], x[2], x[3]);
  if (peer.name == "DART") return x.norm() > 0 ? Quaterniond(Eigen::AngleAxisd(x.norm(), x.normalized())) : Quaterniond::Identity();
  const auto about = [](double angle, const Vector3d& axis) { return Eigen::AngleAxisd(angle, axis); };
  return about(x[2], Vector3d::UnitZ()) * about(x[1], Vector3d::UnitY()) * about(x[0], Vector3d::UnitX());
}
VectorXd numbers(const PeerConvention& peer, const Quaterniond& turn) {
  if (peer.name == "Pinocchio") return turn.coeffs();
  if (peer.name == "DART") return Eigen::AngleAxisd(turn).angle() * Eigen::AngleAxisd(turn).axis();
  return vector({turn.w(), turn.x(), turn.y(), turn.z()});
}
Quaterniond turn_by(const Vector3d& w) { return Quaterniond(Eigen::AngleAxisd(w.norm(), w.normalized())); }

/// Returns q of one joint after a short time h at constant v, as its library integrates it, to O(h^2).
VectorXd advanced(const PeerConvention& peer, std::string_view joint, const VectorXd& q, const VectorXd& v, double h) {
  const bool pinocchio = peer.name == "Pinocchio", drake = peer.name == "Drake", dart = peer.name == "DART";
  if (joint == "continuous" && pinocchio) {
    const double angle = std::atan2(q[1], q[0]) + h * v[0];
    return vector({std::cos(angle), std::sin(angle)});
  }
  if (joint == "planar" && pinocchio) {
    const double angle = std::atan2(q[3], q[2]) + h * v[2];
    const Eigen::Vector2d p = q.head<2>() + Eigen::Rotation2Dd(std::atan2(q[3], q[2])) * Eigen::Vector2d(h * v.head<2>());
    return vector({p[0], p[1], std::cos(angle), std::sin(angle)});
  }
  if (joint == "spherical" && drake) {  // rates of roll, pitch and yaw
    const double c = std::cos(q[2]), s = std::sin(q[2]), along = c * v[0] + s * v[1];
    return q + h * vector({along / std::cos(q[1]), c * v[1] - s * v[0], along * std::tan(q[1]) + v[2]});
  }
  if (joint == "spherical") return numbers(peer, rotation(peer, q) * turn_by(h * v));
  if (joint == "free" && pinocchio) {
    const Quaterniond turn = rotation(peer, q.tail<4>());
    return joined({q.head<3>() + h * (turn * Vector3d(v.head<3>())), numbers(peer, turn * turn_by(h * v.tail<3>()))});
  }
  if (joint == "free" && drake) {
    return joined({numbers(peer, turn_by(h * v.head<3>()) * rotation(peer, q.head<4>())), q.tail<3>() + h * v.tail<3>()});
  }
  if (joint == "free" && dart) {
    const Quaterniond turn = rotation(peer, q.head<3>());
    return joined({numbers(peer, turn * turn_by(h * v.head<3>())), q.tail<3>() + h * (turn * Vector3d(v.tail<3>()))});
  }
  if (joint == "free")
    return joined({q.head<3>() + h * v.head<3>(), numbers(peer, rotation(peer, q.tail<4>()) * turn_by(h * v.tail<3>()))});
  return q + h * v;
}

/// One joint on the world, with its link away from the joint frame.
Model<double> one_joint(std::string_view type) {
  const auto rod = Inertia<double>::box(2.0, {0.1, 0.2, 0.3});
  models::Random random(7);
  const Pose<double> T_PF = random.pose<double>(1), T_MC = random.pose<double>(0.3);
  ModelBuilder<double> builder("one");
  builder.add_body("link", rod);
  const auto add = [&](const auto& joint, const JointProperties<double>& properties = {}) {
    return builder.add_joint("joint", "world", "link", T_PF, joint, properties, {}, T_MC).build();
  };
  const Vector3d a(1, 2, 2);
  if (type == "continuous") return add(Revolute<double>(a));
  if (type == "revolute") return add(Revolute<double>(a), {.lower = -2.0, .upper = 2.0});
  if (type == "prismatic") return add(Prismatic<double>(a));
  if (type == "helical") return add(Helical<double>(a, 0.1));
  if (type == "universal") return add(Universal<double>(a, {2, -2, 1}));
  if (type == "planar") return add(Planar<double>());
  if (type == "spherical") return add(Spherical<double>());
  return add(Free<double>());
}

/// All joints that a library has, some of them twice, with random parents.
Model<double> all_joints(const PeerConvention& peer, std::uint64_t seed) {
  models::Random random(seed);
  ModelBuilder<double> builder("all");
  int bodies = 0;
  const auto add = [&](const std::string& name, const auto& joint, const JointProperties<double>& properties = {}) {
    const std::string parent = bodies == 0 ? "world" : "link" + std::to_string(1 + random.below(bodies));
    const std::string link = "link" + std::to_string(++bodies);
    builder.add_body(link, models::detail::random_inertia<double>(random));
    const Pose<double> T_PF = random.pose<double>(0.5);
    builder.add_joint(name, parent, link, T_PF, joint, properties, {}, random.pose<double>(0.2));
  };
  add("base", Free<double>());
  for (const std::string k : {"1", "2"}) {
    add("wheel" + k, Revolute<double>(random.direction<double>()));
    add("knee" + k, Revolute<double>(random.direction<double>()), {.lower = -2.0, .upper = 2.0});
    add("slide" + k, Prismatic<double>(random.direction<double>()));
    add("piston" + k, Cylindrical<double>(random.direction<double>()));
    add("cross" + k, Universal<double>({1, 0, 0}, {0, 1, 0}));
    add("table" + k, Planar<double>());
    add("ball" + k, Spherical<double>());
    if (peer.helical) add("screw" + k, Helical<double>(random.direction<double>(), 0.1));
    if (peer.free_below) add("loose" + k, Free<double>());
  }
  return builder.build();
}

/// Their names in reverse order, the entries of cylindrical joints separately, without the base.
PeerOptions backwards(const Model<double>& model) {
  PeerOptions options;
  for (BodyIndex i = model.num_bodies() - 1; i > 1; --i) {
    const std::string& name = model.joint_name(i);
    options.joints.push_back(name.starts_with("piston") ? name + ".length" : name);
  }
  options.joints.insert(options.joints.end(), {"piston1.angle", "piston2.angle"});
  return options;
}

State<double> random_state(const Model<double>& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0.25};
}

TEST_CASE("convert: a floating body matches values computed by hand", "[model][fast]") {
  ModelBuilder<double> builder("box");
  const Model<double> model = builder.add_body("box", Inertia<double>::box(1.0, {1, 1, 1})).base(Base::floating).build();
  const double c = std::sqrt(0.5);
  State<double> x = rest_state(model);
  x.q << 1, 2, 3, 0, 0, c, c;  // a rotation by 90 degrees about z
  x.v << 1, 0, 0, 0, 5, 0;     // in the body frame: w along x, v along y
  const auto check = [&](const PeerConvention& peer, const VectorXd& q, const VectorXd& v) {
    CAPTURE(peer.name);
    const PeerLayout layout(model, peer);
    const PeerState<double> theirs = layout.to_peer(x);
    CHECK(distance(theirs.q, q) < 1e-14);
    CHECK(distance(theirs.v, v) < 1e-14);
    const State<double> back = layout.from_peer({q, v}, 4.5);
    CHECK(distance(back.q, x.q) < 1e-14);
    CHECK(distance(back.v, x.v) < 1e-14);
    CHECK(back.time == 4.5);
  };
  check(peers::pinocchio, vector({1, 2, 3, 0, 0, c, c}), vector({0, 5, 0, 1, 0, 0}));
  check(peers::mujoco, vector({1, 2, 3, c, 0, 0, c}), vector({-5, 0, 0, 1, 0, 0}));
  check(peers::drake, vector({c, 0, 0, c, 1, 2, 3}), vector({0, 1, 0, -5, 0, 0}));
  check(peers::dart, vector({0, 0, pi / 2, 1, 2, 3}), vector({1, 0, 0, 0, 5, 0}));
}

TEST_CASE("convert: a ball, a planar joint and a wheel in another order match values computed by hand", "[model][fast]") {
  const auto box = Inertia<double>::box(1.0, {1, 1, 1});
  ModelBuilder<double> builder("three");
  builder.add_body("a", box).add_body("b", box).add_body("c", box);
  builder.add_joint("ball", "world", "a", Pose<double>::identity(), Spherical<double>());
  builder.add_joint("plane", "a", "b", Pose<double>::identity(), Planar<double>());
  builder.add_joint("wheel", "b", "c", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Model<double> model = builder.build();
  const double c = std::sqrt(0.5);
  // rotations by 90 degrees about x and z
  const State<double> x{vector({c, 0, 0, c, 1, 2, pi / 2, pi / 3}), vector({0, 1, 0, 7, 0, 2, 3}), 0};
  const auto check = [&](const PeerConvention& peer, const VectorXd& q, const VectorXd& v, const std::vector<std::string>& q_names) {
    CAPTURE(peer.name);
    const PeerLayout layout(model, peer, {.joints = {"wheel", "plane", "ball"}});
    const PeerState<double> theirs = layout.to_peer(x);
    CHECK(distance(theirs.q, q) < 1e-14);
    CHECK(distance(theirs.v, v) < 1e-14);
    CHECK(layout.q_names() == q_names);
    CHECK(layout.v_names() == std::vector<std::string>{"wheel", "plane.vx", "plane.vy", "plane.wz", "ball.wx", "ball.wy", "ball.wz"});
    CHECK(distance(layout.from_peer({q, v}).q, x.q) < 1e-14);
    CHECK(distance(layout.from_peer({q, v}).v, x.v) < 1e-14);
  };
  check(peers::pinocchio, vector({0.5, std::sqrt(0.75), 1, 2, 0, 1, c, 0, 0, c}), vector({3, 7, 0, 2, 0, 1, 0}),
        {"wheel.cos", "wheel.sin", "plane.x", "plane.y", "plane.cos", "plane.sin", "ball.x", "ball.y", "ball.z", "ball.w"});
  check(peers::mujoco, vector({pi / 3, 1, 2, pi / 2, c, c, 0, 0}), vector({3, 0, 7, 2, 0, 1, 0}),
        {"wheel", "plane.x", "plane.y", "plane.theta", "ball.w", "ball.x", "ball.y", "ball.z"});
  check(peers::drake, vector({pi / 3, 1, 2, pi / 2, pi / 2, 0, 0}), vector({3, 0, 7, 2, 0, 0, 1}),
        {"wheel", "plane.x", "plane.y", "plane.theta", "ball.roll", "ball.pitch", "ball.yaw"});
  check(peers::dart, vector({pi / 3, 1, 2, pi / 2, pi / 2, 0, 0}), vector({3, 0, 7, 2, 0, 1, 0}),
        {"wheel", "plane.x", "plane.y", "plane.theta", "ball.rx", "ball.ry", "ball.rz"});
}

TEST_CASE("convert: the conversion is invertible and preserves powers", "[model][fast]") {
  for (const PeerConvention& peer : all_peers) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(peer.name, seed);
      const Model<double> model = all_joints(peer, seed);
      const PeerLayout layout(model, peer, backwards(model));
      const State<double> x = random_state(model, seed);
      const PeerState<double> theirs = layout.to_peer(x);
      REQUIRE(layout.nv() == model.nv());
      CHECK(static_cast<Eigen::Index>(layout.q_names().size()) == layout.nq());
      CHECK(static_cast<Eigen::Index>(layout.v_names().size()) == layout.nv());
      const State<double> back = layout.from_peer(theirs, x.time);
      CHECK(model.difference(x.q, back.q).norm() < 1e-13);
      CHECK(distance(back.v, x.v) < 1e-13);
      CHECK(back.time == x.time);
      const VectorXd tau = models::random_velocity(model, seed + 2000), their_tau = layout.forces_to_peer(x.q, tau);
      CHECK(std::abs(their_tau.dot(theirs.v) - tau.dot(x.v)) < 1e-13);
      CHECK(distance(layout.forces_from_peer(x.q, their_tau), tau) < 1e-13);
    }
  }
}

TEST_CASE("convert: entries are at the positions of their names", "[model][fast]") {
  const Model<double> model = all_joints(peers::pinocchio, 3);
  const PeerLayout layout(model, peers::pinocchio, backwards(model));
  const State<double> x = random_state(model, 3);
  const PeerState<double> theirs = layout.to_peer(x);
  const std::vector<std::string> q_names = layout.q_names(), v_names = layout.v_names();
  CHECK(q_names.front() == "base.px");  // not in the list: it comes first
  CHECK(q_names[7] != "wheel1");
  for (std::size_t k = 0; k < v_names.size(); ++k) {
    const std::string& name = v_names[k];
    const bool plain = name.starts_with("wheel") || name.starts_with("piston") || name.starts_with("cross") || name.starts_with("screw");
    for (Eigen::Index j = 0; plain && j < model.nv(); ++j) {
      if (model.v_name(j) == name) CHECK(theirs.v[static_cast<Eigen::Index>(k)] == x.v[j]);
    }
  }
  for (std::size_t k = 0; k < q_names.size(); ++k) {
    for (Eigen::Index j = 0; j < model.nq(); ++j) {
      if (q_names[k] == model.q_name(j) + ".cos") CHECK(theirs.q[static_cast<Eigen::Index>(k)] == std::cos(x.q[j]));
      if (q_names[k] == model.q_name(j) && q_names[k].starts_with("piston")) CHECK(theirs.q[static_cast<Eigen::Index>(k)] == x.q[j]);
    }
  }
}

TEST_CASE("convert: velocities of other libraries lead to the same motion as ours", "[model][fast]") {
  for (const PeerConvention& peer : all_peers) {
    for (const std::string_view type : {"continuous", "revolute", "prismatic", "helical", "universal", "planar", "spherical", "free"}) {
      if (type == "helical" && !peer.helical) continue;
      const Model<double> model = one_joint(type);
      const PeerLayout layout(model, peer);
      const Frame<double>& link = model.find_frame("link");
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CAPTURE(peer.name, type, seed);
        const State<double> x = random_state(model, seed);
        const PeerState<double> theirs = layout.to_peer(x);
        const auto place = [&](double h) {
          KinematicsData<double> data(model);
          const State<double> there = layout.from_peer({advanced(peer, type, theirs.q, theirs.v, h), theirs.v});
          forward_kinematics(model, data, there.q, x.v);
          return data;
        };
        const double h = 1e-5;
        const Pose<double> before = frame_pose(place(-h), link), after = frame_pose(place(h), link);
        const Vector6<double> expected = frame_velocity(place(0), link);
        const Vector6<double> found = se3::log<double>(before.inverse() * after) / (2 * h);
        CHECK((found - expected).norm() < 1e-8);
        if (type == "free") {  // q is the pose of the link in the world
          const bool quaternion_last = peer.linear_first;
          const VectorXd turn =
              quaternion_last ? VectorXd(theirs.q.tail(theirs.q.size() - 3)) : VectorXd(theirs.q.head(theirs.q.size() - 3));
          const Vector3d p = quaternion_last ? theirs.q.head<3>() : theirs.q.tail<3>();
          CHECK(actio::distance(frame_pose(place(0), link), Pose<double>::from(rotation(peer, turn), p)) < 1e-14);
        }
      }
    }
  }
}

TEST_CASE("convert: roll, pitch and yaw are valid where two of their axes coincide", "[model][fast]") {
  const Model<double> model = one_joint("spherical");
  const PeerLayout layout(model, peers::drake);
  for (const double pitch : {pi / 2, pi / 2 - 1e-9, -pi / 2, -pi / 2 + 1e-5}) {
    const VectorXd angles = vector({0.7, pitch, -2.1});
    const Quaterniond expected = rotation(peers::drake, angles);
    const State<double> x = layout.from_peer({angles, VectorXd::Zero(3)});
    CHECK(Quaterniond(Eigen::Vector4d(x.q)).angularDistance(expected) < 1e-14);
    CHECK(rotation(peers::drake, layout.to_peer(x).q).angularDistance(expected) < 1e-14);
  }
}

TEST_CASE("convert: Pinocchio's continuous joints are those without limits, or those named", "[model][fast]") {
  const Model<double> model = all_joints(peers::pinocchio, 1);
  const auto nq = [&](std::optional<std::vector<std::string>> continuous) {
    PeerOptions options = backwards(model);
    options.continuous = std::move(continuous);
    return PeerLayout(model, peers::pinocchio, options).nq();
  };
  const Eigen::Index planar = 2;  // their angles are always on the circle
  CHECK(nq(std::nullopt) == model.nq() + planar + 2);
  CHECK(nq({{}}) == model.nq() + planar);
  CHECK(nq({{"knee1", "wheel1", "wheel2"}}) == model.nq() + planar + 3);
}

TEST_CASE("convert: joints that another library lacks, and lists that do not fit, are refused by name", "[model][fast]") {
  using test::missing;
  const Model<double> model = all_joints(peers::pinocchio, 1);
  const auto refused = [&](const PeerConvention& peer, auto change) {
    PeerOptions options = backwards(model);
    change(options);
    return test::refusal<ModelError>([&] { return PeerLayout(model, peer, options).nq(); });
  };
  CHECK(missing(refused(peers::mujoco, [](auto&) {}), {"'all'", "MuJoCo", "has no"}) == "");
  const Model<double> screw = one_joint("helical");
  CHECK(missing(test::refusal<ModelError>([&] { return PeerLayout(screw, peers::mujoco).nq(); }),
                {"'joint'", "MuJoCo has no helical joints"}) == "");
  for (const PeerConvention& peer : {peers::pinocchio, peers::drake, peers::dart}) {
    CHECK(missing(refused(peer, [](auto& o) { o.joints.clear(); }), {"joint 'piston", "has no cylindrical", ".angle'", ".length'"}) == "");
  }
  const auto knee = [](auto& o) { return std::find(o.joints.begin(), o.joints.end(), "knee1"); };
  CHECK(missing(refused(peers::drake, [&](auto& o) { o.joints.erase(knee(o)); }), {"Drake", "does not contain knee1"}) == "");
  CHECK(missing(refused(peers::drake, [&](auto& o) { *knee(o) = "knee2"; }), {"'knee2' is listed twice"}) == "");
  CHECK(missing(refused(peers::drake, [&](auto& o) { o.joints.push_back("root_joint"); }), {"no joint 'root_joint'"}) == "");
  CHECK(missing(refused(peers::drake, [&](auto& o) { o.joints.push_back("piston1"); }), {"'piston1' is listed twice"}) == "");
  CHECK(missing(refused(peers::pinocchio, [&](auto& o) { o.continuous = {{"slide1"}}; }), {"'slide1'", "not revolute"}) == "");
  CHECK(missing(refused(peers::pinocchio, [&](auto& o) { o.continuous = {{"kneel"}}; }), {"'kneel'"}) == "");

  ModelBuilder<double> nested("nested");
  nested.add_body("a", Inertia<double>::box(1.0, {1, 1, 1})).add_body("b", Inertia<double>::box(1.0, {1, 1, 1})).base(Base::floating);
  const Model<double> below = nested.add_joint("loose", "a", "b", Pose<double>::identity(), Free<double>()).build();
  CHECK(missing(test::refusal<ModelError>([&] { return PeerLayout(below, peers::mujoco).nq(); }), {"'loose'", "except on the world"}) ==
        "");
}

TEST_CASE("convert: invalid states are refused, with their entry", "[model][fast]") {
  using test::missing;
  const Model<double> model = all_joints(peers::pinocchio, 1);
  const PeerLayout layout(model, peers::pinocchio, backwards(model));
  const State<double> good = random_state(model, 1);
  const PeerState<double> theirs = layout.to_peer(good);
  const std::vector<std::string> names = layout.q_names();
  const auto index = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  const auto refused = [&](auto change) {
    PeerState<double> changed = theirs;
    change(changed);
    return test::refusal<OptionsError>([&] { return layout.from_peer(changed); });
  };
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(missing(refused([](auto& x) { x.q.conservativeResize(3); }), {"'all'", "Pinocchio", "q has 3 entries, expected"}) == "");
  CHECK(missing(refused([](auto& x) { x.v.conservativeResize(4); }), {"v has 4 entries, expected"}) == "");
  CHECK(missing(refused([&](auto& x) { x.q[index("piston2.angle")] = not_a_number; }), {"q 'piston2.angle' is not finite"}) == "");
  CHECK(missing(refused([&](auto& x) { x.v[0] = not_a_number; }), {"v 'base.vx' is not finite"}) == "");
  CHECK(missing(refused([&](auto& x) { x.q[index("ball2.w")] += 0.1; }), {"joint 'ball2'", "unit length"}) == "");
  CHECK(missing(refused([&](auto& x) { x.q[index("base.w")] += 0.1; }), {"joint 'base'", "unit length"}) == "");
  CHECK(missing(refused([&](auto& x) { x.q[index("wheel1.cos")] += 0.1; }), {"joint 'wheel1'", "(cos, sin)"}) == "");
  CHECK(missing(refused([&](auto& x) { x.q[index("table1.sin")] += 0.1; }), {"joint 'table1'", "(cos, sin)"}) == "");

  State<double> bad = good;
  bad.q[3] += 0.1;
  CHECK(missing(test::refusal<OptionsError>([&] { return layout.to_peer(bad); }), {"'base'", "unit quaternion"}) == "");
  bad = good;
  bad.v.conservativeResize(2);
  CHECK(missing(test::refusal<OptionsError>([&] { return layout.to_peer(bad); }), {"v has 2 entries"}) == "");
  CHECK(missing(test::refusal<OptionsError>([&] { return layout.forces_to_peer(good.q, VectorXd::Zero(1)); }), {"tau has 1 entries"}) ==
        "");
  CHECK(missing(test::refusal<OptionsError>([&] { return layout.forces_from_peer(VectorXd::Zero(1), good.v); }), {"q has 1 entries"}) ==
        "");
}

TEST_CASE("convert: custom joints have no layout in other libraries", "[model][fast]") {
  ModelBuilder<double, test::JointsAndWeld> builder("own");
  builder.add_body("link", Inertia<double>::box(1.0, {1, 1, 1}));
  const auto model = builder.add_joint("weld", "world", "link", Pose<double>::identity(), test::Weld{}).build();
  const std::string why = test::refusal<ModelError>([&] { return PeerLayout(model, peers::drake).nq(); });
  CHECK(test::missing(why, {"'weld'", "Drake has no custom joints"}) == "");
}

/// A state of the reference values in the layout of a library, with its joints in reverse order.
PeerState<double> reference_state(const PeerConvention& peer, const test::Json& robot, const test::Json& state) {
  const VectorXd joints = test::to_vector(state["q"]).reverse(), v = test::to_vector(state["v"]);
  if (robot["base"] == "fixed") return {joints, v.reverse()};
  const VectorXd p = test::to_vector(state["base_position"]), wxyz = test::to_vector(state["base_quaternion_wxyz"]);
  const Quaterniond turn = Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized();
  const Vector3d linear = v.head<3>(), angular = v.segment<3>(3);  // both along the base's axes
  const VectorXd rates = v.tail(v.size() - 6).reverse(), rotated = numbers(peer, turn);
  if (peer.name == "Pinocchio") return {joined({p, rotated, joints}), joined({linear, angular, rates})};
  if (peer.name == "MuJoCo") return {joined({p, rotated, joints}), joined({turn * linear, angular, rates})};
  if (peer.name == "Drake") return {joined({rotated, p, joints}), joined({turn * angular, turn * linear, rates})};
  return {joined({rotated, p, joints}), joined({angular, linear, rates})};
}

TEST_CASE("convert: robots in every layout have the energies, poses and velocities of the reference values", "[model][robots][fast]") {
  if (!test::shared_file("oracles/robots") || !test::shared_file("robots")) ACTIO_SKIP("no reference values of robots");
  for (const std::string name : {"allegro_right", "anymal_c", "atlas_v5_convex", "iiwa14", "solo12"}) {
    const test::Json robot = test::read_json(*test::shared_file("oracles/robots/" + name + ".json"));
    ReadOptions read;
    read.base = robot["base"] == "floating" ? Base::floating : Base::fixed;
    const Model<double> model = read_urdf(test::shared_file("robots/" + name + ".urdf")->string(), read).model;
    PeerOptions options;
    for (const std::string joint : robot["joint_names"]) options.joints.insert(options.joints.begin(), joint);
    options.continuous.emplace();  // Pinocchio, too, has one angle for each of these joints
    const test::RobotLayout reference(robot, model);
    KinematicsData<double> kinematics(model);
    CrbaData<double> composite(model);
    for (const PeerConvention& peer : all_peers) {
      const PeerLayout layout(model, peer, options);
      for (const test::Json& theirs : robot["states"]) {
        CAPTURE(name, peer.name);
        const PeerState<double> x = reference_state(peer, robot, theirs);
        const State<double> ours = layout.from_peer(x);
        const test::RobotState expected = reference.state(theirs);
        forward_kinematics(model, kinematics, ours.q, ours.v);
        CHECK(std::abs(kinetic_energy(model, kinematics, ours.v) - expected.kinetic_energy) <=
              1e-9 * std::max(1e-3, expected.kinetic_energy));
        CHECK(std::abs(potential_energy(model, kinematics) - expected.potential_energy) <=
              1e-9 * std::max(1.0, std::abs(expected.potential_energy)));
        for (const auto& link : expected.links) {
          const Frame<double>& frame = model.find_frame(link.name);
          const Vector6<double> velocity = frame_velocity_in_world(kinematics, frame);
          CHECK(actio::distance(frame_pose(kinematics, frame), link.T_WL) < 1e-9);
          CHECK((velocity.head<3>() - link.angular_velocity).norm() < 1e-9 * std::max(1.0, link.angular_velocity.norm()));
          CHECK((velocity.tail<3>() - link.linear_velocity).norm() < 1e-9 * std::max(1.0, link.linear_velocity.norm()));
        }
        const PeerState<double> back = layout.to_peer(ours);
        CHECK(distance(back.q, x.q) < 1e-13 * std::max(1.0, x.q.norm()));
        CHECK(distance(back.v, x.v) < 1e-13 * std::max(1.0, x.v.norm()));
        if (peer.name == "Pinocchio") {  // the reference values contain its mass matrix
          VectorXd momentum = test::to_matrix(theirs["mass_matrix"]) * test::to_vector(theirs["v"]);
          const Eigen::Index base = robot["base"] == "fixed" ? 0 : 6;
          momentum.tail(momentum.size() - base).reverseInPlace();
          const VectorXd found = layout.forces_to_peer(ours.q, crba(model, composite, ours.q) * ours.v);
          CHECK(distance(found, momentum) <= 1e-9 * std::max(1e-6, momentum.norm()));
        }
      }
    }
  }
}

}  // namespace convert_test
