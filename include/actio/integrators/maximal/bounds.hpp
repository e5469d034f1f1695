// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Limits, dry friction of joints, servos and contacts in a step in maximal coordinates.
#include <algorithm>
#include <limits>
#include <utility>

#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/maximal/equations.hpp"
#include "actio/integrators/shared/step_bounds.hpp"
#ifdef ACTIO_PRECOMPILED
#include "actio/contacts/plane.hpp"
#endif

namespace actio::detail {

/// The problems P and V of StepCones in maximal coordinates: the same as in joint coordinates. P begins with the residual of the bodies
/// along the joints, without the impulses of rows, and finds w and Lm; V is solved for the momenta of the bodies along the joints. In an
/// update of P, bodies follow w along the joints and close the gaps of joints; the impulses of rows follow from the matrix
/// K = [[M, -G^T], [G, C]] at node k.                                          [variational_contact.md, sections 3, 8 and 9]
/// A substep makes the same calls as with StepBounds.
template <class ModelType, class Contacts>
class MaximalBounds {
 public:
  using Model = ModelType;                              ///< the tree and its bodies
  using S = typename Model::Scalar;                     ///< float or double
  using Bounds = StepBounds<Model, Contacts>;           ///< what acts

  /// @param unknowns of MaximalEquations.  @param model outlives this.  @throws as StepBounds
  template <class Options>
  MaximalBounds(const Model& model, const Options& options, Eigen::Index unknowns, Contacts contacts)
      : model_(&model), node_{TreePose<S>(model), AbiData<S>(model), {}, VectorX<S>::Zero(model.nv()), false},
        mass_(model, options.springs, Factorization::automatic, is_finite(options.closure.stiffness)),
        bounds_(model, "maximal", options, Factorization::automatic, mass_.closures().size(), unknowns, std::move(contacts)),
        mu_(model.num_bodies(), Vector6<S>::Zero()), z_(VectorX<S>::Zero(unknowns)), closing_(z_),
        r_(VectorX<S>::Zero(model.nv())), v_(r_), zero_(r_), impulses_(r_), gaps_(VectorX<S>::Zero(mass_.closures().size())) {
    node_.rotations = mass_.closures().make_rotations();
  }

  ///@{
  /// The limits, friction, servos and contacts themselves, for what needs no equations.
  Bounds& bounds() noexcept { return bounds_; }
  const Bounds& bounds() const noexcept { return bounds_; }
  ///@}
  /// Returns the energy of the springs of limits, loops, couplings and contacts at a node [J].
  S elastic_energy(const ConstrainedPose<S>& at) noexcept {
    place_tree(at);
    mass_.closures().place(node_.tree, node_.rotations);
    return bounds_.elastic_energy(node_.tree, mass_.closures());
  }
  /// Begins a substep: see StepBounds.  @param node of MaximalIntegrator.  @param applied begun for it.
  template <class Node>
  Status begin(const Node& node, const AppliedForces<Model>& applied) noexcept {
    place_tree(node.at);
    struct {
      const TreePose<S>& tree;
      const ContactForces<S>& contacts;
    } const found{node_.tree, node.contacts};
    return bounds_.begin(found, applied);
  }
  /// Finds the root of P.  @param equations begun for this step, with increments.  @param node as begin() was given.
  /// @param law, servo, culprit as for StepBounds.  @param has_guess whether y is one.  @param y in: the guess; out: the root, or where
  /// the search ended.
  template <class Equations, class Node>
  RootResult<S> solve(Equations& equations, const Node& node, const RootOptions<S>& options, ConeLaw law, const VectorX<S>& servo,
                      bool has_guess, VectorX<S>& y, Culprit& culprit) noexcept {
    mass_.begin(node_, equations.h(), node_.mass);
    node_.p.setZero();
    add_along_joints(node.P, node_.p);
    RootResult<S> root{};
    root.status = Status::singular;
    if (!equations.guess(has_guess ? z_ : y)) return root;
    root = bounds_.solve(mass_, node, node_.p, options, law, servo, y, y, culprit,
                         [&](StepCones<Model>&) { return Positions<Equations>{*this, equations, options.tolerance}; });
    ++root.factorizations;
    return root;
  }
  /// Ends P, and solves V.  @param at the end of the step.  @param P (bodies) in: momenta about the centres of mass; out: with the impulses
  /// Lp.  @param result out: as for StepBounds::add_momentum().
  template <class Equations>
  void add_momentum(const Equations& equations, const ConstrainedPose<S>& at, BodyArray<Vector6<S>>& P, StepResult<S>& result) noexcept {
    bounds_.end_positions(v_);
    place_tree(at);
    node_.p.setZero();
    add_along_joints(P, node_.p);
    impulses_ = -node_.p;
    bounds_.add_momentum(mass_, equations.increments(), node_, result);
    if (!result) return;
    impulses_ += node_.p;
    equations.bodies().add_joint_forces(at, impulses_, P);
  }
  /// Returns the smallest gap of what waits for an impact at q (nq): see StepBounds.  @param at_end of the substep, else at its beginning.
  S waiting_gap(const VectorX<S>& q, bool at_end) const noexcept { return bounds_.waiting_gap(q, at_end ? &zero_ : nullptr); }
  /// Applies an impact to the momenta P (bodies) about the centres of mass at a node.  @param at that node.  @param end (nq) where the
  /// substep ends.  @param half (bodies) at the beginning: half of the impulses of forces there; null at the end.  @param h [s].
  /// @param result out: as for StepBounds::strike().
  template <class Equations>
  void strike(const Equations& equations, const ConstrainedPose<S>& at, const VectorX<S>& end, const BodyArray<Vector6<S>>* half, const S& h,
              ConeLaw law, BodyArray<Vector6<S>>& P, StepResult<S>& result) noexcept {
    place_tree(at);
    mass_.begin(node_, h, node_.mass);
    node_.p.setZero();
    add_along_joints(P, node_.p);
    r_.setZero();
    if (half != nullptr) add_along_joints(*half, r_);
    impulses_ = -node_.p;
    bounds_.strike(mass_, end, zero_, half != nullptr ? &r_ : nullptr, law, node_, result);
    if (!result) return;
    impulses_ += node_.p;
    equations.bodies().add_joint_forces(at, impulses_, P);
  }

 private:
  struct Node {
    TreePose<S> tree;
    AbiData<S> mass;
    typename TreeClosures<Model>::Rotations rotations;
    VectorX<S> p;
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
      const S norm = bounds.solve_positions(equations);
      if (!is_finite(norm)) return norm;
      return std::max(norm, std::max(tolerance, S(10) * epsilon<S>) * std::min(bounds.cones().violation(), S(10)));
    }
    void update(VectorX<S>& z) noexcept { z = bounds.z_; }
    S floor() noexcept {
      if (bounds.cones().violation() > S(1e4F)) return S(0);  // as StepCones::floor(): impulses may have no bound
      return equations.floor() + bounds.cones().floor(bounds.mass_.closures()) / equations.scale();
    }
  };

  StepCones<Model>& cones() noexcept { return bounds_.cones(); }
  /// Places the tree at a node, with the rotations that its loops have there.
  void place_tree(const ConstrainedPose<S>& at) noexcept {
    place(*model_, node_.tree, at.q);
    BodyIndex loop = model_->num_bodies();
    for (Quaternion<S>& rotation : node_.rotations) rotation = at.pose[loop++].rotation;
  }
  /// Adds momenta F (bodies) about the centres of mass, in the pose of the tree, to those of the joints (nv) [N m s, N s].
  void add_along_joints(const BodyArray<Vector6<S>>& F, VectorX<S>& sum) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) mu_[i] = about_point<S>(F[i], -model_->inertia(i).com);
    add_joint_forces(*model_, node_.tree, mu_, sum);
  }
  /// Adds the twists of the bodies at joint velocities v (nv), about their centres of mass, to those in y.
  void add_twists(const VectorX<S>& v, VectorX<S>& y) noexcept {
    body_twists(*model_, node_.tree, v, mu_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Vector3<S> w = mu_[i].template head<3>(), at_com = mu_[i].template tail<3>() + w.cross(model_->inertia(i).com);
      y.template segment<6>(6 * (i - 1)) += spatial<S>(w, at_com);
    }
  }
  /// Sets z_ to the update of y.  @returns its norm; NaN if the cone problem was not solved.
  template <class Equations>
  S solve_positions(Equations& equations) noexcept {
    constexpr S unsolved = std::numeric_limits<S>::quiet_NaN();
    if (!cones().problem().move(equations.displacements())) return unsolved;
    auto& system = equations.system();
    mass_.closures().values(mass_.rotations(), equations.displacements(), equations.increments(), gaps_);
    // The part of the update that closes gaps of joints, across which bodies do not follow w. It is computed alone, so that it is small.
    closing_ = equations.value();
    closing_.head(system.first_row()).setZero();
    closing_ *= S(-1);
    system.solve(closing_);
    system.joint_velocities(equations.from(), closing_, v_);
    v_ *= S(-1);
    add_twists(v_, closing_);
    BodyArray<Vector6<S>>& momenta = equations.without_rows(r_);
    S energy(0);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Inertia<S>& G = model_->inertia(i);
      const Vector6<S> u = closing_.template segment<6>(6 * (i - 1));
      const Vector6<S> more = spatial<S>(Vector3<S>(G.I_com * u.template head<3>()), Vector3<S>(G.mass * u.template tail<3>()));
      momenta[i] += more;
      energy += more.dot(u);
    }
    add_along_joints(momenta, r_);
    energy += cones().solve_positions(r_, gaps_, equations.increments());
    if (!is_finite(energy)) return unsolved;
    impulses_.setZero();
    cones().add_last_impulses(impulses_);
    system.set_joint_forces(equations.from(), impulses_, z_);
    z_ -= equations.value();
    system.solve(z_);
    z_.head(system.first_row()) = closing_.head(system.first_row());
    add_twists(cones().problem().w, z_);
    r_ = (model_->properties().armature + mass_.terms().diagonal(*model_, equations.h())).cwiseProduct(cones().problem().w);
    return equations.leave(z_, r_, energy);
  }

  const Model* model_;
  Node node_;
  NodeMass<Model> mass_;
  Bounds bounds_;
  BodyArray<Vector6<S>> mu_;
  VectorX<S> z_, closing_;              // as y
  VectorX<S> r_, v_, zero_, impulses_, gaps_;  // (nv) and (rows of closures)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalBounds<Model<double>, NoContacts>;
ACTIO_INSTANTIATE class MaximalBounds<Model<double>, PlaneContacts<double>>;
#endif

}  // namespace actio::detail
