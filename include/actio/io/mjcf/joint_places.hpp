// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the joints of an MJCF file are found in the model, in which several may have become one.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/io/mjcf/joint.hpp"
#include "actio/io/peers.hpp"

namespace actio::detail::mjcf {

/// The joints of a body, or of the base that the reader let go or fixed.
struct JointsOfBody {
  const std::vector<MjcfJoint>* joints;
  bool is_floated = false;  ///< its joint is not in the file
  bool rests = false;       ///< its joint is not in the model
};

template <Scalar S>
class JointPlaces {
 public:
  /// @param bodies in the order of the file; they and the model must outlive this.
  JointPlaces(const Model<S>& model, std::vector<JointsOfBody> bodies) : bodies_(std::move(bodies)) {
    std::map<std::string_view, BodyIndex> by_name;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) by_name[model.joint_name(i)] = i;
    for (const JointsOfBody& body : bodies_) {
      if (body.rests) continue;
      std::string merged;
      for (const MjcfJoint& joint : *body.joints) merged += (merged.empty() ? "" : "+") + joint.name;
      const auto found = body.joints->size() > 1 ? by_name.find(merged) : by_name.end();
      if (found == by_name.end()) {
        for (const MjcfJoint& joint : *body.joints) add(joint, by_name.at(joint.name), 0, joint.name);
        continue;
      }
      const BodyIndex i = found->second;
      const bool is_cylindrical = is_joint<Cylindrical<S>>(model, i);
      for (std::size_t k = 0; k < body.joints->size(); ++k) {
        const MjcfJoint& joint = (*body.joints)[k];
        const Eigen::Index entry = !is_cylindrical ? static_cast<Eigen::Index>(k) : joint.type == MjcfJoint::Type::hinge ? 0 : 1;
        add(joint, i, entry, is_cylindrical ? model.v_name(model.v_index(i) + entry) : k == 0 ? merged : "");
      }
    }
  }

  /// Returns the body and the entry of its joint.  @pre the joint is in the model
  std::pair<BodyIndex, Eigen::Index> find(const std::string& joint) const { return places_.at(joint); }
  const std::vector<JointsOfBody>& bodies() const { return bodies_; }      ///< in the order of the file
  /// Returns the joints of the model in MuJoCo's order.
  const std::vector<std::string>& order() const { return order_; }

 private:
  void add(const MjcfJoint& joint, BodyIndex body, Eigen::Index entry, const std::string& listed) {
    places_[joint.name] = {body, entry};
    if (!listed.empty()) order_.push_back(listed);
  }

  std::vector<JointsOfBody> bodies_;
  std::map<std::string, std::pair<BodyIndex, Eigen::Index>> places_;
  std::vector<std::string> order_;
};

}  // namespace actio::detail::mjcf
