// SPDX-License-Identifier: BSD-3-Clause
#include "support/mjcf.hpp"

#include <concepts>
#include <iomanip>
#include <locale>
#include <variant>

namespace experiments {
namespace {

using Numbers = MjcfNumbers;
using actio::BodyIndex;
using Model = actio::Model<double>;

/// Attributes of a pose.
struct Place {
  const actio::Pose<double>& at;
  friend std::ostream& operator<<(std::ostream& out, const Place& place) {
    const actio::Quaternion<double> turn(place.at.R);
    return out << " pos='" << Numbers{place.at.p} << "' quat='" << turn.w() << ' ' << turn.x() << ' ' << turn.y() << ' ' << turn.z() << '\'';
  }
};

void write_joint(std::ostream& file, const Model& model, BodyIndex i) {
  const actio::ModelProperties<double>& all = model.properties();
  const auto open = [&](const char* type, Eigen::Index entry) -> std::ostream& {
    const Eigen::Index k = model.v_index(i) + entry;
    return file << "<joint type='" << type << "' stiffness='" << all.stiffness[k] << "' damping='" << all.damping[k] << "' armature='"
                << all.armature[k] << '\'';
  };
  actio::visit_joint(model, i, [&]<class J>(const J& joint) {
    if constexpr (std::same_as<J, actio::Revolute<double>>) {
      open("hinge", 0) << " axis='" << Numbers{joint.axis()} << "'/>";
    } else if constexpr (std::same_as<J, actio::Universal<double>>) {
      open("hinge", 0) << " axis='" << Numbers{joint.axis()} << "'/>";
      open("hinge", 1) << " axis='" << Numbers{joint.axis2()} << "'/>";
    } else if constexpr (std::same_as<J, actio::Spherical<double>>) {
      open("ball", 0) << "/>";
    } else if constexpr (std::same_as<J, actio::Free<double>>) {
      file << "<freejoint/>";
    } else {
      throw actio::ModelError("write_mjcf_bodies: joint '" + model.joint_name(i) + "' is of a kind that is not written");
    }
  });
}

void write_shape(std::ostream& file, const actio::Shape<double>& shape) {
  file << "<geom" << Place{shape.T_BS};
  std::visit([&]<class G>(const G& geometry) {
    if constexpr (std::same_as<G, actio::Sphere<double>>) {
      file << " type='sphere' size='" << geometry.radius << "'/>";
    } else if constexpr (std::same_as<G, actio::Box<double>>) {
      file << " type='box' size='" << Numbers{actio::Vector3<double>(geometry.size / 2)} << "'/>";
    } else if constexpr (std::same_as<G, actio::Capsule<double>>) {
      file << " type='capsule' size='" << geometry.radius << ' ' << geometry.length / 2 << "'/>";
    } else {
      throw actio::ModelError("write_mjcf_bodies: shape '" + shape.name + "' is of a kind that is not written");
    }
  }, shape.geometry);
}

void write_body(std::ostream& file, const Model& model, BodyIndex i) {
  const actio::Inertia<double>& G = model.inertia(i);
  const actio::Matrix3<double>& I = G.I_com;
  file << "<body name='" << model.body_name(i) << '\'' << Place{model.placement(i)} << '>';
  write_joint(file, model, i);
  file << "<inertial pos='" << Numbers{G.com} << "' mass='" << G.mass << "' fullinertia='" << I(0, 0) << ' ' << I(1, 1) << ' ' << I(2, 2) << ' '
       << I(0, 1) << ' ' << I(0, 2) << ' ' << I(1, 2) << "'/>";
  for (const actio::Shape<double>& shape : model.shapes()) {
    if (shape.body == i) write_shape(file, shape);
  }
  for (BodyIndex child = i + 1; child < model.subtree_end(i); child = model.subtree_end(child)) write_body(file, model, child);
  file << "</body>\n";
}

}  // namespace

void write_mjcf_bodies(std::ostream& file, const Model& model) {
  file.imbue(std::locale::classic());
  file << std::setprecision(17);
  for (BodyIndex i = 1; i < model.num_bodies(); i = model.subtree_end(i)) write_body(file, model, i);
}

}  // namespace experiments
