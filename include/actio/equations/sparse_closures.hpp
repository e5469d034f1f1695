// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Loops and couplings of equations in joint coordinates, by a sparse factorisation in maximal coordinates.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/constraints/mobility.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/equations/maximal_system.hpp"
#include "actio/equations/row_iteration.hpp"

namespace actio::detail {

/// Solves three kinds of systems in maximal coordinates, with impulses of joints and closures: linear in their number if loops are local,
/// as in ladders, and nearly so in nets. They are those of DenseClosures, whose rows have compliances, and that of ArticulatedMatrix with
/// closures, whose rows have stiffnesses. All bodies need full inertia.
///                                              [Brüdigam and Manchester 2020; srm_math.md, section 5.2; vi_math.md, section 11.2]
/// Only the constructor allocates or throws.
template <class ModelType>
class SparseClosures {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< the type of tolerances

  /// @param rowed (bodies) joints that add terms to the diagonal.  @param closures soft if only set_closure() sets their rows.
  /// @param user name of the integrator, for the message.  @param model outlives this.  @throws ModelError if a body lacks full inertia.
  SparseClosures(const Model& model, const std::vector<bool>& rowed, Closures closures, std::string_view user)
      : model_(&checked(model, user)), mobility_(model), mobility_in_tree_(model), iteration_(model.nv(), num_rows_of(model), V(1e-6F)),
        system_(model, rowed, closures), begin_(system_.bodies().make_pose()), end_(begin_),
        y_(VectorX<S>::Zero(system_.size())), term_(y_), rest_(y_), v_(VectorX<S>::Zero(model.nv())),
        added_R_(VectorX<S>::Zero(num_rows_of(model))) {}

  static constexpr bool wants_mass = false;  ///< needs no factors of M unless rows are redundant
  /// Computes the mobility of the rows: an upper bound without factors of M, or exact if rows are redundant.  @param mobility (rows) out.
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
    has_mass_ = false;
    place(begin_, at.tree, at.closures);
    if (at.is_redundant) return mobility_in_tree_.exact_of_closures(at.tree, at.mass, at.closures, mobility);
    for (Eigen::Index k = 0; k < mobility.size(); ++k) mobility[k] = mobility_(at.tree, at.closures[k]);
  }
  /// Factors the system of ClosedNode.  @pre measure() at this node.  @returns false if it is singular.
  bool factor_mass(const ClosedNode<Model>& at) noexcept {
    set_masses();
    soften(at, at.R, S(1));
    return has_mass_ = factor(at.tree, at.joint);
  }
  /// Returns whether the last matrix is rank-deficient.
  bool is_redundant(const ClosedNode<Model>&) const noexcept { return system_.matrix().dropped() > 0; }
  /// Solves the system of ClosedNode.  @param w (nv) in: f; out: w.  @param L (rows) in: d; out: L.
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy = Accuracy::full) noexcept {
    if (!has_mass_) factor_mass(at);  // the matrix of a step took its place
    if (at.is_redundant) {  // the preconditioner is the matrix with softened rows
      iteration_.solve(at, w, L, [&](const VectorX<S>& x, VectorX<S>& out) {
        y_.setZero();
        system_.closures_of(y_) = x;
        system_.solve(y_);
        out = system_.closures_of(y_);
      }, close, max_iterations);
      return;
    }
    set_velocities(w, L);
    system_.joint_velocities(begin_, y_, w);
  }

  /// Factors the system of ClosedStep.  @param R (rows) compliance in the step's system.  @pre measure()  @returns false if it is singular.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept {
    has_mass_ = false;
    place(end_, step.end(), step.closures_at_end());
    system_.set_stiffness(step.joint());
    soften(at, R, h);
    system_.begin();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i)
      system_.add_to_body(i, momentum_rate(i, step.matrix().K[i], step.displacements()[i]));
    BodyRows<S> work;
    for (BodyIndex k = 1; k < system_.bodies().size(); ++k) {
      const BodyRows<S>& there = system_.bodies().rates(k, end_, step.increment(), work);
      system_.add_constraint(k, begin_.rows[k], there, [&](BodyIndex body, const Vector6<S>& F) {
        const Displacement<S>& dT = step.displacements()[body];  // about the centre of mass: rotation only
        return spatial<S>(dT.rotate(F.template head<3>()), dT.rotate(F.template tail<3>()));
      });
    }
    return system_.factor();
  }
  /// Solves the system of ClosedStep, with arguments as in solve_mass().
  void solve_step(const ClosedNode<Model>&, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept {
    set_velocities(w, L);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Displacement<S>& dT = step.displacements()[i];
      const Vector6<S> U = system_.u_of(i, y_);
      system_.u_of(i, y_) = spatial<S>(dT.rotate_inverse(U.template head<3>()), dT.rotate_inverse(U.template tail<3>()));
    }
    system_.joint_velocities(end_, y_, v_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        const typename J::Tangent zeta = model_->template v_of<J>(i, v_);
        if constexpr (joints::is_flat<J>()) model_->template v_of<J>(i, w) = zeta;
        else model_->template v_of<J>(i, w) = step.matrix().template to_increment_of<J>(model_->v_index(i)) * zeta;
      });
    }
  }

  /// The matrix of a Newton step, as in ArticulatedMatrix: rows have stiffnesses k, and compliance makes redundant ones regular.
  ///@{
  static constexpr bool takes_closures() noexcept { return true; }
  void begin(const TreePose<S>& tree) noexcept { system_.bodies().place(begin_, tree.q); }
  void set_masses() noexcept {
    system_.begin_with_masses();
    for (Eigen::Index k = 0; k < added_R_.size(); ++k) system_.set_closure(k, S(0), S(1));
  }
  void add_to_body(BodyIndex i, const S& stiffness, const Vector6<S>& left, const Vector6<S>& right) noexcept {
    const Vector3<S>& com = model_->inertia(i).com;
    system_.add_to_body(i, stiffness * detail::about_point<S>(left, com), detail::about_point<S>(right, com));
  }
  void set_closure(const ConstraintRow<S>& row, const S& stiffness) noexcept { system_.set_closure(row.closure, stiffness, S(1)); }
  bool factor(const TreePose<S>&, const VectorX<S>& joint) noexcept {
    system_.set_stiffness(joint);
    system_.add_constraints(begin_);
    return system_.factor();
  }
  void solve(const TreePose<S>&, VectorRef<S> x) noexcept {
    system_.set_joint_forces(begin_, x, y_);
    system_.solve(y_);
    system_.joint_velocities(begin_, y_, x);
  }
  ///@}

 private:
  static const Model& checked(const Model& model, std::string_view user) {
    require_body_inertia(model, std::string(user) + " with Factorization::sparse");
    return model;
  }
  /// Softness of redundant rows, relative to D: far above rounding errors, and below the eigenvalues of most determined directions.
  static constexpr V slight = V(sizeof(V) >= 8 ? 1e-5F : 1e-2F);
  /// Tolerance and largest number of conjugate gradient iterations with that matrix; the next update solves for the remainder.
  static constexpr V close = V(sizeof(V) >= 8 ? 1e-10 : 1e-4);
  static constexpr int max_iterations = 20;
  /// The matrix of a step is not symmetric, and a series of this many terms is used instead. An inaccurate update costs another one.
  static constexpr int few_terms = 5;
  static Eigen::Index num_rows_of(const Model& model) { return TreeClosures<Model>(model).size(); }
  /// Places the bodies at the pose of the tree, and takes the rows of closures from it, including the signs of rotation rows.
  void place(ConstrainedPose<S>& at, const TreePose<S>& tree, const TreeClosures<Model>& closures) noexcept {
    const ConstrainedBodies<Model>& constraints = system_.bodies();
    constraints.place_joints(at, tree.q);
    Eigen::Index row = 0;
    for (BodyIndex k = model_->num_bodies(); k < constraints.size(); ++k) {
      if (constraints[k].coupling) {
        if (constraints[k].follows) ++row;  // each coupling once
        continue;
      }
      BodyRows<S>& rows = at.rows[k];
      rows.count = static_cast<std::size_t>(constraints[k].rows);
      for (std::size_t r = 0; r < rows.count; ++r) {
        const auto& [on_b, on_a] = closures[row++].bodies;
        rows.on_a[r] = detail::about_point<S>(on_a.wrench, model_->inertia(constraints[k].a).com);
        rows.on_b[r] = detail::about_point<S>(on_b.wrench, model_->inertia(constraints[k].b).com);
      }
    }
    constraints.place_couplings(at);
  }
  /// Converts K, the derivative of a body's momentum about its origin by its displacement, seen from node k, to the derivative of the
  /// momentum about the centre of mass by the displacement of the centre of mass.
  Matrix6<S> momentum_rate(BodyIndex i, const MomentumRate<S>& K, const Displacement<S>& dT) const noexcept {
    const Vector3<S>& com = model_->inertia(i).com;
    const Vector3<S> lever = detail::sum<S>(dT.rotate(com), dT.d);  // to the displaced centre of mass
    Matrix6<S> theta = Matrix6<S>::Identity();
    theta.template bottomLeftCorner<3, 3>() = so3::hat<S>(lever);   // s = v + w x lever
    const Matrix6<S> about_origin = K * theta;
    Matrix6<S> D;
    for (int c = 0; c < 6; ++c) D.col(c) = detail::about_point<S>(about_origin.col(c), com);
    return D;
  }
  /// Sets the compliance of the rows, and softens redundant ones slightly: no pivot is singular then, and the solution tends to the
  /// smallest one.  @param unit of rates in the rows of this matrix: 1, or the length of the step.
  void soften(const ClosedNode<Model>& at, const VectorX<S>& R, const S& unit) noexcept {
    for (Eigen::Index k = 0; k < R.size(); ++k) {
      added_R_[k] = at.is_redundant && R[k] == S(0) ? S(S(slight) * unit * at.D[k]) : S(0);
      system_.set_closure(k, S(1), R[k] + added_R_[k]);
    }
    terms_ = at.is_redundant ? few_terms : 1;
  }
  /// Computes y_ and L from joint forces f and rates d. If rows are softened, it solves repeatedly for the rates that the compliance
  /// absorbed. These terms decrease quickly, except for impulses N with G^T N = 0, which are the same in each term; the last term is
  /// therefore subtracted as often as other terms were added.
  void set_velocities(const ConstVectorRef<S>& f, VectorRef<S> d_then_L) noexcept {
    system_.set_joint_forces(begin_, f, y_);
    system_.closures_of(y_) = d_then_L;
    system_.solve(y_);
    term_ = y_;
    for (int terms = 1; terms < terms_; ++terms) {
      rest_.setZero();
      system_.closures_of(rest_) = added_R_.cwiseProduct(system_.closures_of(term_));
      system_.solve(rest_);
      std::swap(term_, rest_);
      y_ += S(static_cast<V>(terms < terms_ - 1 ? 1 : -terms)) * term_;
    }
    d_then_L = system_.closures_of(y_);
  }

  const Model* model_;
  FreeMobility<Model> mobility_;
  RowMobility<Model> mobility_in_tree_;
  RowIteration<S> iteration_;
  MaximalSystem<Model> system_;
  ConstrainedPose<S> begin_, end_;
  VectorX<S> y_, term_, rest_, v_;
  VectorX<S> added_R_;  // (rows)
  int terms_ = 1;
  bool has_mass_ = false;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class SparseClosures<Model<double>>;
#endif

}  // namespace actio::detail
