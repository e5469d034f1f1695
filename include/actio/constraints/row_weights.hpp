// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How rows give way if the bodies they tie were free of all else: a bound, known without a look at the tree, of how they do in it.
#include <array>

#include "actio/constraints/free_bodies.hpp"
#include "actio/math/invert.hpp"

namespace actio {

/// Weights of groups of rows, one group a loop or coupling:
///   E = (sum over its bodies b of n_b J_b I_b^-1 J_b^T)^-1,
/// I_b the inertia of the single body and n_b how many groups act on it. As the mass matrix is that of the bodies carried to the joints,
/// J^T I J, the spectrum of E^1/2 D M^-1 D^T E^1/2 lies in [0, 1] for any tree, with armature or without.       [srm_math.md, section 5]
template <Scalar S>
class RowWeights {
 public:
  /// @param acts_on (bodies) groups that act on each, counted with every body they touch; where it is not zero the body has full inertia.
  template <class Joints>
  RowWeights(const Model<S, Joints>& model, const BodyArray<int>& acts_on) : bodies_(model), acts_on_(acts_on) {}

  /// Begins a group of so many rows, six at most.
  void begin(std::size_t count) noexcept {
    count_ = static_cast<int>(count);
    for (S& x : mobility_) x = S(0);
  }
  /// Adds what a body makes give way; nothing for the world.  @param wrench_of (row) on the body, in its frame.
  template <class WrenchOf>
  void add(BodyIndex b, const WrenchOf& wrench_of) noexcept {
    if (b == 0) return;
    const S n(static_cast<ValueOf<S>>(acts_on_[b]));
    std::array<Vector6<S>, 6> F;  // about the centre of mass
    for (int r = 0; r < count_; ++r) F[static_cast<std::size_t>(r)] = bodies_.about_com(b, wrench_of(r));
    for (int r = 0; r < count_; ++r) {
      const Vector6<S> V = n * bodies_.twist(b, F[static_cast<std::size_t>(r)]);
      for (int c = 0; c <= r; ++c) mobility_[static_cast<std::size_t>(r + count_ * c)] += V.dot(F[static_cast<std::size_t>(c)]);
    }
  }
  /// The weights of the group.
  /// @param E (count x count) out, in the upper left.  @returns false where a row acts on nothing or on what others of its group do.
  bool finish(Matrix6<S>& E) noexcept {
    for (int c = 1; c < count_; ++c) {
      for (int r = 0; r < c; ++r) at(r, c) = at(c, r);
    }
    std::array<int, 6> work;
    if (!invert_in_place(mobility_.data(), count_, work.data())) return false;
    for (int c = 0; c < count_; ++c) {
      for (int r = 0; r < count_; ++r) E(r, c) = (at(r, c) + at(c, r)) / S(2);  // symmetric to the last bit
    }
    return true;
  }

 private:
  S& at(int r, int c) noexcept { return mobility_[static_cast<std::size_t>(r + count_ * c)]; }

  FreeBodies<S> bodies_;
  BodyArray<int> acts_on_;  // n_b
  int count_ = 0;
  std::array<S, 36> mobility_{};  // columns of length count_, lower triangle until finished
};

}  // namespace actio
