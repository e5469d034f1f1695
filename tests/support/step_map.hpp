// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A step of the variational integrator as a function of all of its inputs.
#include <optional>
#include <utility>

#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/solvers/root/newton.hpp"
#include "support/catch.hpp"

namespace actio::test {

/// The inputs of a step, and a direction in which they vary.
struct StepPoint {
  Eigen::VectorXd q, p, tau0, tau1, dq, dp, dtau0, dtau1;
  double h;
  SpringRule springs = SpringRule::midpoint;
  bool closes = true;  // loops and couplings, where q varies

  template <class ModelType>
  StepPoint(const ModelType& model, std::uint64_t seed, double step) : q(models::random_configuration(model, seed)), h(step) {
    models::Random random(seed + 1000);
    for (Eigen::VectorXd* x : {&tau0, &tau1, &dq, &dp, &dtau0, &dtau1}) *x = models::random_velocity(model, random);
    TreePose<double> tree(model);
    place(model, tree, q);
    JointMomentumData<double> momentum(model);
    p = joint_momentum(model, tree, momentum, models::random_velocity(model, random));
  }
};

/// The step from its point moved by t along its direction, solved to rounding. It starts from p itself: the integrator's reset takes a
/// velocity, which would be multiplied by M(q). With loops or couplings, points of the line in q are moved to closed configurations nearby:
/// to first order the same, if the direction satisfies the rows.
template <class S, class Kind, class ModelType, class Root = Newton, class Contacts = NoContacts>
class StepMap {
 public:
  /// @param limit, closure compliance of limits, and of loops and couplings.
  explicit StepMap(const ModelType& model, SpringRule springs = SpringRule::midpoint, Contacts contacts = {},
                   const Compliance<ValueOf<S>>& limit = {}, const Compliance<ValueOf<S>>& closure = {})
      : model_(&model),
        integrator_(model,
                    {.tolerance = 0,
                     .max_halvings = 0,
                     .springs = springs,
                     .closure_tolerance = 1,
                     .relaxation = 0,
                     .limit = limit,
                     .closure = closure},
                    std::move(contacts)),
        memory_(integrator_.make_memory()), has_rows_(!detail::closures_of(model).empty()) {}

  void operator()(const StepPoint& at, const S& t, const BodyArray<Vector6<S>>& wrenches = {}) {
    REQUIRE(describe(take(at, t, wrenches).status) == describe(Status::converged));
  }
  /// The same for steps that may fail.
  StepResult<S> take(const StepPoint& at, const S& t, const BodyArray<Vector6<S>>& wrenches = {}) {
    const auto moved = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& dx) { return VectorX<S>(x.cast<S>() + t * dx.cast<S>()); };
    const VectorX<S> along = t * at.dq.cast<S>();
    VectorX<S> q = model_->integrate(at.q.cast<S>(), along);
    if (has_rows_ && at.closes) q = close_loops(*model_, q);
    integrator_.reset({q, VectorX<S>::Zero(model_->nv()), S(0)});
    integrator_.save(memory_);
    memory_.p = moved(at.p, at.dp);
    memory_.fresh = false;
    integrator_.restore(memory_);
    input = Input<S>(moved(at.tau0, at.dtau0));
    input.tau_end = moved(at.tau1, at.dtau1);
    input.wrench_begin = wrenches;
    return integrator_.step(input, S(at.h));
  }

  auto& integrator() { return integrator_; }
  const VectorX<S>& q() const { return integrator_.configuration(); }
  const VectorX<S>& p() const { return integrator_.momentum(); }
  Input<S> input;

 private:
  const ModelType* model_;
  using Integrator = VariationalIntegrator<ModelType, Drnea<Kind>, Root, NoForce, Contacts>;
  Integrator integrator_;
  typename Integrator::Memory memory_;
  bool has_rows_;
};

/// Returns (dq1, dp1) along the direction, by a sixth-order central difference of steps.  @param step a StepMap.  @param e its interval.
/// @param q1 (nq) where the step ends.  @param take (t) -> takes the step at t; returns false if there is no difference.
template <class ModelType, class Step, class Take>
std::optional<Eigen::VectorXd> difference(const ModelType& model, Step& step, const Eigen::VectorXd& q1, double e, Take&& take) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(2 * model.nv());
  for (const auto& [k, weight] : {std::pair(1, 45), std::pair(2, -9), std::pair(3, 1)}) {
    for (const int side : {1, -1}) {
      if (!take(side * k * e)) return {};
      sum += side * weight / (60 * e) * (Eigen::VectorXd(sum.size()) << model.difference(q1, step.q()), step.p()).finished();
    }
  }
  return sum;
}

/// The same of steps solved to rounding.
template <class Kind, class Root = Newton, class ModelType>
Eigen::VectorXd differenced_step(const ModelType& model, const StepPoint& at, const BodyArray<Vector6<double>>& wrenches = {},
                                 double e = 1e-2) {
  StepMap<double, Kind, ModelType, Root> step(model, at.springs);
  step(at, 0, wrenches);
  const Eigen::VectorXd q1 = step.q();
  return *difference(model, step, q1, e, [&](double t) {
    step(at, t, wrenches);
    return true;
  });
}

}  // namespace actio::test
