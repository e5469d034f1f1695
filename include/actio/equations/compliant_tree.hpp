// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant rows on a tree in joint coordinates, as a problem for the cone solver: O(bodies + rows) for rows with the world.
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "actio/constraints/mobility.hpp"
#include "actio/equations/stiff_rows.hpp"
#include "actio/solvers/cone/islands.hpp"
#include "actio/solvers/cone/newton.hpp"

namespace actio::detail {

/// A ConeProblem, whose matrix of a Newton step is StiffRows.                                         [compliant_math.md, section 8]
template <class ModelType>
class CompliantTree {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param capacity rows, of which at most `ties` of contacts and `closures` of loops and couplings are between moving bodies.
  /// @param factorization, model as for StiffRows, whose ModelError this throws.
  CompliantTree(const Model& model, std::size_t capacity, std::size_t ties, Factorization factorization = Factorization::dense,
                std::size_t closures = 0);

  /// Begins a step of length h [s] at q (nq), without rows.
  /// @param added (nv) >= 0, adds to the diagonal of M, for implicit joint forces [kg m^2, kg].
  /// @returns the first body whose joint moves no mass; 0 if none.
  BodyIndex begin(const ConstVectorRef<S>& q, const ConstVectorRef<S>& added, const S& h) noexcept;
  /// Begins another step of the same length at the same q with the same `added`, without rows.
  void begin_again() noexcept {
    rows_.clear();
    mobility_of_.refer_to(tree(), abi_);  // the last step may have been that of the object of which this is a copy
    stiff_.begin_again(tree(), h_);
  }
  /// Returns whether a part of `added` for entry k of the joint of a body is more than half of the articulated inertia there, with `added`.
  bool dominates(const S& part, BodyIndex i, Eigen::Index k) const noexcept {
    return S(2) * part * abi_.D_inverse(k, model_->v_index(i) + k) > S(1);
  }
  const TreePose<S>& tree() const noexcept { return rows_.tree(); }  ///< in the pose of begin()
  /// Returns the twists (bodies) in the bodies' frames at velocities v (nv); valid until the next call of any member.
  const BodyArray<Vector6<S>>& twists(const ConstVectorRef<S>& v) noexcept { return rows_.twists(v); }
  /// The problem for the solver: this object, in velocities (nv) of the model.
  ///@{
  CompliantTree& problem() noexcept { return *this; }
  const CompliantTree& problem() const noexcept { return *this; }
  void to_problem(const ConstVectorRef<S>& of_model, VectorRef<S> x) const noexcept { x = of_model; }
  void to_model(const ConstVectorRef<S>& x, VectorRef<S> of_model) const noexcept { of_model = x; }
  ///@}
  /// Computes v_free = v + M^-1 impulse, all (nv), impulse [N m s, N s].
  void set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse, VectorRef<S> v_free) noexcept;

  /// Adds a group of rows: as RowsOnTree::add().
  [[nodiscard]] bool add(NewGroup<S> group, std::span<const ConstraintRow<S>> rows) noexcept {
    const Eigen::Index first = rows_.rows().size();
    begin_mobility();
    // A rigid row without mobility, such as one out of the plane of a plane mechanism, gets a compliance, so that its force is finite.
    const bool follows = group.R[0] > S(0) || mobility_of_.moves(rows[0]);
    if (!follows) group.R[0] = h_ * mobility_of_.reach(rows[0]) + std::numeric_limits<S>::min();
    if (!rows_.add(group, rows)) return false;
    for (int r = 0; r < group.size; ++r) mobility_[first + r] = mobility_of_(rows[static_cast<std::size_t>(r)]);
    settle_rigid_rows(rows_.rows(), mobility_, h_);
    return stiff_.add_last_group(rows_, group, rows);
  }
  /// Returns G_i M^-1 G_i^T of a row that need not have been added [1/kg, 1/(kg m^2)].
  S mobility_of(const ConstraintRow<S>& row) noexcept {
    begin_mobility();
    return mobility_of_.exact(row);
  }
  ///@{
  /// See StiffRows.
  bool is_in_blocks() const noexcept { return stiff_.is_in_blocks(); }
  CompliantForest<Model>* blocks() noexcept { return stiff_.blocks(rows_, added_, h_); }
  ///@}
  [[nodiscard]] bool complete() const noexcept { return true; }  ///< to be called after the last row, as that of CompliantForest
  void set_bias(const ConstVectorRef<S>& bias) noexcept { rows_.rows().bias() = bias; }  ///< (rows) [m/s, rad/s]
  /// Adds a share of more (rows) [m/s, rad/s] to the bias, after complete().
  void add_to_bias(const S& share, const ConstVectorRef<S>& more) noexcept { rows_.rows().bias() += share * more; }
  /// Changes R of a row, not to zero [m/(N s), rad/(N m s)].
  void set_compliance(Eigen::Index row, const S& R) noexcept { rows_.rows().R()[row] = R; }
  /// The same of a rigid row, whose R acts on changes of the force only: see ConeRows::settling().
  void set_settling(Eigen::Index row, const S& R) noexcept { rows_.rows().R()[row] = rows_.rows().settling()[row] = R; }
  /// Lets it act on changes from these forces (rows) [N, N m].
  void settle_from(const ConstVectorRef<S>& lambda) noexcept {
    rows_.rows().base() = (rows_.rows().settling().array() > S(0)).select(lambda, S(0));
  }

  /// See ConeProblem.
  ///@{
  const ConeRows<S>& rows() const noexcept { return rows_.rows(); }
  const S& h() const noexcept { return h_; }
  const VectorX<S>& v_free() const noexcept { return v_free_; }
  const VectorX<S>& mobility() const noexcept { return mobility_; }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) noexcept { rows_.rates(v, w); }
  void momentum(const ConstVectorRef<S>& v, VectorRef<S> p) noexcept;
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) noexcept { rows_.forces(lambda, f); }
  bool factor(std::span<const GroupForce<S>> forces) noexcept { return stiff_.factor(rows_, mobility_of_, added_, forces, h_); }
  void solve(VectorRef<S> x) noexcept { stiff_.solve(rows_, x); }
  S inverse_mass_norm(const ConstVectorRef<S>& f) noexcept;
  ///@}

 private:
  void begin_mobility() noexcept {
    if (!std::exchange(has_mobility_, true)) mobility_of_.begin(tree(), abi_);
  }

  const Model* model_;
  RowsOnTree<Model> rows_;
  AbiData<S> abi_;          // factors of M + added
  StiffRows<Model> stiff_;
  S h_{};
  VectorX<S> added_, v_free_;  // (nv)
  VectorX<S> mobility_;        // (rows)
  RowMobility<Model> mobility_of_;
  bool has_mobility_ = false;  // whether mobility_of_ is that of abi_
  BodyArray<Vector6<S>> momenta_;
};

template <class Model>
CompliantTree<Model>::CompliantTree(const Model& model, std::size_t capacity, std::size_t ties, Factorization factorization,
                                    std::size_t closures)
    : model_(&model), rows_(model, capacity), abi_(model), stiff_(model, factorization, capacity, ties, closures),
      added_(VectorX<S>::Zero(model.nv())), v_free_(added_), mobility_(VectorX<S>::Zero(static_cast<Eigen::Index>(capacity))),
      mobility_of_(model), momenta_(model.num_bodies(), Vector6<S>::Zero()) {}

template <class Model>
BodyIndex CompliantTree<Model>::begin(const ConstVectorRef<S>& q, const ConstVectorRef<S>& added, const S& h) noexcept {
  h_ = h;
  added_ = added;
  has_mobility_ = false;
  rows_.begin(q);
  stiff_.begin(tree());
  return abi_factor(*model_, tree(), abi_, added_);
}

template <class Model>
void CompliantTree<Model>::set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse, VectorRef<S> v_free) noexcept {
  abi_solve(*model_, tree(), abi_, impulse, v_free_);
  v_free_ += v;
  v_free = v_free_;
}

template <class Model>
void CompliantTree<Model>::momentum(const ConstVectorRef<S>& v, VectorRef<S> p) noexcept {
  const BodyArray<Vector6<S>>& V = twists(v);
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) momenta_[i] = model_->inertia(i).momentum(V[i]);
  p = (model_->properties().armature + added_).cwiseProduct(v);
  add_joint_forces(*model_, tree(), momenta_, p);
}

template <class Model>
auto CompliantTree<Model>::inverse_mass_norm(const ConstVectorRef<S>& f) noexcept -> S {
  return std::sqrt(abi_reduce(*model_, tree(), abi_, f));
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class CompliantTree<Model<double>>;
ACTIO_INSTANTIATE ConeResult<double> ConeNewton<double>::solve(CompliantTree<Model<double>>&, const ConeOptions<double>&, VectorRef<double>,
                                                               VectorRef<double>) noexcept;
ACTIO_INSTANTIATE ConeResult<double> ConeNewton<double>::solve(BlockVelocities<double>&, const ConeOptions<double>&, VectorRef<double>,
                                                               VectorRef<double>) noexcept;
ACTIO_INSTANTIATE ConeResult<double> ConeIslands<double, ConeNewton<double>>::solve(
    CompliantTree<Model<double>>&, const ConeOptions<double>&, VectorRef<double>, VectorRef<double>) noexcept;
ACTIO_INSTANTIATE ConeResult<double> ConeIslands<double, ConeNewton<double>>::solve(
    BlockVelocities<double>&, const ConeOptions<double>&, VectorRef<double>, VectorRef<double>) noexcept;
#endif

}  // namespace actio::detail
