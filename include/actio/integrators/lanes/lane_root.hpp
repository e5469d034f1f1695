// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The root finder of one lane of a batch: what Automatic decides, for a caller that evaluates the norms of all lanes at once.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/solvers/root/automatic.hpp"

namespace actio::detail {

/// The decisions of Automatic in one lane, with the same counts, limits and memory. The caller asks which norm of f it wants at the present
/// x, evaluates it, and is told what becomes of x:
///   root.begin(options, memory);  while (root.wanted() != Norm::none) move x by root.judge(the wanted norm, ...)
template <class V>
class LaneRoot {
 public:
  using Memory = Automatic::Memory<V>;  ///< kept from one root to the next
  /// The norm that is wanted at x.
  enum class Norm {
    none,         ///< the iteration has ended
    by_mass,      ///< with the approximate inverse
    by_jacobian,  ///< with the last factors of the exact Jacobian
    by_new_jacobian  ///< with the exact Jacobian, factored at x
  };
  /// What becomes of x after a norm.
  enum class Move {
    stay,  ///< x does not change, and f need not be evaluated again
    add,   ///< the update z that belongs to the norm is added
    back,  ///< the last update is taken back
    halve  ///< half of the last update is taken back, and z becomes the other half
  };

  LaneRoot() = default;  ///< ended
  /// Begins at a guess.
  void begin(const RootOptions<V>& options, const Memory& memory) noexcept {
    rule_ = StoppingRule<V>(options, Method::riqn);
    memory_ = memory;
    memory_.keeps_inverse = false;
    goal_ = std::max(options.tolerance, 10 * epsilon<V>);
    norm_ = V(0);
    part_ = Part::riqn;
    wanted_ = Norm::by_mass;
    if (memory_.exact) to_jacobian();
  }

  Norm wanted() const noexcept { return wanted_; }                             ///< the norm that judge() expects
  const RootResult<V>& result() const noexcept { return rule_.result(); }      ///< once the iteration has ended
  const Memory& memory() const noexcept { return memory_; }                    ///< for the next root, likewise

  /// Judges the wanted norm.  @param plausible whether x is in the region where f may be evaluated.
  /// @param problem with floor(), the norm that rounding errors leave at best.
  template <class Problem>
  Move judge(V norm, bool plausible, Problem&& problem) noexcept {
    const V before = std::exchange(norm_, norm);
    switch (part_) {
      case Part::riqn: return judge_riqn(norm, before, problem);
      case Part::first_factors:
        rule_.count_factorization();
        if (rule_.stop(norm, problem)) return end();
        if (rule_.result().iterations == 0 && Automatic::updates(norm, goal_, memory_.contraction) <= V(Automatic::few_updates)) {
          memory_.exact = false;
        }
        return update_by_jacobian();
      case Part::update:
        if (rule_.stop(norm, problem)) return end();
        if (norm > before / 10 && !(norm < small) && !(norm < 10 * problem.floor())) {
          rule_.set_method(Method::newton);
          before_ = before;
          cuts_ = 0;
          return shorten(plausible);
        }
        return update_by_jacobian();
      case Part::shortened: return shorten(plausible);
      case Part::new_factors: rule_.count_factorization(); return update_by_jacobian();
    }
    return Move::stay;
  }

 private:
  static constexpr V small = 1000 * epsilon<V>;
  enum class Part { riqn, first_factors, update, shortened, new_factors };

  template <class Problem>
  Move judge_riqn(V norm, V before, Problem& problem) noexcept {
    const int made = rule_.result().iterations;
    if (made > 0 && before > small) memory_.contraction = std::max(norm / before, epsilon<V>);
    const bool stops = rule_.stop(norm, problem);
    Move move = Move::stay;
    if (!stops) {
      const bool is_slow = norm > small && Automatic::updates(norm, goal_, memory_.contraction) + static_cast<V>(made) > V(Automatic::most_updates);
      if (!is_slow) {
        rule_.count_update();
        return Move::add;
      }
      memory_.exact = true;
      if (made > 0 && !(norm < before)) move = Move::back;
    }
    if (made > Automatic::most_updates) memory_.exact = true;
    memory_.keeps_inverse = !memory_.exact && made <= 1 && memory_.contraction < V(0.02);
    if (stops && result().status == Status::converged) return end();
    rule_.judge_again();
    to_jacobian();
    return move;
  }
  void to_jacobian() noexcept {
    rule_.set_method(Method::simplified_newton);
    part_ = Part::first_factors;
    wanted_ = Norm::by_new_jacobian;
  }
  Move update_by_jacobian() noexcept {
    rule_.count_update();
    part_ = Part::update;
    wanted_ = Norm::by_jacobian;
    return Move::add;
  }
  /// Halves the last update while it does not reduce the norm; then the Jacobian is factored anew.
  Move shorten(bool plausible) noexcept {
    if ((plausible && norm_ <= before_) || norm_ < 100 * epsilon<V>) {
      part_ = Part::new_factors;
      wanted_ = Norm::by_new_jacobian;
      return Move::stay;
    }
    if (cuts_++ == 3) {
      rule_.end(Status::max_iterations);
      return end();
    }
    rule_.count_evaluation();
    part_ = Part::shortened;
    return Move::halve;
  }
  Move end() noexcept {
    wanted_ = Norm::none;
    return Move::stay;
  }

  StoppingRule<V> rule_{RootOptions<V>{}, Method::riqn};
  Memory memory_;
  V goal_{}, norm_{}, before_{};
  Part part_ = Part::riqn;
  Norm wanted_ = Norm::none;
  int cuts_ = 0;
};

}  // namespace actio::detail
