// SPDX-License-Identifier: BSD-3-Clause
// One random mechanism written in each format must give the same inverse dynamics, with the frames and units of each format.
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "actio/dynamics/rnea.hpp"
#include "actio/io/model_file.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace actio;
using Eigen::VectorXd;

namespace formats_test {

struct Part {
  int parent;  // -1: the world
  bool slides;
  Vector3<double> xyz, rpy, axis, com, moments, rpy_of_inertia;
  double mass, damping, lower, upper;
};

std::vector<Part> random_mechanism(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> some(-1, 1);
  const auto vector = [&] { return Vector3<double>(some(random), some(random), some(random)); };
  std::vector<Part> parts;
  for (int k = 0; k < count; ++k) {
    const Vector3<double> sizes = vector().cwiseAbs() + Vector3<double>::Constant(0.2);
    const Vector3<double> moments = Inertia<double>::box(1.5, sizes).I_com.diagonal();
    parts.push_back({std::uniform_int_distribution<int>(-1, k - 1)(random), some(random) > 0.4, vector(), 2 * vector(),
                     vector().normalized(), vector(), moments, 2 * vector(), 1.5 + some(random), 1 + some(random), some(random) - 1.5,
                     some(random) + 1.5});
    if (k == 0) parts[0].parent = -1;
  }
  return parts;
}

std::string text(const Vector3<double>& v) {
  std::ostringstream out;
  out.precision(17);
  out << v[0] << ' ' << v[1] << ' ' << v[2];
  return out.str();
}
std::string text(double x) {
  std::ostringstream out;
  out.precision(17);
  out << x;
  return out.str();
}
std::string name(int k) { return k < 0 ? "world" : "b" + std::to_string(k); }
Pose<double> pose(const Part& part) { return {detail::rotation_from_rpy(part.rpy), part.xyz}; }

std::string urdf(const std::vector<Part>& parts) {
  std::string all = "<robot name='r'><link name='world'/>";
  for (int k = 0; k < static_cast<int>(parts.size()); ++k) {
    const Part& p = parts[static_cast<std::size_t>(k)];
    all += "<link name='" + name(k) + "'><inertial><origin xyz='" + text(p.com) + "' rpy='" + text(p.rpy_of_inertia) + "'/><mass value='" +
           text(p.mass) + "'/><inertia ixx='" + text(p.moments[0]) + "' iyy='" + text(p.moments[1]) + "' izz='" + text(p.moments[2]) +
           "'/></inertial></link>";
    all += "<joint name='j" + std::to_string(k) + "' type='" + (p.slides ? "prismatic" : "revolute") + "'><parent link='" + name(p.parent) +
           "'/><child link='" + name(k) + "'/><origin xyz='" + text(p.xyz) + "' rpy='" + text(p.rpy) + "'/><axis xyz='" + text(p.axis) +
           "'/><dynamics damping='" + text(p.damping) + "'/><limit lower='" + text(p.lower) + "' upper='" + text(p.upper) + "'/></joint>";
  }
  return all + "</robot>";
}

/// With link frames that differ from the joint frames, and poses in the model or in other frames.
std::string sdf(const std::vector<Part>& parts, bool relative) {
  const Pose<double> T_JL{detail::rotation_from_rpy({0.3, -0.2, 0.5}), {0.1, 0.2, -0.3}};
  const auto in_rpy = [](const Pose<double>& T) {
    const double pitch = std::atan2(-T.R(2, 0), std::hypot(T.R(0, 0), T.R(1, 0)));
    return text(T.p) + ' ' + text(Vector3<double>(std::atan2(T.R(2, 1), T.R(2, 2)), pitch, std::atan2(T.R(1, 0), T.R(0, 0))));
  };
  std::string all = "<sdf version='1.9'><model name='r'>";
  std::vector<Pose<double>> T_WJ;
  for (int k = 0; k < static_cast<int>(parts.size()); ++k) {
    const Part& p = parts[static_cast<std::size_t>(k)];
    T_WJ.push_back((p.parent < 0 ? Pose<double>::identity() : T_WJ[static_cast<std::size_t>(p.parent)]) * pose(p));
    const Pose<double> T_JC{detail::rotation_from_rpy(p.rpy_of_inertia), p.com};
    const std::string joint = "j" + std::to_string(k), kind = p.slides ? "prismatic" : "revolute";
    all += "<link name='" + name(k) + "'>" +
           (relative ? "<pose relative_to='" + joint + "'>" + in_rpy(T_JL) : "<pose>" + in_rpy(T_WJ.back() * T_JL)) +
           "</pose><inertial><pose>" + in_rpy(T_JL.inverse() * T_JC) + "</pose><mass>" + text(p.mass) + "</mass><inertia><ixx>" +
           text(p.moments[0]) + "</ixx><iyy>" + text(p.moments[1]) + "</iyy><izz>" + text(p.moments[2]) +
           "</izz></inertia></inertial></link>";
    const std::string of_parent = p.parent < 0 ? "__model__" : "j" + std::to_string(p.parent);
    all += "<joint name='" + joint + "' type='" + kind + "'><parent>" + name(p.parent) + "</parent><child>" + name(k) + "</child>" +
           (relative ? "<pose relative_to='" + of_parent + "'>" + in_rpy(pose(p)) : "<pose>" + in_rpy(T_JL.inverse())) +
           "</pose><axis><xyz" +
           (relative ? ">" + text(p.axis) : " expressed_in='__model__'>" + text(Vector3<double>(T_WJ.back().R * p.axis))) +
           "</xyz><dynamics><damping>" + text(p.damping) + "</damping></dynamics><limit><lower>" + text(p.lower) + "</lower><upper>" +
           text(p.upper) + "</upper></limit></axis></joint>";
  }
  return all + "</model></sdf>";
}

/// With body frames that differ from the joint frames, angles in degrees and nested bodies.
std::string mjcf(const std::vector<Part>& parts) {
  const Vector3<double> anchor(0.3, -0.1, 0.2);  // of the joint in the body frame
  const auto orientation = [](const Matrix3<double>& R) {
    const Quaternion<double> q = quaternion::from_matrix(R);
    return "quat='" + text(q.w()) + ' ' + text(Vector3<double>(q.vec())) + "'";
  };
  const std::function<std::string(int)> below = [&](int parent) {
    std::string all;
    for (int k = parent + 1; k < static_cast<int>(parts.size()); ++k) {
      const Part& p = parts[static_cast<std::size_t>(k)];
      if (p.parent != parent) continue;
      const Pose<double> off = Pose<double>::translation(-anchor),
          T_PB = (parent < 0 ? Pose<double>::identity() : off.inverse()) * pose(p) * off;
      const double unit = p.slides ? 1 : 180 / detail::pi;
      all += "<body name='" + name(k) + "' pos='" + text(T_PB.p) + "' " + orientation(T_PB.R) + "><joint name='j" + std::to_string(k) +
             "' type='" + (p.slides ? "slide" : "hinge") + "' pos='" + text(anchor) + "' axis='" + text(p.axis) + "' damping='" +
             text(p.damping) + "' range='" + text(unit * p.lower) + ' ' + text(unit * p.upper) + "'/><inertial pos='" +
             text(Vector3<double>(anchor + p.com)) + "' " + orientation(detail::rotation_from_rpy(p.rpy_of_inertia)) + " mass='" +
             text(p.mass) + "' diaginertia='" + text(p.moments) + "'/>" + below(k) + "</body>";
    }
    return all;
  };
  return "<mujoco model='r'><worldbody>" + below(-1) + "</worldbody></mujoco>";
}

TEST_CASE("formats: a mechanism has the same inverse dynamics in each format", "[io][sdf][mjcf][fast]") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const std::vector<Part> parts = random_mechanism(random, 7);
  const ReadOptions options{.strict = true, .base = Base::fixed};
  const Model<double> reference = parse_model(urdf(parts), "urdf").model;  // not strict, since the world is declared as a link
  REQUIRE(reference.nv() == 7);
  const auto inverse_dynamics = [&](const Model<double>& model, const VectorXd& q, const VectorXd& v, const VectorXd& a) {
    VectorXd ours(model.nv()), mine(model.nv());
    const auto at = [&](BodyIndex i) { return model.v_index(model.find_joint(reference.joint_name(i))); };
    VectorXd q_of(7), v_of(7), a_of(7);
    for (BodyIndex i = 1; i < 8; ++i) {
      q_of[at(i)] = q[i - 1];
      v_of[at(i)] = v[i - 1];
      a_of[at(i)] = a[i - 1];
    }
    RneaData<double> data(model);
    ours = rnea(model, data, q_of, v_of, a_of);
    for (BodyIndex i = 1; i < 8; ++i) mine[i - 1] = ours[at(i)];
    return mine;
  };
  const VectorXd q = VectorXd::LinSpaced(7, -1, 1.3), v = VectorXd::LinSpaced(7, 2, -1), a = VectorXd::LinSpaced(7, -3, 3);
  const VectorXd tau = inverse_dynamics(reference, q, v, a);
  for (const std::string& other : {sdf(parts, false), sdf(parts, true), mjcf(parts)}) {
    CAPTURE(other);
    const Model<double> model = parse_model(other, "other", options).model;
    REQUIRE(model.nv() == 7);
    CHECK((inverse_dynamics(model, q, v, a) - tau).cwiseAbs().maxCoeff() < 1e-12 * tau.cwiseAbs().maxCoeff());
    for (BodyIndex i = 1; i < 8; ++i) {
      const Eigen::Index at = model.v_index(model.find_joint(reference.joint_name(i))), k = reference.v_index(i);
      CHECK(model.properties().damping[at] == reference.properties().damping[k]);
      CHECK(std::abs(model.properties().lower[at] - reference.properties().lower[k]) < 1e-14);
      CHECK(std::abs(model.properties().upper[at] - reference.properties().upper[k]) < 1e-14);
    }
  }
}

TEST_CASE("formats: each format can be read in single precision", "[io][sdf][mjcf][urdf][fast]") {
  std::mt19937 random(7);
  const std::vector<Part> parts = random_mechanism(random, 5);
  for (const std::string& text : {urdf(parts), sdf(parts, false), mjcf(parts)}) {
    CAPTURE(text);
    const Model<float> model = parse_model<float>(text, "file").model;
    const Model<double> same = parse_model<double>(text, "file").model;
    CHECK(model.nv() == 5);
    for (BodyIndex i = 1; i < 6; ++i) {
      CHECK((model.inertia(i).matrix().cast<double>() - same.inertia(i).matrix()).norm() < 1e-5);
      CHECK(distance(Pose<double>{model.placement(i).R.cast<double>(), model.placement(i).p.cast<double>()}, same.placement(i)) < 1e-6);
    }
  }
}

TEST_CASE("formats: the format of a file is determined by its root element", "[io][sdf][mjcf][urdf][fast]") {
  CHECK(parse_model("<robot name='u'><link name='a'/></robot>", "file").model.name() == "u");
  CHECK(parse_model("<sdf version='1.6'><model name='s'><link name='a'/></model></sdf>", "file").model.name() == "s");
  CHECK(parse_model("<mujoco model='m'><worldbody><body/></worldbody></mujoco>", "file").model.name() == "m");
  const std::string refused = test::refusal<ParseError>([] { return parse_model("<!-- -->\n<model/>", "file"); });
  CHECK(test::missing(refused, {"file:2", "<model>", "<robot>", "<sdf>", "<mujoco>"}) == "");
}

}  // namespace formats_test
