// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Carries the residual of a step over to the next one without a change of conserved momenta.
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/displacement.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// Expresses the residual of a step, joint impulses at q_k, in the axes at q_{k+1}. Only joints on the world need it: the impulses of the
/// others are internal. Where the axes of such a joint rotate with its body, the impulse keeps its direction in space and its moment about
/// a fixed point. A tree that flies freely keeps the moment about its centre of mass instead, which a step moves by h P/m: about a fixed
/// point, the small linear residuals of a fast flight would add up to a rotation.
template <class Model>
class ResidualCarrier {
 public:
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// Sums the masses of the trees; allocates.
  explicit ResidualCarrier(const Model& model) : mass_(model.num_bodies(), S(0)) {
    for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
      mass_[i] += model.inertia(i).mass;
      mass_[model.parent(i)] += mass_[i];
    }
  }

  /// @param from, to the tree at q_k and q_{k+1}.  @param x (nv) the increment between them.  @param p (nv) momentum over the step
  /// [N m s, N s].  @param h its length [s].  @param f (nv) in and out: the residual [N m s, N s].
  void carry(const Model& model, const TreePose<S>& from, const TreePose<S>& to, const VectorX<S>& x, const VectorX<S>& p, const S& h,
             VectorX<S>& f) const noexcept {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (model.parent(i) > 0) continue;
      visit_joint(model, i, [&]<JointType J>(const J& joint) {
        if constexpr (!joints::is_flat<J>()) {  // S^T S = 1 there
          const Eigen::Index v = model.v_index(i);
          const auto S_from = from.template S_of<J>(v);
          Displacement<S> moved = joints::increment(joint, typename J::Config(model.template q_of<J>(i, from.q)),
                                                    typename J::Tangent(model.template v_of<J>(i, x)));
          if constexpr (J::nv == 6) {
            const Vector6<S> P = S_from * model.template v_of<J>(i, p);
            moved.d -= (h / mass_[i]) * P.template tail<3>();
          }
          const Vector6<S> F = S_from * model.template v_of<J>(i, f);
          model.template v_of<J>(i, f) = to.template S_of<J>(v).transpose() * moved.wrench_to_end(F);
        }
      });
    }
  }

 private:
  BodyArray<S> mass_;  // of each body with all that it carries [kg]
};

}  // namespace actio::detail
