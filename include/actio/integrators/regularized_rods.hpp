// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Trees of rods, as LoopedTrees for Waveform: only the loops regularised, or all constraints regularised.
#include <utility>
#include <vector>

#include "actio/dynamics/rod_tree.hpp"
#include "actio/integrators/srm/waveform.hpp"

namespace actio {

/// Computes the rate of the chart, which is v, since the coordinates of rods are a vector space.  @param v (size).  @param rate (size) out.
template <Scalar S, int d>
void chart_rate(const RodTree<S, d>&, const VectorX<S>&, const VectorX<S>& v, VectorX<S>& rate) noexcept {
  rate = v;
}

namespace detail {

/// Rods have no inputs besides the uniform acceleration of all masses.
struct NoDrive {};

/// The common part of RodLoops and RegularizedRods: constraints between the ends of rods, and their weights.
/// E is block-diagonal, with (n_a J_a M_a^-1 J_a^T + n_b J_b M_b^-1 J_b^T)^-1 for rows on the rods a and b, on which n_a and n_b blocks of
/// rows act. Since T <= M^-1, the spectrum of D T D^T E lies in [0, 1].                               [srm_math.md, sections 3 and 5]
template <Scalar S, int d>
class RodsBase {
 public:
  using Scalar = S;
  using Space = RodTree<S, d>;
  using Drive = NoDrive;

  const Space& space() const noexcept { return *rods_; }
  Eigen::Index rows() const noexcept { return gap_.size(); }
  const VectorX<S>& gap() const noexcept { return gap_; }
  const VectorX<S>& rate() const noexcept { return rate_; }
  void weigh(const VectorX<S>& y, VectorX<S>& out) const noexcept { out = weight_.cwiseProduct(y); }
  const VectorX<S>& acceleration() const noexcept { return a_; }
  S kinetic_energy(const State<S>& x) const noexcept {
    S sum(0);
    typename Space::Point of_x, of_r;
    for (BodyIndex j = 1; j <= rods_->num_rods(); ++j) {
      rods_->momentum(Space::end_of(j, x.v), Space::vector_of(j, x.v), of_x, of_r);
      sum += Space::end_of(j, x.v).dot(of_x) + Space::vector_of(j, x.v).dot(of_r);
    }
    return sum / S(2);
  }

 protected:
  /// @param loops_at the first row of the loops.
  RodsBase(const Space& rods, Eigen::Index loops_at)
      : rods_(&rods),
        loops_at_(loops_at),
        gap_(VectorX<S>::Zero(loops_at + d * static_cast<Eigen::Index>(rods.loops().size()))),
        rate_(gap_),
        weight_(gap_),
        push_(VectorX<S>::Zero(rods.size())),
        a_(push_) {}

  /// Computes D p of the loops, which is also their d.
  void loop_rates(const VectorX<S>& p, VectorX<S>& y) const noexcept {
    Eigen::Index row = loops_at_;
    for (const auto& loop : rods_->loops()) {
      y.template segment<d>(row) = Space::end_of(loop.a, p) - Space::end_of(loop.b, p);
      row += d;
    }
  }
  /// Subtracts D^T lambda of the loops from push_.
  void push_by_loops(const VectorX<S>& lambda) noexcept {
    Eigen::Index row = loops_at_;
    for (const auto& loop : rods_->loops()) {
      Space::end_of(loop.a, push_) -= lambda.template segment<d>(row);
      Space::end_of(loop.b, push_) += lambda.template segment<d>(row);
      row += d;
    }
  }
  /// Returns the number of loops that end on each rod.
  std::vector<int> loops_on() const {
    std::vector<int> n(static_cast<std::size_t>(rods_->num_rods()) + 1, 0);
    for (const auto& loop : rods_->loops()) ++n[static_cast<std::size_t>(loop.a)], ++n[static_cast<std::size_t>(loop.b)];
    return n;
  }
  /// Sets the weights of loops.  @param n blocks of rows on each rod. The end of a rod that can rotate has the mobility 4/m.
  void weigh_loops(const std::vector<int>& n) {
    Eigen::Index row = loops_at_;
    for (const auto& loop : rods_->loops()) {
      const int both = n[static_cast<std::size_t>(loop.a)] + n[static_cast<std::size_t>(loop.b)];
      weight_.template segment<d>(row).setConstant(rods_->mass() / S(static_cast<ValueOf<S>>(4 * both)));
      row += d;
    }
  }

  const Space* rods_;
  Eigen::Index loops_at_;
  VectorX<S> gap_, rate_, weight_;
  VectorX<S> push_, a_;
};

}  // namespace detail

/// Rods with regularised loops; the tree is solved by the recursion.                       [Ascher and Lin 1999, (3.6), (3.12)]
/// Rows: d of each loop, in the axes of the world, gaps [m] and forces [N].
template <Scalar S, int d>
class RodLoops : public detail::RodsBase<S, d> {
  using Base = detail::RodsBase<S, d>;
  using Base::rods_, Base::gap_, Base::rate_, Base::push_, Base::a_;

 public:
  using typename Base::Space;

  /// @param rods outlive this.  @param back stabilisation of the tree's joints.
  explicit RodLoops(const Space& rods, const Baumgarte<S>& back = {}) : Base(rods, 0), data_(rods.num_rods() + 1), back_(back) {
    this->weigh_loops(this->loops_on());
  }
  explicit RodLoops(Space&&, const Baumgarte<S>& = {}) = delete;  // would dangle

  Culprit loop_of(Eigen::Index row) const noexcept { return Culprit::loop(static_cast<int>(row / d)); }  ///< d rows each
  /// See LoopedTree.  The culprit of accelerate() is a rod.
  ///@{
  Status place(const State<S>& x, Culprit&) noexcept {
    this->loop_rates(x.q, gap_);
    this->loop_rates(x.v, rate_);
    return Status::converged;
  }
  void rates_of(const VectorX<S>& a, VectorX<S>& y) const noexcept { this->loop_rates(a, y); }  ///< y = D a
  Status accelerate(const State<S>& x, const detail::NoDrive&, const S&, const S&, const VectorX<S>& lambda, Culprit& culprit) noexcept {
    push_.setZero();
    this->push_by_loops(lambda);
    if (const BodyIndex singular = detail::rod_accelerations<S, d>(*rods_, data_, x.q, x.v, push_, back_, a_); singular != 0) {
      if (!detail::all_finite(x.q) || !detail::all_finite(x.v)) return Status::not_finite;
      culprit = Culprit::body(static_cast<int>(singular));
      return Status::singular;
    }
    return detail::all_finite(a_) ? Status::converged : Status::not_finite;
  }
  ///@}

 private:
  detail::DescriptorData<detail::RodBlocks<S, d>> data_;
  Baumgarte<S> back_;
};

/// Rods with all constraints regularised, those of the tree as those of loops: only M is inverted. For comparison with RodLoops.
/// Rows: length and joint of each rod, then the loops.                                  [Ascher and Lin 1999, (3.10), "algorithm II"]
/// Gaps and forces of lengths are in [m^2] and [N/m], all others in [m] and [N], in the axes of the world.
template <Scalar S, int d>
class RegularizedRods : public detail::RodsBase<S, d> {
  using Base = detail::RodsBase<S, d>;
  using Base::rods_, Base::gap_, Base::rate_, Base::weight_, Base::push_, Base::a_, Base::loops_at_;

 public:
  using typename Base::Space;
  using Point = typename Space::Point;  ///< in d dimensions

  /// @param rods outlive this.
  explicit RegularizedRods(const Space& rods) : Base(rods, (d + 1) * rods.num_rods()) {
    std::vector<int> n = this->loops_on();
    const auto count = [&](BodyIndex j) -> int& { return n[static_cast<std::size_t>(j)]; };
    for (BodyIndex j = 1; j <= rods.num_rods(); ++j) count(j) += 2, ++count(rods.parent(j));  // its length and its joint; the joint again
    count(0) = 0;  // the world has no mobility
    this->weigh_loops(n);
    const S moved_by_pull = S(12) * rods.length() * rods.length() / rods.mass(), moved_by_joint = S(4) / rods.mass();  // J M^-1 J^T
    for (BodyIndex j = 1; j <= rods.num_rods(); ++j) {
      const auto of = [&](BodyIndex i) { return S(static_cast<ValueOf<S>>(count(i))); };
      weight_[row_of(j)] = S(1) / (of(j) * moved_by_pull);
      weight_.template segment<d>(row_of(j) + 1).setConstant(S(1) / ((of(j) + of(rods.parent(j))) * moved_by_joint));
    }
  }
  explicit RegularizedRods(Space&&) = delete;  // would dangle

  /// Returns the loop of a row; none for a row of the tree.
  Culprit loop_of(Eigen::Index row) const noexcept {
    return row < loops_at_ ? Culprit{} : Culprit::loop(static_cast<int>((row - loops_at_) / d));
  }
  /// See LoopedTree.
  ///@{
  Status place(const State<S>& x, Culprit&) noexcept {
    this->loop_rates(x.q, gap_);
    this->loop_rates(x.v, rate_);
    for (BodyIndex j = 1; j <= rods_->num_rods(); ++j) {
      const Point r = Space::vector_of(j, x.q);
      gap_[row_of(j)] = (r.squaredNorm() - rods_->length() * rods_->length()) / S(2);
      rate_[row_of(j)] = r.dot(Space::vector_of(j, x.v));
      const BodyIndex parent = rods_->parent(j);
      gap_.template segment<d>(row_of(j) + 1) = Space::end_of(j, x.q) - r;
      rate_.template segment<d>(row_of(j) + 1) = Space::end_of(j, x.v) - Space::vector_of(j, x.v);
      if (parent > 0) {
        gap_.template segment<d>(row_of(j) + 1) -= Space::end_of(parent, x.q);
        rate_.template segment<d>(row_of(j) + 1) -= Space::end_of(parent, x.v);
      } else {
        gap_.template segment<d>(row_of(j) + 1) -= rods_->knot(j);
      }
    }
    return Status::converged;
  }
  Status accelerate(const State<S>& x, const detail::NoDrive&, const S&, const S&, const VectorX<S>& lambda, Culprit&) noexcept {
    const S& m = rods_->mass();
    push_.setZero();
    this->push_by_loops(lambda);
    for (BodyIndex j = 1; j <= rods_->num_rods(); ++j) {
      const Point of_joint = lambda.template segment<d>(row_of(j) + 1);
      Space::end_of(j, push_) += m * rods_->acceleration() - of_joint;
      Space::vector_of(j, push_) += of_joint - m / S(2) * rods_->acceleration() - lambda[row_of(j)] * Point(Space::vector_of(j, x.q));
      if (rods_->parent(j) > 0) Space::end_of(rods_->parent(j), push_) += of_joint;
    }
    for (BodyIndex j = 1; j <= rods_->num_rods(); ++j) {  // M^-1 = [4, 6; 6, 12] / m
      Space::end_of(j, a_) = (S(4) * Space::end_of(j, push_) + S(6) * Space::vector_of(j, push_)) / m;
      Space::vector_of(j, a_) = (S(6) * Space::end_of(j, push_) + S(12) * Space::vector_of(j, push_)) / m;
    }
    return detail::all_finite(a_) ? Status::converged : Status::not_finite;
  }
  ///@}

 private:
  Eigen::Index row_of(BodyIndex j) const noexcept { return (d + 1) * (j - 1); }
};

}  // namespace actio
