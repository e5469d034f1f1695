// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <key> of MJCF: states with controls, in MuJoCo's layout.
#include <string>
#include <utility>
#include <vector>

#include "actio/io/mjcf/joint_places.hpp"
#include "actio/model/actuator.hpp"

namespace actio::detail::mjcf {

template <Scalar S>
class KeyframeReader {
 public:
  /// @param kept for each actuator of the file, whether it was read.  All arguments must outlive this.
  KeyframeReader(ElementReader& reader, const Model<S>& model, const JointPlaces<S>& places, std::vector<bool> kept)
      : reader_(reader), model_(model), places_(places), kept_(std::move(kept)), layout_(model, peers::mujoco, {.joints = places.order()}) {
    for (const JointsOfBody& body : places.bodies()) {
      if (body.is_floated) continue;
      for (const MjcfJoint& joint : *body.joints) {
        nq_ += joint.type == MjcfJoint::Type::free ? 7 : joint.type == MjcfJoint::Type::ball ? 4 : 1;
        nv_ += joint.type == MjcfJoint::Type::free ? 6 : joint.type == MjcfJoint::Type::ball ? 3 : 1;
      }
    }
  }

  /// Reads a keyframe. Bases that the reader let go stay in the pose of the file.
  Keyframe<S> read(pugi::xml_node node) {
    reader_.ignore_attributes(node, {"name", "time", "qpos", "qvel", "ctrl"});
    Keyframe<S> key{node.attribute("name").value(), rest_state(model_), {}};
    PeerState<S> theirs = layout_.to_peer(key.state);
    const auto numbers = [&](const char* name, std::size_t count) { return reader_.list(node, name, count, count); };
    const std::vector<double> q = numbers("qpos", nq_), v = numbers("qvel", nv_), ctrl = numbers("ctrl", kept_.size());
    if (!q.empty() && !set_configuration(node, q, theirs.q)) return key;
    if (!v.empty()) set_velocity(v, theirs.v);
    key.state = layout_.from_peer(theirs, cast_number<S>(reader_.number(node, "time", 0)));
    std::vector<S> controls;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (kept_[k]) controls.push_back(ctrl.empty() ? S(0) : cast_number<S>(ctrl[k]));
    }
    key.ctrl = Eigen::Map<const VectorX<S>>(controls.data(), static_cast<Eigen::Index>(controls.size()));
    return key;
  }

 private:
  using Type = MjcfJoint::Type;

  bool set_configuration(pugi::xml_node node, const std::vector<double>& file, VectorX<S>& q) {
    std::size_t from = 0;
    Eigen::Index to = 0;
    bool is_sound = true;
    for (const JointsOfBody& body : places_.bodies()) {
      for (const MjcfJoint& joint : *body.joints) {
        const std::size_t size = joint.type == Type::free ? 7 : joint.type == Type::ball ? 4 : 1;
        if (body.is_floated) {
          to += 7;
          continue;
        }
        Eigen::Map<const VectorX<double>> given(file.data() + from, static_cast<Eigen::Index>(size));
        from += size;
        if (body.rests) {
          reader_.warn(node, "key.base", ElementReader::subject_of(node) + ": the base is fixed, its state in qpos and qvel is ignored");
          continue;
        }
        VectorX<double> numbers = given.array() - joint.ref;
        if (size > 1) {
          const double norm = numbers.tail<4>().norm();
          if (norm < 1e-10) {
            reader_.problem(node, "key.quaternion",
                            ElementReader::subject_of(node) + ": the quaternion of joint " + excerpt(joint.name) + " in qpos is zero");
            is_sound = false;
          }
          numbers.tail<4>() /= norm;  // as MuJoCo does
        }
        for (const double x : numbers) q[to++] = cast_number<S>(x);
      }
    }
    return is_sound;
  }

  void set_velocity(const std::vector<double>& file, VectorX<S>& v) {
    std::size_t from = 0;
    Eigen::Index to = 0;
    for (const JointsOfBody& body : places_.bodies()) {
      for (const MjcfJoint& joint : *body.joints) {
        const std::size_t size = joint.type == Type::free ? 6 : joint.type == Type::ball ? 3 : 1;
        if (body.is_floated) {
          to += 6;
          continue;
        }
        for (std::size_t k = 0; k < size && !body.rests; ++k) v[to++] = cast_number<S>(file[from + k]);
        from += size;
      }
    }
  }

  ElementReader& reader_;
  const Model<S>& model_;
  const JointPlaces<S>& places_;
  std::vector<bool> kept_;
  PeerLayout<Model<S>> layout_;
  std::size_t nq_ = 0, nv_ = 0;  // of the file
};

}  // namespace actio::detail::mjcf
