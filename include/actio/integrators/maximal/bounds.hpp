// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint limits and dry friction of joints in a step in maximal coordinates.
#include <algorithm>
#include <limits>

#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/maximal/equations.hpp"
#include "actio/integrators/shared/bounded_root.hpp"

namespace actio::detail {

/// The problems P and V of StepCones in maximal coordinates. With the residual f of the bodies and the rows at an iterate y of P, and the
/// matrix K = [[M, -G^T], [G, C]] at node k,
///   K dy = -f + (J^T Lm, 0)
/// moves the joints at the rates of the free update -K^-1 f and of M^-1 J^T Lm on the tree, which together are those of P in joint
/// coordinates. V is P's law on the momenta of the bodies along the joints.                    [variational_contact.md, sections 3, 8 and 9]
template <class ModelType>
class MaximalBounds {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// @param unknowns of MaximalEquations.  @param model outlives this.
  MaximalBounds(const Model& model, SpringRule springs, Eigen::Index unknowns)
      : model_(&model), node_{TreePose<S>(model), AbiData<S>(model), {}, false}, mass_(model, springs, Factorization::automatic),
        cones_(model, mass_.closures().size(), Factorization::automatic), momentum_(model),
        mu_(model.num_bodies(), Vector6<S>::Zero()), riqn_(unknowns), z_(VectorX<S>::Zero(unknowns)), response_(z_),
        r_(VectorX<S>::Zero(model.nv())), v_(r_), impulses_(r_), gaps_(VectorX<S>::Zero(mass_.closures().size())) {
    node_.rotations = mass_.closures().make_rotations();
  }

  StepCones<Model>& cones() noexcept { return cones_; }                   ///< the two problems
  const StepCones<Model>& cones() const noexcept { return cones_; }       ///< the same
  Culprit culprit() noexcept { return cones_.culprit(mass_.closures()); }  ///< what the worst row of the last problem belongs to

  /// Returns the update of y that the last iterate was not given, because it solved P to the tolerance.
  const VectorX<S>& update() const noexcept { return z_; }
  /// Finds the root of P.  @param equations begun for this step, with increments.  @param forces (slots) of the last step.
  /// @param recovery as for StepCones.  @param has_guess whether y is one.  @param y in: the guess; out: the root, or where the search ended.
  template <class Equations>
  RootResult<S> find_root(Equations& equations, const VectorX<S>& forces, const S& recovery, bool has_guess,
                          VectorX<S>& y, const RootOptions<S>& options) noexcept {
    place_tree(equations.from().q);
    mass_.begin(node_, equations.h(), node_.mass);
    RootResult<S> root{};
    root.status = Status::singular;
    if (!equations.guess(has_guess ? z_ : y) || !cones_.begin_positions(mass_, forces, recovery)) return root;
    root = find_bounded_root(Positions<Equations>{*this, equations, options.tolerance}, cones_, y, riqn_, options);
    ++root.factorizations;
    if (root.status == Status::not_finite && is_finite_vector(y)) root.status = cones_.failure();
    return root;
  }
  /// Ends P, and solves V.  @param at the end of the step.  @param x (nv) its increment.  @param P (bodies) in: momenta about the centres
  /// of mass; out: with the impulses Lp.  @returns false if the problem was not solved.
  bool solve_momentum(const ConstrainedBodies<Model>& bodies, const ConstrainedPose<S>& at, const VectorX<S>& x,
                      BodyArray<Vector6<S>>& P) noexcept {
    cones_.end_positions(v_);
    place_tree(at.q);
    mass_.closures().place(node_.tree, node_.rotations);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) mu_[i] = about_point<S>(P[i], -model_->inertia(i).com);
    r_.setZero();
    add_joint_forces(*model_, node_.tree, mu_, r_);
    if (!cones_.solve_momentum(mass_.closures(), at.q, x, r_)) return false;
    set_impulses();
    bodies.add_joint_forces(at, impulses_, P);
    return true;
  }

 private:
  struct Node {
    TreePose<S> tree;
    AbiData<S> mass;
    typename TreeClosures<Model>::Rotations rotations;
    bool redundant;
  };
  /// P as a problem for root finders: see RootProblem.
  template <class Equations>
  struct Positions {
    MaximalBounds& bounds;
    Equations& equations;
    S tolerance;

    S residual(const VectorX<S>& y) noexcept {
      equations.evaluate(y);
      if (!equations.plausible()) return std::numeric_limits<S>::quiet_NaN();
      if (!bounds.solve_positions(equations)) return std::numeric_limits<S>::quiet_NaN();
      return std::max(equations.norm(), std::max(tolerance, S(10) * epsilon<S>) * std::min(bounds.cones_.violation(), S(10)));
    }
    void update(VectorX<S>& z) noexcept { z = bounds.z_; }
    S floor() noexcept { return equations.floor() + bounds.cones_.floor(bounds.mass_.closures()) / equations.scale(); }
  };

  void place_tree(const VectorX<S>& q) noexcept {
    place(*model_, node_.tree, q);
    std::fill(node_.rotations.begin(), node_.rotations.end(), Quaternion<S>(S(1), S(0), S(0), S(0)));  // rows may have either sign
  }
  void set_impulses() noexcept {
    impulses_.setZero();
    cones_.add_last_impulses(impulses_);
  }
  /// Sets z_ to the update of y, and subtracts the impulses from the residual.  @returns false if the cone problem was not solved.
  template <class Equations>
  bool solve_positions(Equations& equations) noexcept {
    auto& system = equations.system();
    equations.update(z_);
    system.joint_velocities(equations.from(), z_, v_);
    r_ = -joint_momentum(*model_, node_.tree, momentum_, v_) - mass_.terms().diagonal(*model_, equations.h()).cwiseProduct(v_);
    mass_.closures().rates(node_.tree, v_, gaps_);
    gaps_ *= -equations.h();  // the free update closes the loops
    if (!is_finite(cones_.solve_positions(r_, gaps_, equations.increments()))) return false;
    set_impulses();
    system.set_joint_forces(equations.from(), impulses_, response_);
    equations.subtract_impulses(response_);
    system.solve(response_);
    z_.tail(z_.size() - system.first_row()) += response_.tail(z_.size() - system.first_row());
    // The bodies follow the joint velocities, so that rows are satisfied as exactly as the cone solver satisfies them.
    v_ = cones_.update() - v_;
    body_twists(*model_, node_.tree, v_, mu_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Vector3<S> w = mu_[i].template head<3>(), at_com = mu_[i].template tail<3>() + w.cross(model_->inertia(i).com);
      z_.template segment<6>(6 * (i - 1)) += spatial<S>(w, at_com);
    }
    return true;
  }

  const Model* model_;
  Node node_;
  NodeMass<Model> mass_;
  StepCones<Model> cones_;
  JointMomentumData<S> momentum_;
  BodyArray<Vector6<S>> mu_;
  Riqn::Workspace<S> riqn_;
  VectorX<S> z_, response_;            // as y
  VectorX<S> r_, v_, impulses_, gaps_;  // (nv) and (rows of loops and couplings)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalBounds<Model<double>>;
#endif

}  // namespace actio::detail
