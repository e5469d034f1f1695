// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The discrete Euler-Lagrange equation of a variational step as a residual that a root finder can evaluate and linearise in O(bodies), by
// the discrete recursive Newton-Euler algorithm (DRNEA).
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/drnea/drnea.hpp"
#include "actio/dynamics/drnea/jacobian.hpp"
#include "actio/dynamics/tree_lu.hpp"

namespace actio {

/// The residual by DRNEA, as a type: workspaces and functions that the variational integrator calls by these names, as those of Svi.
/// In all of them tree is at q_k, x (nv) the increment [rad, m], h the step [s]; momenta and rhs are (nv) [N m s, N s].
/// @tparam Kind of the bodies' discrete kinetic energies: Split, Se3, Mixed or Quat.
template <class Kind>
struct Drnea {
  static constexpr bool includes_gravity = false;  ///< its momenta are those of K_d alone: gravity is a force of the equation

  /// Workspace of the residual.
  template <Scalar S>
  using Data = DrneaData<S>;
  /// Workspace of J = df/dx in factors.
  template <Scalar S>
  struct Factors {
    detail::TreeMatrix<S> rates;          ///< rates, body by body
    detail::TreeLu<S> of_jacobian;  ///< factors of J, leaf to root
    /// Sizes all members for the model.
    template <class Joints>
    explicit Factors(const Model<S, Joints>& model) : rates(model), of_jacobian(model) {}
  };
  /// Workspace of J as a dense matrix.
  template <Scalar S>
  struct JacobianData {
    detail::TreeMatrix<S> rates;           ///< rates, body by body
    detail::DrneaJacobianData<S> columns;  ///< workspace for one column at a time
    /// Sizes all members for the model.
    template <class Joints>
    explicit JacobianData(const Model<S, Joints>& model) : rates(model), columns(model) {}
  };

  /// Moves the bodies to the increment x.
  template <Scalar S, class Joints>
  static void move(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data, const VectorX<S>& x, const S& h) noexcept {
    drnea_outward<Kind>(model, tree, data, x, h);
  }
  /// Reduces the residual f = left momentum - rhs at the last move() for abi_expand().  @returns f^T M^-1 f [J].
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, AbiData<S>& abi,
                  const VectorX<S>& rhs) noexcept {
    return abi_reduce(model, tree, abi, data.mu, rhs);
  }
  /// Returns the left momentum at the last move().
  template <Scalar S, class Joints>
  static const VectorX<S>& left_momentum(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data) noexcept {
    return drnea_inward(model, tree, data);
  }
  /// Computes the left and right momentum at the last move().  @param next the tree at the end of the increment.
  /// @param right (nv) result.  @returns the left one.
  template <Scalar S, class Joints>
  static const VectorX<S>& momenta(const Model<S, Joints>& model, const TreePose<S>& tree, const TreePose<S>& next, DrneaData<S>& data,
                                   VectorX<S>& right) noexcept {
    return drnea_momenta(model, tree, next, data, right);
  }

  /// Returns twice the kinetic energy over the last move(), to first order in h [J].
  template <Scalar S>
  static S energy(const DrneaData<S>& data, const S&) noexcept {
    return data.energy;
  }

  /// Factors J = df/dx at the x of the last move().  @param added (nv) part of the joint terms [N m s/rad, N s/m].
  /// @returns as tree_lu_factor.
  template <Scalar S, class Joints>
  static BodyIndex factor(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, Factors<S>& factors,
                          const VectorX<S>& x, const S& h, const VectorX<S>& added) noexcept {
    drnea_rates<Kind>(model, tree, data, factors.rates, x, h);
    return tree_lu_factor(model, tree, factors.rates, factors.of_jacobian, added);
  }
  /// Reduces f = left momentum - rhs at the last move() with these factors.  @returns about h f^T M^-1 f [J s]: see tree_lu_reduce.
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, Factors<S>& factors,
                  const VectorX<S>& rhs) noexcept {
    return tree_lu_reduce(model, tree, factors.of_jacobian, data.mu, rhs);
  }
  /// Computes z = J^-1 f for the f that was reduced last.  @param z (nv) result.
  template <Scalar S, class Joints>
  static void expand(const Model<S, Joints>& model, const TreePose<S>& tree, Factors<S>& factors, VectorX<S>& z) noexcept {
    tree_lu_expand(model, tree, factors.rates, factors.of_jacobian, z);
  }
  /// Computes z = J^-1 f.  @param f, z (nv), may be the same.
  template <Scalar S, class Joints>
  static void solve(const Model<S, Joints>& model, const TreePose<S>& tree, Factors<S>& factors,
                    const std::type_identity_t<ConstVectorRef<S>>& f, std::type_identity_t<VectorRef<S>> z) noexcept {
    tree_lu_solve(model, tree, factors.rates, factors.of_jacobian, f, z);
  }
  /// Computes J as a matrix at the x of the last move().  @param added as of factor().  @param J (nv x nv) result, of that size.
  template <Scalar S, class Joints>
  static void jacobian(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, JacobianData<S>& work,
                       const VectorX<S>& x, const S& h, const VectorX<S>& added, MatrixX<S>& J) noexcept {
    drnea_rates<Kind>(model, tree, data, work.rates, x, h);
    drnea_jacobian(model, tree, work.rates, work.columns, added, J);
  }

  /// Returns the displacement of each body (bodies) over the last move(), in its own frame.
  template <Scalar S>
  static const BodyArray<Displacement<S>>& displacements(const DrneaData<S>& data) noexcept {
    return data.dT;
  }
  /// Returns the first body that rotated by half a revolution or more, which no displacement represents; 0 when there is none.
  template <Scalar S>
  static BodyIndex overturned(const DrneaData<S>& data) noexcept {
    return first_rotated_beyond(data, S(0));
  }
  /// Returns whether no body rotated by more than 2 rad, the limit of a safeguarded iteration.    [vi_math.md, section 7.8]
  template <Scalar S>
  static bool plausible(const DrneaData<S>& data) noexcept {
    return first_rotated_beyond(data, S(ValueOf<S>(0.5403))) == 0;  // cos(1)
  }

 private:
  /// Returns the first body whose rotation has a half-angle cosine of at most w, or NaN; 0 when there is none.
  template <Scalar S>
  static BodyIndex first_rotated_beyond(const DrneaData<S>& data, const S& w) noexcept {
    for (BodyIndex i = 1; i < data.dT.size(); ++i) {
      if (!all(data.dT[i].dQ.w() > w)) return i;
    }
    return 0;
  }
};

}  // namespace actio
