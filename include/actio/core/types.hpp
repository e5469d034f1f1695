// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Vectors, matrices and arrays over bodies.
#include <Eigen/Core>

#include <vector>

#include "actio/core/scalar.hpp"

/// For the few operations that every sweep is made of: compilers give up inlining in the middle of a sweep over many joint types.
#if defined(__GNUC__)
#define ACTIO_INLINE [[gnu::always_inline]] inline
#define ACTIO_INLINE_LAMBDA __attribute__((always_inline))  ///< the same, behind the parameters of a lambda
#else
#define ACTIO_INLINE inline
#define ACTIO_INLINE_LAMBDA
#endif

/// Rigid multibody dynamics, variational integrators foremost. The conventions of the whole library, said once:
///  * SI units, radians.
///  * Twists and wrenches are 6-vectors, angular part first, in the body's own frame unless a name says otherwise.
///  * T_AB takes coordinates in B to coordinates in A; p_AB_W is the position from A to B expressed in W.
///  * dexp and dlog are right-trivialised: d exp(w) exp(w)^-1 = hat(dexp(w) dw).
///  * Quaternions are Hamilton, unit, body to world, stored (x, y, z, w).
///  * Body 0 is the world; parent(i) < i; body i hangs on joint i.
namespace actio {

///@{
/// A column or matrix of S. A digit is a size fixed at compile time, X one known at run time: a Matrix6X is 6 x n.
template <class S> using Vector2 = Eigen::Matrix<S, 2, 1>;
template <class S> using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S> using Vector6 = Eigen::Matrix<S, 6, 1>;
template <class S> using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S> using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S> using Matrix6 = Eigen::Matrix<S, 6, 6>;
template <class S> using Matrix3X = Eigen::Matrix<S, 3, Eigen::Dynamic>;
template <class S> using Matrix6X = Eigen::Matrix<S, 6, Eigen::Dynamic>;
template <class S> using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
///@}
///@{
/// What functions take for a column of n numbers: a VectorX, or a segment or column of something larger, without a copy.
template <class S> using VectorRef = Eigen::Ref<VectorX<S>>;
template <class S> using ConstVectorRef = Eigen::Ref<const VectorX<S>>;
///@}

/// Index of a body and of the joint it hangs on; 0 is the world.
using BodyIndex = Eigen::Index;

/// One T for each body, the world included.
template <class T>
class BodyArray {
 public:
  BodyArray() = default;  ///< of no body, not even the world
  explicit BodyArray(BodyIndex bodies) : items_(static_cast<std::size_t>(bodies)) {}  ///< T{} for each of so many bodies, the world counted
  /// A copy of value for each of so many bodies, the world counted.
  BodyArray(BodyIndex bodies, const T& value) : items_(static_cast<std::size_t>(bodies), value) {}
  ///@{
  /// Of body i, 0 <= i < size(): not checked.
  T& operator[](BodyIndex i) { return items_[static_cast<std::size_t>(i)]; }
  const T& operator[](BodyIndex i) const { return items_[static_cast<std::size_t>(i)]; }
  ///@}
  BodyIndex size() const { return static_cast<BodyIndex>(items_.size()); }  ///< bodies, the world counted
  void push_back(const T& item) { items_.push_back(item); }                 ///< appends that of body size()
  ///@{
  /// In the order of the bodies, the world first.
  auto begin() { return items_.begin(); }
  auto begin() const { return items_.begin(); }
  auto end() { return items_.end(); }
  auto end() const { return items_.end(); }
  ///@}
  friend bool operator==(const BodyArray&, const BodyArray&) = default;  ///< same size and each T equal

 private:
  std::vector<T> items_;
};

/// A 6-vector from its entries, stored one by one.
template <class S>
ACTIO_INLINE Vector6<S> vector6(const S& a, const S& b, const S& c, const S& d, const S& e, const S& f) {
  Vector6<S> x;
  x[0] = a, x[1] = b, x[2] = c, x[3] = d, x[4] = e, x[5] = f;
  return x;
}

/// A 6-vector from its angular and its linear part.
template <class S>
ACTIO_INLINE Vector6<S> spatial(const Vector3<S>& angular, const Vector3<S>& linear) {
  return vector6<S>(angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]);
}

}  // namespace actio

/// A broken precondition is a caller's bug: checked in debug builds only.
#ifndef ACTIO_ASSERT
#include <cassert>
#define ACTIO_ASSERT(condition) assert(condition)
#endif
