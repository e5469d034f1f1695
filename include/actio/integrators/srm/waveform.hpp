// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Copies of a motion that are integrated side by side, the loop forces of each computed from those of the one before.
#include <cmath>
#include <concepts>
#include <utility>
#include <vector>

#include "actio/core/status.hpp"
#include "actio/integrators/explicit/chart_stages.hpp"

namespace actio::detail {

/// A tree with loops, whose accelerations under given loop forces cost O(bodies). place() must be called before the members below it.
template <class L>
concept LoopedTree = requires(L& tree, const L& at, const State<typename L::Scalar>& x, const typename L::Drive& drive,
                              typename L::Scalar t, VectorX<typename L::Scalar>& y, Culprit& culprit) {
  { at.space() } -> std::same_as<const typename L::Space&>;    // where q is integrated
  { at.rows() } -> std::convertible_to<Eigen::Index>;          // of all loops
  { tree.place(x, culprit) } noexcept -> std::same_as<Status>;  // evaluates the loops at a state; culprit is a loop
  { at.gap() } -> std::same_as<const VectorX<typename L::Scalar>&>;   // (rows) d [m, rad]
  { at.rate() } -> std::same_as<const VectorX<typename L::Scalar>&>;  // (rows) D v [m/s, rad/s]
  // out (rows) = E y, E [kg, kg m^2] block-diagonal, E^1/2 D M^-1 D^T E^1/2 at most one
  { at.weigh(y, y) } noexcept;
  { at.loop_of(Eigen::Index(0)) } -> std::same_as<Culprit>;    // the loop or coupling of a row
  { at.kinetic_energy(x) } -> std::same_as<typename L::Scalar>;  // [J] of the state placed
  // (x, drive, share of the step, time [s], lambda (rows) [N, N m], culprit): accelerations under -D^T lambda; culprit is a body
  { tree.accelerate(x, drive, t, t, y, culprit) } noexcept -> std::same_as<Status>;
  { at.acceleration() } -> std::same_as<const VectorX<typename L::Scalar>&>;  // (nv) as accelerate() found it [rad/s^2, m/s^2]
};

/// A rule for loop forces lambda (rows) [N, N m].  update() changes lambda from that of the copy before to that of the copy at which the
/// tree is placed.  @param respond (lambda) -> Status: computes the accelerations of the tree under any loop forces.
template <class F, class L>
concept LoopForces = requires(F& forces, const F& at, L& tree, typename L::Scalar h, VectorX<typename L::Scalar>& lambda,
                              Status (*respond)(const VectorX<typename L::Scalar>&)) {
  { at.copies() } -> std::convertible_to<int>;  // >= 1
  { at.begin(lambda) } noexcept;                // lambda_0
  { forces.update(tree, respond, h, lambda) } noexcept -> std::same_as<Status>;
};

/// Integrates all copies together by an explicit Runge-Kutta method: at every stage the loop forces of the first copy come first, those of
/// the second are computed from them, and so on. Each copy is integrated over the whole run: iterating within a step instead would
/// only make the loops stiffer.
///                                                                                  [Ascher and Lin 1999, (3.6); srm_math.md, section 3]
template <class Tree, class Tableau, class Forces>
  requires LoopedTree<Tree> && LoopForces<Forces, Tree>
class Waveform {
 public:
  using Scalar = typename Tree::Scalar;       ///< scalar type of all numbers
  using Drive = typename Tree::Drive;         ///< inputs that act besides the loop forces
  using Memory = std::vector<State<Scalar>>;  ///< (copies) all that the next step depends on

  /// @param rest any state of the tree.
  Waveform(Tree tree, const State<Scalar>& rest, Forces forces)
      : tree_(std::move(tree)), forces_(std::move(forces)), nodes_(static_cast<std::size_t>(forces_.copies()), rest), next_(nodes_),
        stages_(nodes_.size(), ChartStages<typename Tree::Space, Tableau>(rest.v.size())), lambda_(VectorX<Scalar>::Zero(tree_.rows())),
        w_(lambda_) {}

  const Tree& tree() const noexcept { return tree_; }                            ///< at the last evaluation
  const Forces& forces() const noexcept { return forces_; }                      ///< the rule for loop forces
  const std::vector<State<Scalar>>& copies() const noexcept { return nodes_; }   ///< (copies) at the node
  const State<Scalar>& node() const noexcept { return nodes_.back(); }           ///< of the last copy, the result
  const VectorX<Scalar>& loop_forces() const noexcept { return lambda_; }        ///< (rows) of the last copy at the last stage [N, N m]

  /// Begins anew, with all copies at x.  @param x of the sizes of `rest`.
  void reset(const State<Scalar>& x) {
    for (State<Scalar>& node : nodes_) node = x;
    lambda_.setZero();
  }
  /// Advances all copies.  @param h > 0 [s].  A step that fails changes no copy; the culprit is a loop, or a body if the tree is singular.
  StepResult<Scalar> step(const Drive& drive, const Scalar& h) noexcept {
    StepResult<Scalar> result;
    result.method = Method::sweeps;
    for (std::size_t s = 0; s < Tableau::stages; ++s) {
      const Scalar share(static_cast<ValueOf<Scalar>>(Tableau::c[s]));
      forces_.begin(lambda_);
      for (std::size_t k = 0; k < nodes_.size(); ++k) {
        stages_[k].begin(tree_.space(), s, nodes_[k], h, next_[k]);
        next_[k].time = nodes_[k].time + share * h;
        result.status = evaluate(next_[k], drive, share, h, result.culprit);
        if (!result) return result;
        ++result.evaluations;
        stages_[k].end(tree_.space(), s, next_[k], tree_.acceleration());
      }
    }
    result.residual = value_of(residual());  // before the last stage is overwritten
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      stages_[k].finish(tree_.space(), nodes_[k], h, next_[k]);
      next_[k].time = nodes_[k].time + h;
      if (!is_finite(next_[k]) || !std::isfinite(result.residual)) {
        result.status = Status::not_finite;
        result.culprit = worst_loop();
        return result;
      }
    }
    std::swap(nodes_, next_);
    return result;
  }

  Memory make_memory() const { return nodes_; }                     ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = nodes_; }     ///< saves the nodes of all copies
  void restore(const Memory& memory) noexcept { nodes_ = memory; }  ///< restores a saved memory; steps continue bitwise

 private:
  static bool is_finite(const State<Scalar>& x) noexcept { return detail::all_finite(x.q) && detail::all_finite(x.v); }

  Status evaluate(const State<Scalar>& stage, const Drive& drive, const Scalar& share, const Scalar& h, Culprit& culprit) noexcept {
    const auto respond = [&](const VectorX<Scalar>& lambda) { return tree_.accelerate(stage, drive, share, stage.time, lambda, culprit); };
    Status status = tree_.place(stage, culprit);
    if (status == Status::converged) status = forces_.update(tree_, respond, h, lambda_);
    if (status == Status::converged) status = respond(lambda_);
    if (status == Status::not_finite) culprit = worst_loop();
    return status;
  }
  /// Returns sqrt(w^T E w), w = D v of the last copy at the last stage, relative to its motion: 0 ... 1.
  Scalar residual() noexcept {
    using std::sqrt;
    tree_.weigh(tree_.rate(), w_);
    const Scalar open = tree_.rate().dot(w_), all = open + Scalar(2) * tree_.kinetic_energy(next_.back());
    return value_of(all) == 0 ? Scalar(0) : Scalar(sqrt(Scalar(open / all)));
  }
  /// Returns the loop of the copy placed last with the largest rate or a rate that is not finite; none without loops.
  Culprit worst_loop() const noexcept {
    Eigen::Index worst = -1;
    ValueOf<Scalar> most(-1);
    for (Eigen::Index r = 0; r < tree_.rows() && std::isfinite(most); ++r) {
      const ValueOf<Scalar> speed = std::abs(value_of(Scalar(tree_.rate()[r])));
      if (!(speed <= most)) most = speed, worst = r;
    }
    return worst < 0 ? Culprit{} : tree_.loop_of(worst);
  }

  Tree tree_;
  Forces forces_;
  std::vector<State<Scalar>> nodes_, next_;
  std::vector<ChartStages<typename Tree::Space, Tableau>> stages_;
  VectorX<Scalar> lambda_, w_;
};

}  // namespace actio::detail
