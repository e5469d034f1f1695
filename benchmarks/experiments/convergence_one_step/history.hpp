// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The residual after each update of one step, by root finder and initial guess.
#include <cstddef>
#include <vector>

#include "actio/integrators/variational.hpp"

namespace convergence {

using Model = actio::Model<double>;
using State = actio::State<double>;

/// Norms of the residual at the initial guess and after 1, 2, ... updates.
struct History {
  std::vector<double> euclidean;  ///< |f|, as in the paper [N m s]
  std::vector<double> relative;   ///< sqrt(f^T M^-1 f), relative to the motion at the guess, as the integrator tests it
};

/// The equation of a step that records the norms of every iterate. A root finder that shortens an update evaluates again without requesting
/// another one: only its last evaluation counts.
template <class Equation>
class Recorded : public Equation {
 public:
  using Equation::Equation;
  History history;

  double residual(const actio::VectorX<double>& x) noexcept {
    const double norm = Equation::residual(x);
    record(norm);
    return norm;
  }
  void evaluate(const actio::VectorX<double>& x) noexcept {
    Equation::evaluate(x);
    is_new_ = true;
  }
  double linearize() noexcept requires requires(Equation& e) { e.linearize(); } {
    const double norm = Equation::linearize();
    if (is_new_) record(norm);  // only if the residual has not recorded it
    return norm;
  }
  double newton_residual(const actio::VectorX<double>& x) noexcept requires requires(Equation& e) { e.newton_residual(x); } {
    const double norm = Equation::newton_residual(x);
    record(norm);
    return norm;
  }
  void update(actio::VectorX<double>& z) noexcept {
    asked_ = true;
    Equation::update(z);
  }
  const actio::VectorX<double>& value() noexcept {  // dense root finders compute their updates from it
    asked_ = true;
    return Equation::value();
  }

 private:
  void record(double norm) {
    if (!asked_) {
      history.euclidean.pop_back();
      history.relative.pop_back();
    }
    history.euclidean.push_back(Equation::value().norm());
    history.relative.push_back(norm);
    asked_ = is_new_ = false;
  }

  bool asked_ = true;
  bool is_new_ = false;  // evaluated, but not yet tested
};

/// Solves one step of length h [s] from the increment x with DRNEA and the logarithm on SE(3), as published, until only rounding is left
/// or `most` updates have been made.
template <class Root>
History history(const Model& model, const State& start, double h, actio::VectorX<double> x, int most) {
  actio::VariationalIntegrator<Model> integrator(model);  // computes the momentum and the gravity forces of the start
  integrator.reset(start);
  auto node = integrator.make_memory();
  actio::AbiData<double> mass(model);
  actio::detail::NodeMass<Model> at_node(model, actio::SpringRule::midpoint, actio::Factorization::automatic);
  Recorded<actio::detail::DiscreteEulerLagrange<Model, actio::Drnea<actio::Se3>, actio::NoForce, Root::jacobian>> equation(
      model, at_node, actio::NoForce{});
  const actio::VectorX<double> known = node.p + (h / 2) * node.gravity;
  equation.begin(at_node, node, known, h, mass);
  typename Root::template Workspace<double> work(model.nv());
  actio::RootMemory<Root, double> memory;
  actio::find_root<Root, double>(equation, x, work, memory, {0, most});
  return equation.history;
}

using Vector = actio::VectorX<double>;
History algorithm_1(const Model& model, const State& start, double h, const Vector& x, int most);  ///< Newton as published: full updates
History newton(const Model& model, const State& start, double h, const Vector& x, int most);  ///< ours: updates are shortened where needed
History simplified_newton(const Model& model, const State& start, double h, const Vector& x, int most);
History dense_broyden(const Model& model, const State& start, double h, const Vector& x, int most);
History broyden(const Model& model, const State& start, double h, const Vector& x, int most);
History anderson(const Model& model, const State& start, double h, const Vector& x, int most);
History riqn(const Model& model, const State& start, double h, const Vector& x, int most);

}  // namespace convergence
