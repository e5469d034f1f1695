// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// DRNEA as the variational integrator wants it: how the discrete Euler-Lagrange equation is evaluated and linearised.
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/drnea/drnea.hpp"
#include "actio/dynamics/drnea/jacobian.hpp"
#include "actio/dynamics/tree_lu.hpp"

namespace actio {

/// The residual as a type, by DRNEA: workspaces and functions that the variational integrator calls by these names, as Svi.
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
    detail::TreeMatrix<S> rates;          ///< body by body
    detail::TreeLu<S> of_jacobian;  ///< of J, leaf to root
    /// All sized for the model.
    template <class Joints>
    explicit Factors(const Model<S, Joints>& model) : rates(model), of_jacobian(model) {}
  };
  /// Workspace of J as a dense matrix.
  template <Scalar S>
  struct JacobianData {
    detail::TreeMatrix<S> rates;           ///< body by body
    detail::DrneaJacobianData<S> columns;  ///< of one column at a time
    /// All sized for the model.
    template <class Joints>
    explicit JacobianData(const Model<S, Joints>& model) : rates(model), columns(model) {}
  };

  /// Moves the bodies to the increment x.
  template <Scalar S, class Joints>
  static void move(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data, const VectorX<S>& x, const S& h) noexcept {
    drnea_outward<Kind>(model, tree, data, x, h);
  }
  /// f^T M^-1 f [J] of the residual f = left momentum - rhs there, reduced for abi_expand.
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, AbiData<S>& abi, const VectorX<S>& rhs) noexcept {
    return abi_reduce(model, tree, abi, data.mu, rhs);
  }
  /// Left momentum there.
  template <Scalar S, class Joints>
  static const VectorX<S>& left_momentum(const Model<S, Joints>& model, const TreePose<S>& tree, DrneaData<S>& data) noexcept {
    return drnea_inward(model, tree, data);
  }
  /// Left and right momentum there.  @param next the tree at the end of the increment.  @param right (nv) out.  @returns the left one.
  template <Scalar S, class Joints>
  static const VectorX<S>& momenta(const Model<S, Joints>& model, const TreePose<S>& tree, const TreePose<S>& next, DrneaData<S>& data,
                                   VectorX<S>& right) noexcept {
    return drnea_momenta(model, tree, next, data, right);
  }

  /// Twice the kinetic energy over that increment, to first order in h [J].
  template <Scalar S>
  static S energy(const DrneaData<S>& data, const S&) noexcept {
    return data.energy;
  }

  /// Factors J = df/dx at the x of the last move().  @param added (nv) the joints' own part [N m s/rad, N s/m].
  /// @returns as tree_lu_factor.
  template <Scalar S, class Joints>
  static BodyIndex factor(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, Factors<S>& factors,
                          const VectorX<S>& x, const S& h, const VectorX<S>& added) noexcept {
    drnea_rates<Kind>(model, tree, data, factors.rates, x, h);
    return tree_lu_factor(model, tree, factors.rates, factors.of_jacobian, added);
  }
  /// Reduces f = left momentum - rhs at the last move() with those factors.  @returns about h f^T M^-1 f [J s]: see tree_lu_reduce.
  template <Scalar S, class Joints>
  static S reduce(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, Factors<S>& factors, const VectorX<S>& rhs) noexcept {
    return tree_lu_reduce(model, tree, factors.of_jacobian, data.mu, rhs);
  }
  /// z = J^-1 f of the f reduced last.  @param z (nv) out.
  template <Scalar S, class Joints>
  static void expand(const Model<S, Joints>& model, const TreePose<S>& tree, Factors<S>& factors, VectorX<S>& z) noexcept {
    tree_lu_expand(model, tree, factors.rates, factors.of_jacobian, z);
  }
  /// z = J^-1 f.  @param f, z (nv), may be the same.
  template <Scalar S, class Joints>
  static void solve(const Model<S, Joints>& model, const TreePose<S>& tree, Factors<S>& factors,
                    const std::type_identity_t<ConstVectorRef<S>>& f, std::type_identity_t<VectorRef<S>> z) noexcept {
    tree_lu_solve(model, tree, factors.rates, factors.of_jacobian, f, z);
  }
  /// J as a matrix at the x of the last move().  @param added as of factor().  @param J (nv x nv) out, of that size.
  template <Scalar S, class Joints>
  static void jacobian(const Model<S, Joints>& model, const TreePose<S>& tree, const DrneaData<S>& data, JacobianData<S>& work, const VectorX<S>& x,
                       const S& h, const VectorX<S>& added, MatrixX<S>& J) noexcept {
    drnea_rates<Kind>(model, tree, data, work.rates, x, h);
    drnea_jacobian(model, tree, work.rates, work.columns, added, J);
  }

  /// (bodies) of each body over the last move(), in its own frame.
  template <Scalar S>
  static const BodyArray<Displacement<S>>& displacements(const DrneaData<S>& data) noexcept {
    return data.dT;
  }
  /// The first body that turned by half a turn or more, which no displacement represents; 0 when there is none.
  template <Scalar S>
  static BodyIndex overturned(const DrneaData<S>& data) noexcept {
    return turned_beyond(data, S(0));
  }
  /// Whether no body turned by more than 2 rad: where a safeguarded iteration keeps.              [vi_math.md, section 7.8]
  template <Scalar S>
  static bool plausible(const DrneaData<S>& data) noexcept {
    return turned_beyond(data, S(ValueOf<S>(0.5403))) == 0;  // cos(1)
  }

 private:
  /// The first body whose turn has a half-angle cosine of at most w, or none at all (NaN).
  template <Scalar S>
  static BodyIndex turned_beyond(const DrneaData<S>& data, const S& w) noexcept {
    for (BodyIndex i = 1; i < data.dT.size(); ++i) {
      if (!all(data.dT[i].dQ.w() > w)) return i;
    }
    return 0;
  }
};

}  // namespace actio
