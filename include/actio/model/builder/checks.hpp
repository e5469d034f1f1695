// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The checks of ModelBuilder; include actio/model/builder.hpp.
#include <cmath>
#include <limits>
#include <string>

#include "actio/model/builder/class.hpp"

namespace actio {
template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::throw_if_wrong() const {
  if (problems_.empty()) return;
  std::string text = problems_.front();
  for (std::size_t k = 1; k < problems_.size(); ++k) text += '\n' + problems_[k];
  throw ModelError(text);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_names() {
  const auto check = [&](const char* kind, const std::string& name, const std::string& origin, bool is_new, const std::string& other) {
    if (name.empty()) problem(origin, {"a ", kind, " has no name"});
    else if (!is_new)
      problem(origin, {"two ", kind, "s named '", name, "'", other.empty() ? "" : ", the other at " + other, "; rename one"});
  };
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    if (link.name == detail::world_name) problem(link.origin, {"link 'world': the name is reserved for the world; rename the link"});
    const auto [earlier, is_new] = link_of_name_.emplace(link.name, k);
    check("link", link.name, link.origin, is_new, links_[earlier->second].origin);
  }
  std::map<std::string_view, std::string_view> joint_origin, loop_origin, nonholonomic_origin, spring_origin, force_origin;
  for (const JointEntry& entry : joints_) {
    const auto [earlier, is_new] = joint_origin.emplace(entry.name, entry.origin);
    check("joint", entry.name, entry.origin, is_new, std::string(earlier->second));
  }
  for (const LoopEntry& entry : loops_) {
    const auto [earlier, is_new] = loop_origin.emplace(entry.loop.name, entry.origin);
    check("loop", entry.loop.name, entry.origin, is_new, std::string(earlier->second));
  }
  for (const NonholonomicEntry& entry : nonholonomic_) {
    const auto [earlier, is_new] = nonholonomic_origin.emplace(entry.constraint.name, entry.origin);
    check("nonholonomic constraint", entry.constraint.name, entry.origin, is_new, std::string(earlier->second));
  }
  for (const SpringEntry& entry : springs_) {
    const auto [earlier, is_new] = spring_origin.emplace(entry.spring.name, entry.origin);
    check("spring", entry.spring.name, entry.origin, is_new, std::string(earlier->second));
  }
  for (const ForceEntry& entry : forces_) {
    const auto [earlier, is_new] = force_origin.emplace(entry.force.name, entry.origin);
    check("force", entry.force.name, entry.origin, is_new, std::string(earlier->second));
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_inertias() {
  for (const Link& link : links_) {
    const std::string subject = "link '" + link.name + "': ";
    const Inertia<S>& G = link.inertia;
    if (!is_finite(G.mass)) {
      problem(link.origin, {subject, "mass ", detail::to_text(G.mass), " kg, expected a finite number >= 0"});
    } else if (G.mass < S(0)) {
      problem(link.origin, {subject, "mass ", detail::to_text(G.mass), " kg, expected >= 0"});
    } else if (!G.is_finite()) {
      problem(link.origin, {subject, "the centre of mass or the moments of inertia are not finite"});
    } else if (G.I_com != G.I_com.transpose() && !G.is_positive_semidefinite()) {
      problem(link.origin, {subject, "the inertia matrix is not symmetric"});
    } else if (const bool sound = G.is_positive_semidefinite(); !sound || !G.satisfies_triangle_inequality(ValueOf<S>(1e-6))) {
      const Vector3<ValueOf<S>> moments = G.principal_moments();
      const std::string text =
          detail::concat({subject, "principal moments ", detail::to_text(moments[0]), ", ", detail::to_text(moments[1]), ", ",
                          detail::to_text(moments[2]), " kg m^2", sound ? " violate the triangle inequality" : ", expected >= 0"});
      if (inertia_check_ == InertiaCheck::refuse) problem(link.origin, {text});
      else warn(link.origin, {text});
    }
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_joints() {
  for (const JointEntry& entry : joints_) {
    const std::string subject = "joint '" + entry.name + "': ";
    if (entry.parent != detail::world_name && !link_of_name_.contains(entry.parent)) {
      problem(entry.origin, {subject, "parent link '", entry.parent, "' is not declared: add it or correct the name"});
    }
    if (entry.child == detail::world_name) {
      problem(entry.origin, {subject, "child link is 'world', which can only be a parent"});
    } else if (!link_of_name_.contains(entry.child)) {
      problem(entry.origin, {subject, "child link '", entry.child, "' is not declared: add it or correct the name"});
    }
    if (const std::string why = detail::why_not_rigid(entry.placement); !why.empty()) problem(entry.origin, {subject, "placement", why});
    if (!entry.joint) continue;
    if (const std::string why = detail::why_not_rigid(entry.T_MC); !why.empty())
      problem(entry.origin, {subject, "pose of the child link", why});
    check_properties(entry, detail::facts_of(*entry.joint));
    if (!detail::is_flat_as_claimed(*entry.joint)) problem(entry.origin, {subject, "its type is declared flat, but q (+) x is not q + x"});
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_properties(const JointEntry& entry, const detail::JointFacts& facts) {
  const std::string subject = "joint '" + entry.name + "': ";
  const JointProperties<S>& p = entry.properties;
  const auto check_entries = [&](const char* what, const detail::PerEntry<S>& values, Eigen::Index n, bool may_be_negative,
                                 bool may_be_infinite) {
    if (!values.fits(n)) {
      const std::string wanted = n == 1 ? "1" : "1 or " + std::to_string(n);
      problem(entry.origin, {subject, what, " has ", std::to_string(values.values().size()), " entries, expected ", wanted});
    }
    for (const S& value : values.values()) {
      const ValueOf<S> x = value_of(value);
      if (detail::is_in_range(x, may_be_negative, may_be_infinite)) continue;
      problem(entry.origin,
              {subject, what, " ", detail::to_text(x), ", expected ", detail::range_in_words(may_be_negative, may_be_infinite)});
    }
  };
  detail::for_each_property(p, [&](const char* what, const detail::PerEntry<S>& values, bool may_be_negative, bool may_be_infinite) {
    check_entries(what, values, facts.nv, may_be_negative, may_be_infinite);
  });
  check_entries("rest position", p.rest, facts.nq, true, false);

  const std::string of_type = "a " + std::string(facts.type) + " joint";
  if (!facts.flat && !(p.lower.empty() && p.upper.empty())) {
    problem(entry.origin, {subject, "limits are supported only for joints whose q is a vector, not for ", of_type});
  }
  if (!facts.flat && !p.armature.values().isZero(0)) {  // on a group its kinetic energy would cause gyroscopic forces that no rotor has
    problem(entry.origin, {subject, "armature is supported only for joints whose q is a vector, not for ", of_type});
  }
  if (!facts.flat && !p.force.values().isZero(0)) {
    problem(entry.origin, {subject, "a constant force is supported only for joints whose q is a vector, not for ", of_type});
  }
  if (!p.restitution.empty() && p.restitution.values().maxCoeff() > S(1)) {
    problem(entry.origin, {subject, "restitution ", detail::to_text(p.restitution.values().maxCoeff()), ", expected 0 ... 1"});
  }
  if (!p.lower.fits(facts.nv) || !p.upper.fits(facts.nv)) return;
  const S infinity(std::numeric_limits<ValueOf<S>>::infinity());
  for (Eigen::Index k = 0; k < facts.nv; ++k) {
    const S lower = p.lower(k, S(-infinity)), upper = p.upper(k, infinity);
    if (lower > upper) {
      problem(entry.origin,
              {subject, "lower limit ", detail::to_text(lower), " is above upper limit ", detail::to_text(upper), ": swap them"});
      break;
    }
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_topology() {
  std::vector<const JointEntry*> carrier(links_.size(), nullptr);  // the joint that carries each link
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const JointEntry& entry = joints_[k];
    const JointEntry*& of_child = carrier[link_of_name_.find(entry.child)->second];
    if (of_child && entry.parent == entry.child) {
      problem(entry.origin, {"joint '", entry.name, "' connects link '", entry.child, "' with itself: name another parent or child"});
      continue;
    }
    if (of_child) {
      problem(entry.origin, {"link '", entry.child, "' is the child of two joints, '", of_child->name, "' and '", entry.name,
                             "': replace one of them by a loop constraint"});
      continue;
    }
    of_child = &entry;
    joints_below_[entry.parent].push_back(k);
  }
  check_cycles(carrier);
  check_roots(carrier);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_cycles(const std::vector<const JointEntry*>& carrier) {
  enum class End : unsigned char { unknown, on_this_path, root, cycle };
  std::vector<End> end(links_.size(), End::unknown);  // where the path from a link to its root ends
  for (std::size_t k = 0; k < links_.size(); ++k) {
    std::vector<std::size_t> path;  // from link k towards the root, until its end is known
    std::size_t at = k;
    bool at_root = false;
    while (!at_root && end[at] == End::unknown) {
      end[at] = End::on_this_path;
      path.push_back(at);
      at_root = carrier[at] == nullptr || carrier[at]->parent == detail::world_name;
      if (!at_root) at = link_of_name_.find(carrier[at]->parent)->second;
    }
    const bool closes = !at_root && end[at] == End::on_this_path;
    if (closes) {
      std::string links = links_[at].name, joints;
      for (std::size_t down = path.size(); down-- > 0;) {
        const std::size_t link = path[down];
        links += " -> " + links_[link].name;
        joints += (joints.empty() ? "'" : ", '") + carrier[link]->name + "'";
        if (link == at) break;
      }
      problem(carrier[at]->origin, {"links ", links, " form a cycle through joints ", joints,
                                    ": replace one of them by a loop constraint"});
    }
    const End found = at_root ? End::root : closes ? End::cycle : end[at];
    for (const std::size_t link : path) end[link] = found;
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_roots(const std::vector<const JointEntry*>& carrier) {
  std::vector<const Link*> roots;
  std::string names;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    if (carrier[k]) continue;
    roots.push_back(&links_[k]);
    names += (names.empty() ? "'" : ", '") + links_[k].name + "'";
  }
  if (joints_below_.contains(detail::world_name)) {
    if (base_ == Base::floating) problem({}, {"a floating base was requested, but joints attach the model to 'world'"});
    if (!roots.empty())
      problem(roots[0]->origin, {"no joint connects ", names, " to the tree of 'world', to which others are joined: add a joint for each"});
    return;
  }
  if (roots.size() > 1)
    problem(roots[1]->origin,
            {"there are ", std::to_string(roots.size()), " root links, expected one: ", names, "; add joints that connect them"});
  if (roots.size() != 1) return;
  base_entry_ = JointEntry{base_joint_,        std::string(detail::world_name), roots[0]->name, Pose<S>::identity(), std::nullopt, {}, {},
                           Pose<S>::identity()};
  if (base_ == Base::fixed) return;
  if constexpr (std::constructible_from<Joints, Free<S>>) {
    base_entry_->joint = Joints(Free<S>{});
  } else {
    problem({}, {"a floating base was requested, but the model's list of joint types has no Free joint"});
  }
  for (const JointEntry& entry : joints_) {
    if (entry.name == base_joint_)
      problem(entry.origin, {"joint '", entry.name, "': the joint of the floating base has the same name; rename one"});
  }
}

}  // namespace actio
