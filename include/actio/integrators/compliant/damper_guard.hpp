// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The bound on the energy of a compliant step whose joint dampers are stiffer than the step resolves.
#include <algorithm>
#include <cmath>

#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/compliant/momentum_balance.hpp"

namespace actio::detail {

/// Velocity-dependent forces are those at the beginning of a step, so that a step may bring energy. Where a stiff damper locks a joint,
/// that error can grow from step to step in the motion that is left. Trees of bodies that have such a damper get no more energy from a step
/// than its forces gave them: their velocities at its end are reduced by one factor. A damper is stiff where h times its damping is more
/// than half of the joint's articulated inertia with it.                                          [compliant_math.md, section 2.1]
template <class ModelType>
class DamperGuard {
 public:
  using Model = ModelType;           ///< a Model of any joints
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param model outlives this.
  explicit DamperGuard(const Model& model)
      : model_(&model), kinematics_(model), trees_(model.num_bodies()), shares_(VectorX<S>::Ones(model.nv())),
        is_damped_((model.properties().damping.array() > S(0)).any()) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) trees_[i].root = model.parent(i) == 0 ? i : trees_[model.parent(i)].root;
  }

  /// Reduces the velocities of `end`.  @param bodies of the step, begun at `begin`.  @param v1 (nv) velocities before the bodies moved.
  /// @param h [s].
  template <class Bodies>
  void bound(Bodies& bodies, MomentumBalance<Model>& balance, const State<S>& begin, const VectorX<S>& v1, const S& h,
             State<S>& end) noexcept {
    if (!is_damped_ || !find_stiff_dampers(bodies, h)) return;
    const VectorX<S>& forces = balance.forces(begin, v1, h);
    add_energies(begin, S(-1));
    add_energies(end, S(1));
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      for (Eigen::Index v = model_->v_index(i); v < model_->v_index(i) + model_->nv(i); ++v) {
        add(tree_of(i), -h / S(2) * forces[v] * (begin.v[v] + v1[v]));
      }
    }
    using std::sqrt;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Tree& tree = tree_of(i);
      const bool acts = tree.is_stiff && tree.gain > S(16) * epsilon<S> * tree.terms;
      const S share = acts ? sqrt(std::max(S(1) - tree.gain / tree.kinetic, S(0))) : S(1);
      shares_.segment(model_->v_index(i), model_->nv(i)).setConstant(share);
    }
    end.v = end.v.cwiseProduct(shares_);
  }
  /// Returns the factors (nv) of the last bound().
  const VectorX<S>& shares() const noexcept { return shares_; }

 private:
  /// The data of a tree, stored in the entry of its root.
  struct Tree {
    BodyIndex root = 0;  // of the tree of each body
    bool is_stiff = false;
    S gain{},            // energy at the end less that at the beginning and the work of the forces [J]
        terms{},         // sum of the sizes of what gain adds up, for its rounding error [J]
        kinetic{};       // at the end [J]
  };
  Tree& tree_of(BodyIndex i) noexcept { return trees_[trees_[i].root]; }
  static void add(Tree& tree, const S& energy) noexcept {
    using std::abs;
    tree.gain += energy;
    tree.terms += abs(energy);
  }
  template <class Bodies>
  bool find_stiff_dampers(Bodies& bodies, const S& h) noexcept {
    bool any = false;
    shares_.setOnes();
    for (Tree& tree : trees_) tree = {tree.root, false, S(0), S(0), S(0)};
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      for (Eigen::Index k = 0; k < model_->nv(i); ++k) {
        if (bodies.dominates(h * model_->properties().damping[model_->v_index(i) + k], i, k)) any = tree_of(i).is_stiff = true;
      }
    }
    return any;
  }
  /// Adds the energies of all trees at x, with a sign; sets the kinetic energies.
  void add_energies(const State<S>& x, const S& sign) noexcept {
    forward_kinematics(*model_, kinematics_, x.q, x.v);
    for (Tree& tree : trees_) tree.kinetic = S(0);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Vector3<S> com = kinematics_.T_WB[i] * model_->inertia(i).com;
      S kinetic = model_->inertia(i).kinetic_energy(kinematics_.V[i]);
      for (Eigen::Index v = model_->v_index(i); v < model_->v_index(i) + model_->nv(i); ++v) {
        kinetic += model_->properties().armature[v] * x.v[v] * x.v[v] / S(2);
      }
      tree_of(i).kinetic += kinetic;
      add(tree_of(i), sign * kinetic);
      add(tree_of(i), -sign * model_->inertia(i).mass * model_->gravity().dot(com));
    }
  }

  const Model* model_;
  KinematicsData<S> kinematics_;
  BodyArray<Tree> trees_;
  VectorX<S> shares_;
  bool is_damped_;
};

}  // namespace actio::detail
