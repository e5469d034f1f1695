// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The springs along the tangents of contacts, which remember from step to step how far a contact moved.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "actio/contacts/points.hpp"

namespace actio::detail {

/// The state of a contact's tangential spring, kept from step to step.
template <Scalar S>
struct TangentialStretch {
  std::uint64_t id = 0;                 ///< of the contact's first row
  S stiffness{};                        ///< [N/m]
  Vector3<S> s_A = Vector3<S>::Zero();  ///< displacement of b against a since the spring was slack, less what slid; in a's frame [m]
  S energy() const { return stiffness * s_A.squaredNorm() / S(2); }  ///< [J]
};

/// The tangential springs of one step. Their stretches at its end follow from the force that spring, damper and friction have in common,
///   lambda_t = -K s1 - C (s1 - s0) / h,  so  s1 = (C s0 - h lambda_t) / (C + h K).
/// Where a contact sticks, that is s0 + h w_t; where it slides, |s1| is bounded as friction is; where it is open, the spring is slack.
/// Only the constructor allocates.
template <Scalar S>
class TangentialSprings {
 public:
  using Tangents = std::array<Vector3<S>, 2>;  ///< of a contact, in the world

  explicit TangentialSprings(std::size_t capacity) : springs_(capacity) {}  ///< @param capacity number of contacts

  /// Begins a step.  @param stretched the springs at its beginning, by ascending id; they outlive stretch().
  void begin(std::span<const TangentialStretch<S>> stretched) noexcept {
    stretched_ = stretched;
    num_ = 0;
  }
  std::size_t size() const noexcept { return num_; }  ///< number of springs added
  /// Returns the stretch s0 along the tangents [m]; zero for a spring that is slack.  @param id larger than that of the call before.
  /// @param R_Wa axes of body a in the world.
  Vector2<S> stretch(std::uint64_t id, const Tangents& tangents, const Matrix3<S>& R_Wa) noexcept {
    while (!stretched_.empty() && stretched_.front().id < id) stretched_ = stretched_.subspan(1);
    if (stretched_.empty() || stretched_.front().id != id) return Vector2<S>::Zero();
    const Vector3<S> s = R_Wa * stretched_.front().s_A;
    return {tangents[0].dot(s), tangents[1].dot(s)};
  }
  /// Adds the spring of a contact.  @param s0 as stretch() returned it.  @param row of the contact's normal.  @param R_t of its tangents.
  /// @param h [s].  @param counts whether the spring's stretch advances by the step.
  void add(std::uint64_t id, const ContactMaterial<S>& material, const Tangents& tangents, const Matrix3<S>& R_Wa, const Vector2<S>& s0,
           Eigen::Index row, const S& R_t, const S& h, bool counts) noexcept {
    const S C = material.tangential_damping, K = material.tangential_stiffness;
    springs_[num_++] = {id, K, {R_Wa.transpose() * tangents[0], R_Wa.transpose() * tangents[1]}, s0, row,
                        counts ? S(C / (C + h * K)) : S(1), counts ? S(h * R_t) : S(0)};
  }
  /// Computes the stretches at the end of the step.  @param lambda (rows).  @param next out: the first size(), by ascending id.
  void follow(const ConstVectorRef<S>& lambda, std::span<TangentialStretch<S>> next) const noexcept {
    for (std::size_t k = 0; k < num_; ++k) {
      const Spring& spring = springs_[k];
      const Vector2<S> s1 = spring.kept * spring.s0 - spring.yields * lambda.template segment<2>(spring.row + 1);
      next[k] = {spring.id, spring.stiffness, s1[0] * spring.tangents_A[0] + s1[1] * spring.tangents_A[1]};
    }
  }

 private:
  struct Spring {  // s1 = kept s0 - yields lambda_t
    std::uint64_t id = 0;
    S stiffness{};        // [N/m]
    Tangents tangents_A;  // in a's frame
    Vector2<S> s0;
    Eigen::Index row = 0;
    S kept{}, yields{};   // 1, m/N
  };

  std::span<const TangentialStretch<S>> stretched_;  // those that stretch() may still find
  std::vector<Spring> springs_;
  std::size_t num_ = 0;
};

}  // namespace actio::detail
