// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The residual of the discrete Euler-Lagrange equation by the scalable variational integrator of Johnson and Murphey.
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/svi/jacobian.hpp"
#include "actio/dynamics/svi/svi.hpp"

namespace actio {

/// The residual by the scalable variational integrator, as a type with the sizes and units of Drnea: for comparison with the papers, whose
/// baseline it is. Steps in which a body rotates by more than half a radian are refused.
struct Svi {
  /// Workspace of the residual and of its Jacobian.
  template <Scalar S>
  using Data = SviData<S>;
  static constexpr bool includes_gravity = true;  ///< its momenta include the impulse of gravity, which must not be added again

  /// Empty: SviData contains all that is needed.
  template <Scalar S>
  struct JacobianData {
    /// Accepts any model.
    template <class Joints>
    explicit JacobianData(const Model<S, Joints>&) {}  // SviData contains all that is needed
  };

  /// Evaluates both momenta at the increment x.  @param tree at q_k.
  template <Scalar S, class Joints>
  static void move(const Model<S, Joints>& model, const TreePose<S>& tree, SviData<S>& data, const VectorX<S>& x, const S& h) noexcept {
    svi_evaluate(model, data, tree.q, x, h);
  }
  /// Reduces the residual f = left momentum - rhs at the last move() for abi_expand().  @returns f^T M^-1 f [J].
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, SviData<S>& data, AbiData<S>& abi,
                  const VectorX<S>& rhs) noexcept {
    data.residual = data.left - rhs;
    return abi_reduce(model, tree, abi, data.residual);
  }
  /// Returns the left momentum at the last move().
  template <Scalar S, class Joints>
  static const VectorX<S>& left_momentum(const Model<S, Joints>&, const TreePose<S>&, SviData<S>& data) noexcept {
    return data.left;
  }
  /// Computes the left and right momentum at the last move().  @param right (nv) result.  @returns the left one.
  template <Scalar S, class Joints>
  static const VectorX<S>& momenta(const Model<S, Joints>&, const TreePose<S>&, const TreePose<S>&, SviData<S>& data,
                                   VectorX<S>& right) noexcept {
    right = data.right;
    return data.left;
  }
  /// Returns twice the kinetic energy over the last move() [J].
  template <Scalar S>
  static S energy(const SviData<S>& data, const S&) noexcept {
    return data.dL_dv.dot(data.v);
  }
  /// Computes d left / dx as a matrix at the x of the last move().  @param added (nv) part of the joint terms [N m s/rad, N s/m].
  /// @param J (nv x nv) result, of that size.
  template <Scalar S, class Joints>
  static void jacobian(const Model<S, Joints>& model, const TreePose<S>&, SviData<S>& data, JacobianData<S>&, const VectorX<S>&, const S&,
                       const VectorX<S>& added, MatrixX<S>& J) noexcept {
    svi_jacobian(model, data, J);
    J.diagonal() += added;
  }

  /// Returns the first body that rotated by more than half a radian, or by NaN; 0 when there is none. A larger step may have other roots
  /// than that of the motion: passive trees were seen to converge to them and to gain their energy a million times over.
  template <Scalar S>
  static BodyIndex overturned(const SviData<S>& data) noexcept {
    return first_rotated_beyond(data, S(1) / S(2));
  }
  /// Returns whether no body rotated by more than 1 rad, the limit of a safeguarded iteration.
  template <Scalar S>
  static bool plausible(const SviData<S>& data) noexcept {
    return first_rotated_beyond(data, S(1)) == 0;
  }

 private:
  /// Returns the first body that its angular velocity at the middle of the step rotates by more than an angle [rad] in the step.
  template <Scalar S>
  static BodyIndex first_rotated_beyond(const SviData<S>& data, const S& angle) noexcept {
    for (BodyIndex i = 1; i < data.V.size(); ++i) {
      if (!all(data.V[i].template head<3>().squaredNorm() * data.h * data.h <= angle * angle)) return i;
    }
    return 0;
  }
};

}  // namespace actio
