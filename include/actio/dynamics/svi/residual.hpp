// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/svi/jacobian.hpp"
#include "actio/dynamics/svi/svi.hpp"

namespace actio {

/// The residual as a type, as Drnea, with the same sizes and units: for comparison with the papers, whose baseline it is. Steps in which a
/// body turns by more than half a radian are refused.
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

  /// The first body that turned by more than half a radian, or by no number; 0 when there is none. A step taken there may have other roots
  /// than the motion's: passive trees were seen to converge to them and to gain their energy a million times over.
  template <Scalar S>
  static BodyIndex overturned(const SviData<S>& data) noexcept {
    return turned_beyond(data, S(1) / S(2));
  }
  /// Whether no body turned by more than 1 rad: where a safeguarded iteration keeps.
  template <Scalar S>
  static bool plausible(const SviData<S>& data) noexcept {
    return turned_beyond(data, S(1)) == 0;
  }

 private:
  /// The first body whose angular velocity at the middle of the step turns it by more than an angle [rad] in the step.
  template <Scalar S>
  static BodyIndex turned_beyond(const SviData<S>& data, const S& angle) noexcept {
    for (BodyIndex i = 1; i < data.V.size(); ++i) {
      if (!all(data.V[i].template head<3>().squaredNorm() * data.h * data.h <= angle * angle)) return i;
    }
    return 0;
  }
};

}  // namespace actio
