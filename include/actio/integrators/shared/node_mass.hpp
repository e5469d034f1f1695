// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass matrix at a node with the rows of closures there: the linear systems of a step that do not depend on its increment.
#include <algorithm>
#include <cmath>

#include "actio/constraints/mobility.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/equations/closure_solver.hpp"

namespace actio::detail {

/// M w - G^T L = f,  G w + R L = d  at a node, with the letters of ClosedNode; without rows M w = f. M includes what the joint terms add
/// over a step.
template <class ModelType>
class NodeMass {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param model outlives this.  @throws ModelError if the method needs inertia that a body of the model lacks.
  /// @param soft_closures whether closures have springs: they are then no rows here, but placed.
  NodeMass(const Model& model, SpringRule springs, Factorization method, bool soft_closures = false)
      : model_(&model), has_rows_(!soft_closures && num_rows(closures_of(model)) > 0), terms_(model, springs), closures_(model),
        free_mobility_(model),
        solver_(model, closures_.size(), joints_with_terms(model, springs), method), rotations_(closures_.make_rotations()),
        joint_(VectorX<S>::Zero(model.nv())) {
    for (VectorX<S>* work : {&rate_, &R_, &mobility_}) work->setZero(closures_.size());
  }

  TreeClosures<Model>& closures() noexcept { return closures_; }   ///< the rows at the node
  bool has_rows() const noexcept { return has_rows_; }             ///< whether the model has active closures, which are rigid
  /// Returns the largest violation of a closure where it was placed last [m, rad].
  ValueOf<S> most_open() const noexcept {
    ValueOf<S> most(0);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) most = std::max(most, ValueOf<S>(std::abs(value_of(closures_[k].value))));
    return most;
  }
  JointTerms<S>& terms() noexcept { return terms_; }               ///< armature, damping and springs

  /// Begins a step of length h [s] from a node; reads its `tree`, `mass`, `rotations` and `redundant`. Node and `fresh` outlive the step.
  /// @param fresh where new factors of M go.  @param keeps whether to use the factors in the node's `mass`, which belong to a node near by,
  /// if there are no rows.  @param compliance of the rows, relative to their mobility on unconstrained bodies; 0: none.
  template <class Node>
  void begin(Node& node, const S& h, AbiData<S>& fresh, bool keeps = false, const S& compliance = S(0)) noexcept {
    tree_ = &node.tree;
    fresh_ = &fresh;
    is_factored_ = is_tree_factored_ = keeps && !has_rows();
    mass_ = is_factored_ ? &node.mass : &fresh;
    is_measured_ = false;
    is_redundant_ = node.redundant;
    factorizations_ = 0;
    singular_ = 0;
    h_ = h;
    compliance_ = compliance;
    rotations_ = node.rotations;
    if (closures_.size() > 0) closures_.place(node.tree, rotations_);
  }
  const TreePose<S>& tree() const noexcept { return *tree_; }                           ///< the pose at the node
  const typename TreeClosures<Model>::Rotations& rotations() const noexcept {
    return rotations_;
  }                                                                                     ///< relative rotations of the loops' frames there
  const S& h() const noexcept { return h_; }                                            ///< as given to begin() [s]
  bool is_rigid() const noexcept { return compliance_ == S(0); }                          ///< whether the rows have no compliance
  bool is_redundant() const noexcept { return is_redundant_; }                     ///< whether the rows are redundant, as noted in the node

  /// Factors M with the rows.  @returns false if that is singular.
  bool factor() noexcept {
    ++factorizations_;
    return is_factored_ = has_rows() ? measure() && solver_.factor_mass(node()) : factor_tree();
  }
  bool ready() noexcept { return is_factored_ || factor(); }  ///< the same, if there are no factors yet
  bool tree_ready() noexcept { return is_tree_factored_ || (has_rows() ? factor_tree() : factor()); }  ///< the same for M alone
  AbiData<S>& of_tree() noexcept { return *mass_; }                ///< factors of M alone.  @pre tree_ready(), or ready() without rows
  int factorizations() const noexcept { return factorizations_; }  ///< of M with the rows, since begin()
  BodyIndex singular() const noexcept { return singular_; }        ///< the body at whose joint M was singular; 0 if none
  /// Returns whether the rows are linearly dependent: where loops are redundant, and in singular poses.  @pre factor(), with a node in
  /// which `redundant` is false.
  bool finds_redundant() noexcept { return has_rows() && solver_.is_redundant(node()); }

  /// Computes z = v with  M v - G^T L = f,  G v = 0.  @param f (nv).  @param z (nv), L (rows) out.  @returns v^T M v.  @pre ready()
  S solve(const VectorX<S>& f, VectorX<S>& z, VectorX<S>& L) noexcept {
    if (!has_rows()) return abi_solve(*model_, *tree_, *mass_, f, z);
    z = f;
    L.setZero();
    solver_.solve_mass(node(), z, L, Accuracy::full);
    return energy(z, rate_);
  }
  /// Computes the increment z (nv), the smallest in the metric of M, that closes the rows in first order.  @param L (rows) is overwritten.
  /// @pre ready(), has_rows()
  void to_closed(VectorX<S>& z, VectorX<S>& L) noexcept {
    z.setZero();
    for (Eigen::Index k = 0; k < closures_.size(); ++k) L[k] = -closures_[k].value;
    solver_.solve_mass(node(), z, L, Accuracy::full);
  }
  /// Returns w^T M w.  @param rates (rows) out: G w. It is not taken from the solution of a system, in which it may cancel down to
  /// rounding.
  S energy(const VectorX<S>& w, VectorX<S>& rates) noexcept {
    closures_.rates(*tree_, w, rates);
    S sum = joint_.dot(w.cwiseAbs2());
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) sum += S(2) * model_->inertia(i).kinetic_energy(closures_.twists()[i]);
    return sum;
  }

  ClosureSolver<Model>& solver() noexcept { return solver_; }        ///< of the system, for the rows of a step
  ClosedNode<Model> node() noexcept {
    return {*tree_, *mass_, closures_, joint_, R_, mobility_, is_redundant_};
  }                                                                  ///< the data of the system
  const VectorX<S>& R() const noexcept { return R_; }                ///< (rows) compliance.  @pre measure()
  const VectorX<S>& mobility() const noexcept { return mobility_; }  ///< (rows) D of ClosedNode.  @pre measure()
  /// Computes the mobility and the compliance of the rows, once a step. A row without mobility gets the largest mobility of the others, so
  /// that its violation, which some rows have in singular poses, has a comparable weight.  @returns false if M is singular.
  bool measure() noexcept {
    if (is_measured_) return true;
    if ((solver_.wants_mass() || is_redundant_) && !factor_tree()) return false;
    joint_ = model_->properties().armature + terms_.diagonal(*model_, h_);
    solver_.measure(node(), mobility_);
    const S largest = mobility_.maxCoeff();
    for (S& mobility : mobility_) {
      if (!(mobility > S(0))) mobility = largest > S(0) ? largest : S(1);
    }
    R_.setZero();
    for (Eigen::Index k = 0; compliance_ > S(0) && k < R_.size(); ++k) {
      const S free = free_mobility_(*tree_, closures_[k]);
      R_[k] = compliance_ * (free > S(0) ? free : mobility_[k]);
    }
    return is_measured_ = true;
  }

 private:
  bool factor_tree() noexcept {
    mass_ = fresh_;
    singular_ = abi_factor(*model_, *tree_, *mass_, terms_.diagonal(*model_, h_));
    return is_tree_factored_ = singular_ == 0;
  }

  const Model* model_;
  bool has_rows_;
  JointTerms<S> terms_;
  TreeClosures<Model> closures_;
  FreeMobility<Model> free_mobility_;
  ClosureSolver<Model> solver_;
  typename TreeClosures<Model>::Rotations rotations_;
  VectorX<S> joint_;                  // (nv) armature and joint terms
  VectorX<S> rate_, R_, mobility_;    // (rows)
  const TreePose<S>* tree_ = nullptr;  // of the present step, as the following ones
  AbiData<S>*mass_ = nullptr, *fresh_ = nullptr;
  S h_{}, compliance_{};
  int factorizations_ = 0;
  BodyIndex singular_ = 0;
  bool is_redundant_ = false, is_factored_ = false, is_tree_factored_ = false, is_measured_ = false;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class NodeMass<Model<double>>;
#endif

}  // namespace actio::detail
