// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/svi.hpp"
#include "actio/dynamics/svi_jacobian.hpp"

namespace actio {

/// The residual as a type, as Drnea, with the same sizes and units.
struct Svi {
  /// Workspace of the residual, and of its Jacobian too.
  template <Scalar S>
  using Data = SviData<S>;
  static constexpr bool includes_gravity = true;  ///< its momenta hold the impulse of gravity: whoever adds it adds none

  /// Nothing: SviData has all it takes.
  template <Scalar S>
  struct JacobianData {
    /// Takes any model.
    template <class Joints>
    explicit JacobianData(const Model<S, Joints>&) {}  // SviData has all it takes
  };

  /// Evaluates the increment x.  @param tree at q_k.
  template <Scalar S, class Joints>
  static void move(const Model<S, Joints>& model, const TreePose<S>& tree, SviData<S>& data, const VectorX<S>& x, const S& h) noexcept {
    svi_evaluate(model, data, tree.q, x, h);
  }
  /// f^T M^-1 f [J] of the residual f = left momentum - rhs there, reduced for abi_expand.
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, SviData<S>& data, AbiData<S>& abi, const VectorX<S>& rhs) noexcept {
    data.residual = data.left - rhs;
    return abi_reduce(model, tree, abi, data.residual);
  }
  /// Left momentum there.
  template <Scalar S, class Joints>
  static const VectorX<S>& left_momentum(const Model<S, Joints>&, const TreePose<S>&, SviData<S>& data) noexcept {
    return data.left;
  }
  /// Left and right momentum there.  @param right (nv) out.  @returns the left one.
  template <Scalar S, class Joints>
  static const VectorX<S>& momenta(const Model<S, Joints>&, const TreePose<S>&, const TreePose<S>&, SviData<S>& data, VectorX<S>& right) noexcept {
    right = data.right;
    return data.left;
  }
  /// Twice the kinetic energy over that increment [J].
  template <Scalar S>
  static S energy(const SviData<S>& data, const S&) noexcept {
    return data.dL_dv.dot(data.v);
  }
  /// d left / dx as a matrix at the x of the last move().  @param added (nv) the joints' own part [N m s/rad, N s/m].
  /// @param J (nv x nv) out, of that size.
  template <Scalar S, class Joints>
  static void jacobian(const Model<S, Joints>& model, const TreePose<S>&, SviData<S>& data, JacobianData<S>&, const VectorX<S>&, const S&,
                       const VectorX<S>& added, MatrixX<S>& J) noexcept {
    svi_jacobian(model, data, J);
    J.diagonal() += added;
  }

  /// No body: increments of flat joints may turn as far as they will.
  template <Scalar S>
  static BodyIndex overturned(const SviData<S>&) noexcept {
    return 0;
  }
  /// Always: the same.
  template <Scalar S>
  static bool plausible(const SviData<S>&) noexcept {
    return true;
  }
};

}  // namespace actio
