// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Conventions of the whole library; vectors, matrices and arrays over bodies.
#include <Eigen/Core>

#include <vector>

#include "actio/core/reproducible.hpp"
#include "actio/core/scalar.hpp"

/// Forces inlining of the few operations that every sweep consists of: compilers stop inlining amid a sweep over many joint types.
#if defined(__GNUC__)
#define ACTIO_INLINE [[gnu::always_inline]] inline
#define ACTIO_INLINE_LAMBDA __attribute__((always_inline))  ///< the same for a lambda, after its parameters
#else
#define ACTIO_INLINE inline
#define ACTIO_INLINE_LAMBDA
#endif

/// Rigid multibody dynamics, variational integrators foremost. Conventions of the whole library:
///  * SI units, radians.
///  * Twists and wrenches are 6-vectors, angular part first, in the body's own frame unless a name says otherwise.
///  * T_AB takes coordinates in B to coordinates in A; p_AB_W is the position from A to B expressed in W.
///  * dexp and dlog are right-trivialised: d exp(w) exp(w)^-1 = hat(dexp(w) dw).
///  * Quaternions are Hamilton, unit, body to world, stored (x, y, z, w).
///  * Body 0 is the world; parent(i) < i; joint i connects body i to its parent.
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
/// Parameter types for a column of n numbers: they accept a VectorX, or a segment or column of a larger object, without a copy.
template <class S> using VectorRef = Eigen::Ref<VectorX<S>>;
template <class S> using ConstVectorRef = Eigen::Ref<const VectorX<S>>;
///@}

/// Index of a body and of the joint that connects it to its parent; 0 is the world.
using BodyIndex = Eigen::Index;

/// One T for each body, the world included.
template <class T>
class BodyArray {
 public:
  BodyArray() = default;  ///< an empty array, without an entry for the world
  explicit BodyArray(BodyIndex bodies) : items_(static_cast<std::size_t>(bodies)) {}  ///< T{} for each body, the world counted
  /// A copy of value for each body, the world counted.
  BodyArray(BodyIndex bodies, const T& value) : items_(static_cast<std::size_t>(bodies), value) {}
  ///@{
  /// Returns the entry of body i.  @pre 0 <= i < size(), which is not checked.
  T& operator[](BodyIndex i) { return items_[static_cast<std::size_t>(i)]; }
  const T& operator[](BodyIndex i) const { return items_[static_cast<std::size_t>(i)]; }
  ///@}
  BodyIndex size() const { return static_cast<BodyIndex>(items_.size()); }  ///< number of bodies, the world counted
  void push_back(const T& item) { items_.push_back(item); }                 ///< appends the entry of body size()
  ///@{
  /// Iterators in the order of the bodies, the world first.
  auto begin() { return items_.begin(); }
  auto begin() const { return items_.begin(); }
  auto end() { return items_.end(); }
  auto end() const { return items_.end(); }
  ///@}
  friend bool operator==(const BodyArray&, const BodyArray&) = default;  ///< whether sizes and entries are equal

 private:
  std::vector<T> items_;
};

/// Returns the 6-vector of these entries, which are stored one by one.
template <class S>
ACTIO_INLINE Vector6<S> vector6(const S& a, const S& b, const S& c, const S& d, const S& e, const S& f) {
  Vector6<S> x;
  x[0] = a, x[1] = b, x[2] = c, x[3] = d, x[4] = e, x[5] = f;
  return x;
}

/// Returns the 6-vector of an angular and a linear part.
template <class S>
ACTIO_INLINE Vector6<S> spatial(const Vector3<S>& angular, const Vector3<S>& linear) {
  return vector6<S>(angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]);
}

}  // namespace actio

/// Checks a precondition, in debug builds only: a broken precondition is a bug of the caller.
#ifndef ACTIO_ASSERT
#include <cassert>
#define ACTIO_ASSERT(condition) assert(condition)
#endif
