// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How ModelBuilder checks and grows the tree; include actio/model/builder.hpp.
#include <algorithm>
#include <set>
#include <sstream>

#include "actio/model/builder.hpp"

namespace actio {
namespace detail {
inline constexpr std::string_view world_name = "world";

template <class T>
std::string to_text(const T& value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(9);
  text << value;
  return text.str();
}

template <Scalar S>
bool is_rigid_motion(const Pose<S>& T) {
  if (!T.R.unaryExpr([](const S& x) { return S(is_finite(x) ? 1 : 0); }).isOnes() || !T.p.unaryExpr([](const S& x) { return S(is_finite(x) ? 1 : 0); }).isOnes()) return false;
  const ValueOf<S> error = value_of(S((T.R.transpose() * T.R - Matrix3<S>::Identity()).cwiseAbs().maxCoeff()));
  return error < 1000 * epsilon<S> && value_of(S(T.R.determinant())) > 0;
}
}  // namespace detail

template <Scalar S, class Joints>
Model<S, Joints> ModelBuilder<S, Joints>::build() {
  problems_.clear();
  warnings_.clear();
  link_of_name_.clear();
  joints_below_.clear();
  seats_.clear();
  entry_of_body_.clear();
  base_entry_.reset();
  if (!gravity_.allFinite()) problem({}, "gravity is not finite");
  if (links_.empty()) problem({}, "model '" + name_ + "' has no links");
  check_names();
  check_inertias();
  check_joints();
  throw_if_wrong();  // topology needs sound names
  check_topology();
  throw_if_wrong();

  Model<S, Joints> model;
  model.name_ = name_;
  model.gravity_ = gravity_;
  grow(model);
  set_properties(model);
  fasten(model);
  throw_if_wrong();
  return model;
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::throw_if_wrong() const {
  if (problems_.empty()) return;
  std::string text = problems_.front();
  for (std::size_t k = 1; k < problems_.size(); ++k) text += '\n' + problems_[k];
  throw ModelError(text);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_names() {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    if (link.name.empty()) problem(link.origin, "a link has no name");
    if (link.name == detail::world_name) problem(link.origin, "link 'world': the name is reserved for the world");
    const auto [earlier, is_new] = link_of_name_.emplace(link.name, k);
    if (!is_new) {
      const std::string& where = links_[earlier->second].origin;
      problem(link.origin, "two links named '" + link.name + "'" + (where.empty() ? "" : ", the other at " + where));
    }
  }
  std::map<std::string, const JointEntry*, std::less<>> joint_of_name;
  for (const JointEntry& joint : joints_) {
    if (joint.name.empty()) problem(joint.origin, "a joint has no name");
    const auto [earlier, is_new] = joint_of_name.emplace(joint.name, &joint);
    if (!is_new) {
      const std::string& where = earlier->second->origin;
      problem(joint.origin, "two joints named '" + joint.name + "'" + (where.empty() ? "" : ", the other at " + where));
    }
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_inertias() {
  for (const Link& link : links_) {
    const std::string who = "link '" + link.name + "': ";
    const Inertia<S>& G = link.inertia;
    if (!G.is_finite()) {
      problem(link.origin, who + "inertia is not finite: mass " + detail::to_text(value_of(G.mass)) + " kg");
    } else if (G.mass < S(0)) {
      problem(link.origin, who + "mass " + detail::to_text(value_of(G.mass)) + " kg, expected >= 0");
    } else if (!G.is_positive_semidefinite() || !G.satisfies_triangle_inequality(ValueOf<S>(1e-6))) {
      const Vector3<S> moments = G.principal_moments();
      const std::string text = who + "principal moments " + detail::to_text(value_of(moments[0])) + ", " + detail::to_text(value_of(moments[1])) + ", " +
                               detail::to_text(value_of(moments[2])) +
                               (G.is_positive_semidefinite() ? " kg m^2 violate the triangle inequality" : " kg m^2, expected >= 0");
      inertia_check_ == InertiaCheck::refuse ? problem(link.origin, text) : warn(link.origin, text);
    }
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_joints() {
  for (const JointEntry& entry : joints_) {
    const std::string who = "joint '" + entry.name + "': ";
    if (entry.parent != detail::world_name && !link_of_name_.contains(entry.parent)) problem(entry.origin, who + "parent link '" + entry.parent + "' is not declared");
    if (!link_of_name_.contains(entry.child)) problem(entry.origin, who + "child link '" + entry.child + "' is not declared");
    if (!detail::is_rigid_motion(entry.placement)) problem(entry.origin, who + "placement is not a finite rigid motion");
    if (!entry.joint) continue;
    std::visit([&]<JointType J>(const J& joint) {
      const JointProperties<S>& p = entry.properties;
      const auto check = [&](const PerEntry<S>& values, const char* what, Eigen::Index n, ValueOf<S> least, bool finite) {
        if (!values.fits(n)) problem(entry.origin, who + what + " has " + std::to_string(values.values().size()) + " entries, expected 1 or " + std::to_string(n));
        for (const S& value : values.values()) {
          if (!(value_of(value) >= least) || (finite && !is_finite(value))) {
            problem(entry.origin, who + what + " " + detail::to_text(value_of(value)) + ", expected " + (least == 0 ? ">= 0" : "a finite number"));
          }
        }
      };
      const ValueOf<S> lowest = -std::numeric_limits<ValueOf<S>>::infinity();
      check(p.damping, "damping", J::nv, 0, true);
      check(p.armature, "armature", J::nv, 0, true);
      check(p.stiffness, "stiffness", J::nv, 0, true);
      check(p.rest, "rest position", J::nq, lowest, true);
      check(p.friction, "friction", J::nv, 0, true);
      check(p.lower, "lower limit", J::nv, lowest, false);
      check(p.upper, "upper limit", J::nv, lowest, false);
      check(p.velocity_limit, "velocity limit", J::nv, 0, false);
      check(p.effort_limit, "effort limit", J::nv, 0, false);
      if ((!p.lower.empty() || !p.upper.empty()) && !joints::is_flat<J>()) problem(entry.origin, who + "limits are for joints whose q is a vector");
      if ((!p.armature.empty() || !p.stiffness.empty()) && !joints::has_dlog<J>()) problem(entry.origin, who + "armature and springs need a joint with dlog");
      for (Eigen::Index k = 0; k < J::nv && p.lower.fits(J::nv) && p.upper.fits(J::nv); ++k) {
        const S lower = p.lower(k, S(lowest)), upper = p.upper(k, S(-lowest));
        if (lower > upper) problem(entry.origin, who + "lower limit " + detail::to_text(value_of(lower)) + " is above upper limit " + detail::to_text(value_of(upper)));
      }
      if constexpr (joints::is_flat<J>()) {  // a joint of the user's that claims it wrongly would be integrated wrongly
        const typename J::Tangent probe = J::Tangent::Constant(S(0.5));
        const typename J::Config q = joint.integrate(joint.integrate(joints::neutral(joint), probe), probe);
        if (!q.isApprox(joints::neutral(joint) + S(2) * probe)) problem(entry.origin, who + "claims to be flat, but q (+) x is not q + x");
      }
    }, *entry.joint);
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::check_topology() {
  std::map<std::string_view, const JointEntry*> carrier;  // child link -> its joint
  for (const JointEntry& entry : joints_) {
    const auto [earlier, is_new] = carrier.emplace(entry.child, &entry);
    if (!is_new) problem(entry.origin, "link '" + entry.child + "' hangs on two joints, '" + earlier->second->name + "' and '" + entry.name + "': close a loop by a loop constraint");
    joints_below_[entry.parent].push_back(static_cast<std::size_t>(&entry - joints_.data()));
  }
  std::vector<const Link*> roots;
  for (const Link& link : links_) {
    if (!carrier.contains(link.name)) roots.push_back(&link);
  }
  const bool world_is_named = joints_below_.contains(detail::world_name);
  if (world_is_named && base_ == Base::floating) problem({}, "a floating base was asked for, but joints fix the model to 'world'");
  if (world_is_named && !roots.empty()) problem(roots.front()->origin, "link '" + roots.front()->name + "' hangs on no joint, while other joints fix the model to 'world'");
  if (!world_is_named && roots.size() > 1) {
    std::string names;
    for (const Link* root : roots) names += (names.empty() ? "'" : ", '") + root->name + "'";
    problem(roots[1]->origin, "there are " + std::to_string(roots.size()) + " root links, expected one: " + names);
  }
  // Links that no path joins to a root or the world lie on a cycle or behind one.
  std::set<std::string_view> sound{detail::world_name}, reported;
  for (const Link* root : roots) sound.insert(root->name);
  for (const Link& link : links_) {
    std::vector<std::string_view> path;
    std::string_view at = link.name;
    while (!sound.contains(at) && !reported.contains(at) && std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      at = carrier.at(at)->parent;
    }
    if (sound.contains(at)) {
      sound.insert(path.begin(), path.end());
      continue;
    }
    if (!reported.contains(at)) {
      std::string cycle_links, cycle_joints;
      const auto begin = std::find(path.begin(), path.end(), at);
      for (auto it = std::make_reverse_iterator(path.end()); it != std::make_reverse_iterator(begin); ++it) {
        cycle_links += std::string(*it) + " -> ";
        cycle_joints += (cycle_joints.empty() ? "'" : ", '") + carrier.at(*it)->name + "'";
      }
      problem(carrier.at(at)->origin, "links " + cycle_links + std::string(path.back()) + " form a cycle through joints " + cycle_joints +
                                          ": leave one joint out and close the loop by a loop constraint");
    }
    reported.insert(path.begin(), path.end());
  }
  if (!world_is_named && roots.size() == 1) {
    base_entry_ = JointEntry{base_joint_, std::string(detail::world_name), roots.front()->name, Pose<S>::identity(), std::nullopt, {}, {}};
    if (base_ == Base::floating) {
      if constexpr (std::constructible_from<Joints, Free<S>>) base_entry_->joint = Joints(Free<S>{});
      else problem({}, "a floating base was asked for, but the joint list has no Free joint");
    }
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::grow(Model<S, Joints>& model) {
  model.bodies_.push_back({});
  model.names_.push_back({std::string(detail::world_name), {}});
  seats_[std::string(detail::world_name)] = {0, Pose<S>::identity()};
  model.frames_.push_back({std::string(detail::world_name), 0, Pose<S>::identity()});
  std::vector<int> depth{0};

  // Depth first without recursion, so that long chains do not exhaust the stack; a fixed joint stays on its parent's body.
  std::vector<const JointEntry*> open;
  const auto push_below = [&](const std::string& link) {
    const auto below = joints_below_.find(link);
    if (below == joints_below_.end()) return;
    for (auto k = below->second.rbegin(); k != below->second.rend(); ++k) open.push_back(&joints_[*k]);
  };
  if (base_entry_) open.push_back(&*base_entry_);
  else push_below(std::string(detail::world_name));
  while (!open.empty()) {
    const JointEntry& entry = *open.back();
    open.pop_back();
    const Seat at = seats_.at(entry.parent);
    const Pose<S> placement = at.T * entry.placement;
    if (entry.joint) {
      depth.push_back(depth[static_cast<std::size_t>(at.body)] + 1);
      model.depth_ = std::max(model.depth_, depth.back());
      attach(model, at.body, placement, entry);
    } else {
      seat(model, entry.child, at.body, placement);
    }
    push_below(entry.child);
  }
  for (BodyIndex i = model.num_bodies(); i-- > 0;) {
    auto& body = model.mutable_body(i);
    body.subtree_end = std::max(body.subtree_end, i + 1);
    if (i > 0) model.mutable_body(body.parent).subtree_end = std::max(model.mutable_body(body.parent).subtree_end, body.subtree_end);
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::attach(Model<S, Joints>& model, BodyIndex parent, const Pose<S>& placement, const JointEntry& entry) {
  typename Model<S, Joints>::Body body;
  body.parent = parent;
  body.placement = placement;
  body.q = model.nq_;
  body.v = model.nv_;
  std::visit([&]<JointType J>(const J&) { body.nq = J::nq; body.nv = J::nv; }, *entry.joint);
  model.nq_ += body.nq;
  model.nv_ += body.nv;
  model.bodies_.push_back(body);
  model.joints_.push_back(*entry.joint);
  model.names_.push_back({entry.child, entry.name});
  entry_of_body_.push_back(&entry);
  seat(model, entry.child, model.num_bodies() - 1, Pose<S>::identity());
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::seat(Model<S, Joints>& model, const std::string& link, BodyIndex body, const Pose<S>& T) {
  seats_[link] = {body, T};
  model.frames_.push_back({link, body, T});
  Inertia<S>& G = model.mutable_body(body).inertia;
  G = G + links_[link_of_name_.find(link)->second].inertia.seen_from_parent(T);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::set_properties(Model<S, Joints>& model) {
  ModelProperties<S>& all = model.properties_;
  const S infinity(std::numeric_limits<ValueOf<S>>::infinity());
  for (VectorX<S>* zero : {&all.damping, &all.armature, &all.stiffness, &all.friction}) zero->setZero(model.nv_);
  for (VectorX<S>* none : {&all.upper, &all.velocity_limit, &all.effort_limit}) none->setConstant(model.nv_, infinity);
  all.lower.setConstant(model.nv_, -infinity);
  model.neutral_.resize(model.nq_);
  all.rest.resize(model.nq_);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const JointEntry& entry = *entry_of_body_[static_cast<std::size_t>(i - 1)];
    const JointProperties<S>& p = entry.properties;
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      model.template q_of<J>(i, model.neutral_) = joints::neutral(joint);
      for (Eigen::Index k = 0; k < J::nq; ++k) all.rest[model.q_index(i) + k] = p.rest(k, model.neutral_[model.q_index(i) + k]);
      const typename J::Config rest = model.template q_of<J>(i, all.rest);
      if (!joints::is_valid(joint, rest)) problem(entry.origin, "joint '" + entry.name + "': rest position is no configuration");
      for (Eigen::Index k = 0; k < J::nv; ++k) {
        const Eigen::Index at = model.v_index(i) + k;
        const std::pair<VectorX<S>*, const PerEntry<S>*> fields[] = {{&all.damping, &p.damping}, {&all.armature, &p.armature}, {&all.stiffness, &p.stiffness}, {&all.friction, &p.friction}, {&all.lower, &p.lower}, {&all.upper, &p.upper}, {&all.velocity_limit, &p.velocity_limit}, {&all.effort_limit, &p.effort_limit}};
        for (const auto& [to, from] : fields) (*to)[at] = (*from)(k, (*to)[at]);
      }
    });
  }
}

template <Scalar S, class Joints>
const typename ModelBuilder<S, Joints>::Seat* ModelBuilder<S, Joints>::find_seat(const std::string& link, const std::string& what, const std::string& origin) {
  const auto found = seats_.find(link);
  if (found != seats_.end()) return &found->second;
  problem(origin, what + ": link '" + link + "' is not declared");
  return nullptr;
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::fasten(Model<S, Joints>& model) {
  for (const FrameEntry& entry : frames_) {
    if (!detail::is_rigid_motion(entry.T)) problem(entry.origin, "frame '" + entry.name + "': pose is not a finite rigid motion");
    if (const Seat* at = find_seat(entry.link, "frame '" + entry.name + "'", entry.origin)) model.frames_.push_back({entry.name, at->body, at->T * entry.T});
  }
  for (const LoopEntry& entry : loops_) {
    const std::string who = "loop '" + entry.loop.name + "'";
    if (!detail::is_rigid_motion(entry.loop.T_A) || !detail::is_rigid_motion(entry.loop.T_B)) problem(entry.origin, who + ": a frame is not a finite rigid motion");
    const Seat* a = find_seat(entry.a, who, entry.origin);
    const Seat* b = find_seat(entry.b, who, entry.origin);
    if (!a || !b) continue;
    if (a->body == b->body) problem(entry.origin, who + ": links '" + entry.a + "' and '" + entry.b + "' are one rigid body");
    Loop<S> loop = entry.loop;
    loop.body_a = a->body;
    loop.body_b = b->body;
    loop.T_A = a->T * loop.T_A;
    loop.T_B = b->T * loop.T_B;
    try {
      loop.axis = detail::unit_axis(loop.axis, who);
      loop.axis2 = detail::unit_axis(loop.axis2, who);
    } catch (const ModelError& error) { problem(entry.origin, error.what()); }
    model.loops_.push_back(std::move(loop));
  }
  const auto joint_named = [&](const std::string& name) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (model.joint_name(i) == name) return i;
    }
    return BodyIndex{0};
  };
  for (const CouplingEntry& entry : couplings_) {
    const std::string who = "joint '" + entry.follower + "'";
    const BodyIndex follower = joint_named(entry.follower), leader = joint_named(entry.leader);
    if (follower == 0) problem(entry.origin, who + " is to follow '" + entry.leader + "', but is no moving joint");
    else if (leader == 0) problem(entry.origin, who + " mimics unknown joint '" + entry.leader + "'");
    else if (std::any_of(model.couplings_.begin(), model.couplings_.end(), [&](const Coupling<S>& c) { return c.follower_body == follower; })) problem(entry.origin, who + " mimics two joints");
    else if (leader == follower) problem(entry.origin, who + " mimics itself");
    else if (model.nv(follower) != 1 || model.nv(leader) != 1) problem(entry.origin, who + " mimics '" + entry.leader + "': both must have one freedom");
    else if (!is_finite(entry.ratio) || !is_finite(entry.offset)) problem(entry.origin, who + ": multiplier or offset is not finite");
    else model.couplings_.push_back({entry.follower, follower, leader, model.q_index(follower), model.q_index(leader), model.v_index(follower), model.v_index(leader), entry.ratio, entry.offset, true});
  }
  for (const ShapeEntry& entry : shapes_) {
    if (const Seat* at = find_seat(entry.link, "shape '" + entry.shape.name + "'", entry.origin)) {
      Shape<S> shape = entry.shape;
      shape.body = at->body;
      shape.T_BS = at->T * shape.T_BS;
      if (!detail::is_rigid_motion(shape.T_BS)) problem(entry.origin, "shape '" + shape.name + "' of link '" + entry.link + "': pose is not a finite rigid motion");
      model.shapes_.push_back(std::move(shape));
    }
  }
}

}  // namespace actio
