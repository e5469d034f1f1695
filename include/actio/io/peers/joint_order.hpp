// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Determines another library's order of a model's joints from their names.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "actio/model/model.hpp"

namespace actio::detail {

/// A joint, or an entry of a cylindrical one.
struct OrderedJoint {
  BodyIndex body;
  Eigen::Index entry = -1;  ///< -1: all entries
};

/// Returns the joints in the listed order, preceded by those that need not be listed: free joints on the world, or all joints in the
/// model's order if the list is empty.
/// @param where begins the error messages.  @throws ModelError that names a joint that does not exist, is listed twice or is missing.
template <class Model>
std::vector<OrderedJoint> joints_in_order(const Model& model, const std::vector<std::string>& listed, const std::string& where) {
  using S = typename Model::Scalar;
  std::map<std::string, OrderedJoint> by_name;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    by_name[model.joint_name(i)] = {i};
    if (!is_joint<Cylindrical<S>>(model, i)) continue;
    for (Eigen::Index k = 0; k < 2; ++k) by_name[model.v_name(model.v_index(i) + k)] = {i, k};
  }

  std::vector<OrderedJoint> order;
  std::vector<bool> taken(static_cast<std::size_t>(model.nv()), false);
  for (const std::string& name : listed) {
    const auto found = by_name.find(name);
    if (found == by_name.end())
      throw ModelError(where + "the model has no joint '" + name + "'; joints without degrees of freedom are not listed");
    const auto [i, entry] = found->second;
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      if (entry >= 0 && k != entry) continue;
      auto is_taken = taken[static_cast<std::size_t>(model.v_index(i) + k)];
      if (is_taken) throw ModelError(where + "joint '" + name + "' is listed twice");
      is_taken = true;
    }
    order.push_back(found->second);
  }

  std::vector<OrderedJoint> first;
  std::string missing;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const auto begin = taken.begin() + model.v_index(i);
    if (model.nv(i) > 0 && std::find(begin, begin + model.nv(i), false) == begin + model.nv(i)) continue;
    if (listed.empty() || (model.parent(i) == 0 && is_joint<Free<S>>(model, i))) first.push_back({i});
    else missing += (missing.empty() ? "" : ", ") + model.joint_name(i);
  }
  if (!missing.empty()) throw ModelError(where + "the list of joints does not contain " + missing);
  order.insert(order.begin(), first.begin(), first.end());
  return order;
}

}  // namespace actio::detail
