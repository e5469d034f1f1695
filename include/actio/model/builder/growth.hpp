// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How ModelBuilder builds a Model after the checks; include actio/model/builder.hpp.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "actio/model/builder/class.hpp"

namespace actio {

template <Scalar S, class Joints>
Model<S, Joints> ModelBuilder<S, Joints>::build() {
  problems_.clear();
  warnings_.clear();
  link_of_name_.clear();
  joints_below_.clear();
  seats_.clear();
  entry_of_body_.clear();
  base_entry_.reset();
  if (!detail::all_finite(gravity_)) problem({}, {"model '", name_, "': gravity is ", detail::to_text(gravity_), ", expected finite numbers"});
  if (links_.empty()) problem({}, {"model '", name_, "' has no links: add a body"});
  check_names();
  check_inertias();
  check_joints();
  throw_if_wrong();  // the topology needs valid names
  check_topology();
  throw_if_wrong();

  Model<S, Joints> model;
  model.name_ = name_;
  model.gravity_ = gravity_;
  grow(model);
  set_properties(model);
  add_frames(model);
  add_loops(model);
  add_couplings(model);
  set_nonholonomic(model);
  add_point_forces(model);
  add_shapes(model);
  throw_if_wrong();
  return model;
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::grow(Model<S, Joints>& model) {
  const std::string world(detail::world_name);
  model.bodies_.push_back({});
  model.names_.push_back({world, {}});
  seats_[world] = {0, Pose<S>::identity()};
  model.frames_.push_back({world, 0, Pose<S>::identity()});
  std::vector<int> depth{0};

  // Depth first without recursion, so that long chains do not exhaust the stack; the child of a fixed joint stays on its parent's body.
  std::vector<const JointEntry*> open;
  const auto push_below = [&](const std::string& link) {
    const auto below = joints_below_.find(link);
    if (below == joints_below_.end()) return;
    for (auto k = below->second.rbegin(); k != below->second.rend(); ++k) open.push_back(&joints_[*k]);
  };
  if (base_entry_) open.push_back(&*base_entry_);
  else push_below(world);
  while (!open.empty()) {
    const JointEntry& entry = *open.back();
    open.pop_back();
    const Seat at = seats_.find(entry.parent)->second;
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
    if (i == 0) break;
    BodyIndex& end = model.mutable_body(body.parent).subtree_end;
    end = std::max(end, body.subtree_end);
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::attach(Model<S, Joints>& model, BodyIndex parent, const Pose<S>& placement, const JointEntry& entry) {
  const detail::JointFacts facts = detail::facts_of(*entry.joint);
  typename Model<S, Joints>::Body body;
  body.parent = parent;
  body.mount = std::visit([&](const auto& joint) { return joints::mount(joint, placement); }, *entry.joint);
  body.q = model.nq_;
  body.v = model.nv_;
  body.nq = facts.nq;
  body.nv = facts.nv;
  model.nq_ += body.nq;
  model.nv_ += body.nv;
  model.bodies_.push_back(body);
  model.joints_.push_back(*entry.joint);
  model.names_.push_back({entry.child, entry.name});
  entry_of_body_.push_back(&entry);
  seat(model, entry.child, model.num_bodies() - 1, entry.T_MC);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::seat(Model<S, Joints>& model, const std::string& link, BodyIndex body, const Pose<S>& T) {
  seats_[link] = {body, T};
  model.frames_.push_back({link, body, T});
  model.mutable_body(body).inertia += links_[link_of_name_.find(link)->second].inertia.seen_from_parent(T);
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::set_properties(Model<S, Joints>& model) {
  using Property = std::pair<VectorX<S> ModelProperties<S>::*, detail::PerEntry<S> JointProperties<S>::*>;
  using All = ModelProperties<S>;
  using Each = JointProperties<S>;
  const Property from_zero[] = {{&All::damping, &Each::damping}, {&All::armature, &Each::armature},  //
                                {&All::stiffness, &Each::stiffness}, {&All::friction, &Each::friction},
                                {&All::restitution, &Each::restitution}, {&All::force, &Each::force}};
  const Property from_infinity[] = {{&All::upper, &Each::upper}, {&All::velocity_limit, &Each::velocity_limit},
                                    {&All::effort_limit, &Each::effort_limit}};
  const S infinity(std::numeric_limits<ValueOf<S>>::infinity());

  All& all = model.properties_;
  const auto fill = [&](const Property& property, const S& otherwise) {
    VectorX<S>& to = all.*property.first;
    to.resize(model.nv_);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const detail::PerEntry<S>& from = entry_of_body_[static_cast<std::size_t>(i - 1)]->properties.*property.second;
      for (Eigen::Index k = 0; k < model.nv(i); ++k) to[model.v_index(i) + k] = from(k, otherwise);
    }
  };
  for (const Property& property : from_zero) fill(property, S(0));
  for (const Property& property : from_infinity) fill(property, infinity);
  fill({&All::lower, &Each::lower}, S(-infinity));

  model.neutral_.resize(model.nq_);
  all.rest.resize(model.nq_);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const JointEntry& entry = *entry_of_body_[static_cast<std::size_t>(i - 1)];
    const bool sound = visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const typename J::Config neutral = joints::neutral(joint);
      typename J::Config rest;
      for (Eigen::Index k = 0; k < J::nq; ++k) rest[k] = entry.properties.rest(k, neutral[k]);
      model.template q_of<J>(i, model.neutral_) = neutral;
      model.template q_of<J>(i, all.rest) = rest;
      return joints::is_valid(joint, rest);
    });
    if (!sound) problem(entry.origin, {"joint '", entry.name, "': the rest position is not a valid configuration: expected a unit quaternion"});
  }
}

template <Scalar S, class Joints>
auto ModelBuilder<S, Joints>::find_seat(const std::string& link, const std::string& subject, const std::string& origin) -> const Seat* {
  const auto found = seats_.find(link);
  if (found != seats_.end()) return &found->second;
  problem(origin, {subject, ": link '", link, "' is not declared: add it or correct the name"});
  return nullptr;
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::add_frames(Model<S, Joints>& model) {
  std::set<std::string_view> names;
  for (const FrameEntry& entry : frames_) {
    const std::string subject = "frame '" + entry.name + "'";
    if (entry.name.empty()) problem(entry.origin, {"a frame has no name"});
    else if (seats_.contains(entry.name))
      problem(entry.origin, {subject, ": a link has the same name, and each link is a frame; rename one"});
    else if (!names.insert(entry.name).second) problem(entry.origin, {"two frames named '", entry.name, "'; rename one"});
    if (const std::string why = detail::why_not_rigid(entry.T); !why.empty()) problem(entry.origin, {subject, ": pose", why});
    if (const Seat* at = find_seat(entry.link, subject, entry.origin)) model.frames_.push_back({entry.name, at->body, at->T * entry.T});
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::add_loops(Model<S, Joints>& model) {
  for (const LoopEntry& entry : loops_) {
    const std::string subject = "loop '" + entry.loop.name + "'";
    Loop<S> loop = entry.loop;
    for (const Pose<S>* T : {&loop.T_A, &loop.T_B}) {
      if (const std::string why = detail::why_not_rigid(*T); !why.empty()) {
        problem(entry.origin, {subject, ": frame ", (T == &loop.T_A ? "A" : "B"), why});
      }
    }
    if (loop.type == LoopType::distance && !(is_finite(loop.length) && loop.length > S(0))) {
      problem(entry.origin, {subject, ": length ", detail::to_text(loop.length), " m, expected > 0"});
    }
    try {
      loop.axis = detail::unit_axis(loop.axis, subject);
      loop.axis2 = detail::unit_axis(loop.axis2, subject);
    } catch (const ModelError& error) {
      problem(entry.origin, {error.what()});
    }
    const Seat* a = find_seat(entry.a, subject, entry.origin);
    const Seat* b = find_seat(entry.b, subject, entry.origin);
    if (!a || !b) continue;
    if (a->body == b->body) problem(entry.origin, {subject, ": links '", entry.a, "' and '", entry.b, "' are one rigid body"});
    loop.body_a = a->body;
    loop.body_b = b->body;
    loop.T_A = a->T * loop.T_A;
    loop.T_B = b->T * loop.T_B;
    model.loops_.push_back(std::move(loop));
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::add_couplings(Model<S, Joints>& model) {
  std::map<std::string_view, BodyIndex> body_of_joint;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) body_of_joint.emplace(model.joint_name(i), i);
  const auto body_on = [&](const std::string& joint) {
    const auto found = body_of_joint.find(joint);
    return found == body_of_joint.end() ? BodyIndex{0} : found->second;
  };
  std::map<BodyIndex, BodyIndex> leader_of;
  std::vector<BodyIndex> ahead(static_cast<std::size_t>(model.num_bodies()), 0);  // a joint further up the chain of leaders, or 0
  const auto last_leader = [&](BodyIndex joint) {  // shortens the path it follows, so that long chains cost little
    const auto next = [&](BodyIndex i) -> BodyIndex& { return ahead[static_cast<std::size_t>(i)]; };
    while (next(joint) != 0) {
      if (next(next(joint)) != 0) next(joint) = next(next(joint));
      joint = next(joint);
    }
    return joint;
  };
  for (const CouplingEntry& entry : couplings_) {
    const std::string subject = "joint '" + entry.follower + "'", leader_name = "'" + entry.leader + "'";
    const BodyIndex follower = body_on(entry.follower), leader = body_on(entry.leader);
    std::string why;
    if (follower == 0) why = " mimics " + leader_name + ", but is not a moving joint of the model";
    else if (leader == 0) why = " mimics " + leader_name + ", which is not a moving joint of the model: correct the name";
    else if (leader == follower) why = " mimics itself";
    else if (leader_of.contains(follower)) why = " mimics two joints, '" + model.joint_name(leader_of[follower]) + "' and " + leader_name;
    else if (last_leader(leader) == follower) why = " mimics " + leader_name + ", which mimics it in turn";
    else if (model.nv(follower) != 1 || model.nv(leader) != 1) why = " mimics " + leader_name + ": both must have one degree of freedom";
    else if (!is_finite(entry.ratio) || !is_finite(entry.offset))
      why = " mimics " + leader_name + ", but the multiplier or the offset is not finite";
    if (!why.empty()) {
      problem(entry.origin, {subject, why});
      continue;
    }
    leader_of[follower] = ahead[static_cast<std::size_t>(follower)] = leader;
    Coupling<S> coupling;
    coupling.name = entry.follower;
    coupling.follower_body = follower;
    coupling.leader_body = leader;
    coupling.follower_q = model.q_index(follower);
    coupling.leader_q = model.q_index(leader);
    coupling.follower_v = model.v_index(follower);
    coupling.leader_v = model.v_index(leader);
    coupling.ratio = entry.ratio;
    coupling.offset = entry.offset;
    model.couplings_.push_back(std::move(coupling));
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::set_nonholonomic(Model<S, Joints>& model) {
  for (const NonholonomicEntry& entry : nonholonomic_) {
    Nonholonomic<S> constraint = entry.constraint;
    const std::string subject = detail::title(constraint) + " of link '" + entry.link + "': ";
    for (const std::string& why : detail::normalize(constraint)) problem(entry.origin, {subject, why});
    const Seat* at = find_seat(entry.link, detail::title(constraint), entry.origin);
    if (!at) continue;
    if (at->body == 0) problem(entry.origin, {subject, "the link is fixed to the world, expected one that moves"});
    constraint.body = at->body;
    if (auto* rolling = std::get_if<Rolling<S>>(&constraint.type)) {
      rolling->center = at->T * rolling->center;
      rolling->axle = at->T.R * rolling->axle;
    } else {
      auto& knife = std::get<KnifeEdge<S>>(constraint.type);
      knife.point = at->T * knife.point;
      knife.across = at->T.R * knife.across;
    }
    model.nonholonomic_.push_back(std::move(constraint));
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::add_point_forces(Model<S, Joints>& model) {
  for (const SpringEntry& entry : springs_) {
    const std::string subject = detail::title(entry.spring);
    if (const std::string why = detail::why_not_sound(entry.spring); !why.empty()) problem(entry.origin, {subject, ": ", why});
    const Seat* a = find_seat(entry.a, subject, entry.origin);
    const Seat* b = find_seat(entry.b, subject, entry.origin);
    if (!a || !b) continue;
    if (a->body == b->body) problem(entry.origin, {subject, ": links '", entry.a, "' and '", entry.b, "' are one rigid body"});
    PointSpring<S> spring = entry.spring;
    spring.body_a = a->body;
    spring.body_b = b->body;
    spring.point_a = a->T * spring.point_a;
    spring.point_b = b->T * spring.point_b;
    model.springs_.push_back(std::move(spring));
  }
  for (const ForceEntry& entry : forces_) {
    const std::string subject = detail::title(entry.force);
    if (const std::string why = detail::why_not_sound(entry.force); !why.empty()) problem(entry.origin, {subject, ": ", why});
    const Seat* at = find_seat(entry.link, subject, entry.origin);
    if (!at) continue;
    if (at->body == 0) problem(entry.origin, {subject, ": link '", entry.link, "' is fixed to the world, expected one that moves"});
    PointForce<S> force = entry.force;
    force.body = at->body;
    force.point = at->T * force.point;
    model.forces_.push_back(std::move(force));
  }
}

template <Scalar S, class Joints>
void ModelBuilder<S, Joints>::add_shapes(Model<S, Joints>& model) {
  for (const ShapeEntry& entry : shapes_) {
    const std::string subject = "shape '" + entry.shape.name + "' of link '" + entry.link + "'";
    if (const std::string why = detail::why_not_rigid(entry.shape.T_BS); !why.empty()) problem(entry.origin, {subject, ": pose", why});
    if (const std::string why = detail::why_not_sound(entry.shape.geometry); !why.empty()) problem(entry.origin, {subject, ": ", why});
    const Seat* at = find_seat(entry.link, subject, entry.origin);
    if (!at) continue;
    Shape<S> shape = entry.shape;
    shape.body = at->body;
    shape.T_BS = at->T * shape.T_BS;
    model.shapes_.push_back(std::move(shape));
  }
}

}  // namespace actio
