// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Chooses the factorisation of a model for Factorization::automatic, from its loops, couplings and trees.
#include "actio/dynamics/requirements.hpp"
#include "actio/equations/factorization.hpp"
#include "actio/equations/iterated_closures.hpp"

namespace actio::detail {

/// Returns the number of iterations that an update of the impulses of loops and couplings takes in the model's neutral pose, which measures
/// the conditioning of the rows.  @param most it stops there.  @pre no body lacks inertia
template <class Model>
int closure_iterations(const Model& model, int most) {
  using S = typename Model::Scalar;
  TreePose<S> tree(model);
  AbiData<S> mass(model);
  TreeClosures<Model> closures(model);
  auto rotations = closures.make_rotations();
  IteratedClosures<Model> iterated(model, false);
  const VectorX<S> joint = model.properties().armature, R = VectorX<S>::Zero(closures.size());
  place(model, tree, model.neutral());
  closures.place(tree, rotations);
  const ClosedNode<Model> at{tree, mass, closures, joint, R, R, false};
  if (abi_factor(model, tree, mass, VectorX<S>::Zero(model.nv())) != 0 || !iterated.factor_mass(at)) return most;
  VectorX<S> w = VectorX<S>::Zero(model.nv()), L = R;
  for (Eigen::Index k = 0; k < L.size(); ++k) L[k] = S(ValueOf<S>(1) + ValueOf<S>((7 * k) % 5));  // a generic right-hand side
  iterated.solve_mass(at, w, L, Accuracy::of_update, most);
  return iterated.iterations();
}

/// Below this number of rows a dense matrix is faster than the alternatives.
inline constexpr Eigen::Index few_rows = 12;

/// Returns the factorisation that is used for a model. Measured where `iterated` is chosen, arms with a four-bar at the end of each: a
/// compliant step takes 0.91 to 0.93 of the time of a sparse one. Blocks are the fastest for several trees of at most twelve velocities
/// each on average, as in piles, with or without robots in them; and for eight robots and more, since their islands are solved one by one:
/// where one of sixteen quadrupeds is difficult, one matrix for all took 1.6 times as long. Two robots take 1.5 times as long in blocks.
/// @param rows of loops and couplings that are not part of the tree.
/// @param wanted the user's choice; unless it is blocks, it does not matter without rows.  @param trees that hang from the world; 1 if
/// blocks are not to be chosen.  @param rigid_contacts whether rows of rigid contacts act on the same bodies: the errors of a sparse
/// factorisation grow with the square of their stiffness.
template <class Model>
Factorization choose_factorization(const Model& model, Eigen::Index rows, Factorization wanted, std::size_t trees = 1,
                                   bool rigid_contacts = false) {
  constexpr int quick = 3;
  const auto is_at_most = [&](std::size_t velocities) { return static_cast<std::size_t>(model.nv()) <= velocities * trees; };
  const bool is_pile = (trees > 1 && is_at_most(12)) || (trees >= 8 && is_at_most(40));
  if (wanted == Factorization::blocks || (wanted == Factorization::automatic && is_pile)) return Factorization::blocks;
  if (rows == 0) return Factorization::dense;  // which needs no inertia
  if (wanted != Factorization::automatic) return wanted;
  if (rows < few_rows || rigid_contacts || first_without_inertia(model) != 0) return Factorization::dense;
  return closure_iterations(model, quick + 1) <= quick ? Factorization::iterated : Factorization::sparse;
}

}  // namespace actio::detail
