// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of models with limits and dry friction, for their derivatives.
#include <algorithm>
#include <cmath>

#include "support/bounded_models.hpp"
#include "support/step_map.hpp"

namespace actio::test {

/// Returns v (nv) at a point.
inline Eigen::VectorXd velocity(const Model<double>& model, const StepPoint& at) {
  TreePose<double> tree(model);
  place(model, tree, at.q);
  AbiData<double> mass(model);
  Eigen::VectorXd v(model.nv());
  REQUIRE(abi_factor(model, tree, mass, Eigen::VectorXd::Zero(model.nv())) == 0);
  abi_solve(model, tree, mass, at.p, v);
  return v;
}

/// Gives entries of flat joints limits at or near q, in their way, and all entries dry friction, of which some stick.
/// @param closed_at_begin whether some limits are closed at q, and some joints beyond them, from where they return.
inline Model<double> bounded(const Model<double>& model, StepPoint& at, std::uint64_t seed, double strong, bool closed_at_begin) {
  models::Random random(seed);
  ModelProperties<double> properties = model.properties();
  const Eigen::VectorXd v = velocity(model, at);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      for (int k = 0; k < J::nv; ++k) {
        const Eigen::Index e = model.v_index(i) + k, q = model.q_index(i) + k;
        if (random.happens(0.6)) properties.friction[e] = random.happens(0.5) ? random.uniform(0.1, 1) : strong;
        if (!joints::is_flat<J>() || random.happens(0.5)) continue;
        const double speed = std::abs(v[e]) * at.h;
        const bool touches = closed_at_begin && random.happens(0.5), beyond = closed_at_begin && !touches && random.happens(0.4);
        const double gap = touches ? 0 : beyond ? -0.05 : 0.4 * speed;
        (v[e] < 0 ? properties.lower[e] : properties.upper[e]) = at.q[q] + (v[e] < 0 ? -gap : gap);
        if (touches) at.dq[e] = 0;  // across a closed limit there are derivatives of two sides
      }
    });
  }
  return model.with_properties(properties).with_enforced({.limits = true, .friction = true});
}

/// Returns whether a limit with a spring closes or opens within differences of the interval e: there its force has derivatives of two sides.
/// @param q, q1 (nq) at the ends of the step.
template <class Problem>
bool is_at_edge(const Problem& problem, const Eigen::VectorXd& q, const Eigen::VectorXd& q1, double e) {
  return std::ranges::any_of(problem.bounds(), [&](const auto& bound) {
    return bound.spring.is_soft() && ((bound.gap(q) != 0 && std::abs(bound.gap(q)) < 10 * e) || std::abs(bound.gap(q1)) < 10 * e);
  });
}

}  // namespace actio::test
