// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Forces along the coordinates of joints: springs and dampers, continuous and over a discrete step; armature in a step.
#include <limits>

#include "actio/dynamics/body_mobility.hpp"

namespace actio {

/// How a spring enters a discrete step. Joints whose q is not a vector always use the trapezoid.
enum class SpringRule {
  midpoint,   ///< at the middle of the step: implicit, no limit on the step   [vi_math.md, section 8]
  trapezoid,  ///< half at either end: explicit, h < 2 / omega
};

/// Adds the spring forces -K (q - rest) to tau; for joints whose q is not a vector, -dlog(-x)^T K x with x = q (-) rest.
/// @param q (nq).  @param tau (nv) [N m, N].
template <Scalar S, class Joints>
void add_spring_forces(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q,
                       std::type_identity_t<VectorRef<S>> tau) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      using Tangent = typename J::Tangent;
      const Tangent k = model.template v_of<J>(i, model.properties().stiffness);
      const Tangent x = joint.difference(model.template q_of<J>(i, model.properties().rest), model.template q_of<J>(i, q));
      const Tangent force = k.cwiseProduct(x);
      if constexpr (joints::is_flat<J>()) model.template v_of<J>(i, tau) -= force;
      else model.template v_of<J>(i, tau) -= joints::dlog(joint, Tangent(-x)).transpose() * force;
    });
  }
}

/// Adds the damping forces -D v to tau.  @param v (nv) [rad/s, m/s].  @param tau (nv) [N m, N].
template <Scalar S, class Joints>
void add_damping_forces(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& v,
                        std::type_identity_t<VectorRef<S>> tau) noexcept {
  tau.array() -= model.properties().damping.array() * v.array();
}

/// Returns, for each body (bodies), whether its joint has terms in the discrete momenta that depend on the increment.
template <Scalar S, class Joints>
std::vector<bool> joints_with_terms(const Model<S, Joints>& model, SpringRule rule) {
  std::vector<bool> is(static_cast<std::size_t>(model.num_bodies()), false);
  const ModelProperties<S>& p = model.properties();
  const bool implicit = rule == SpringRule::midpoint;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J&) {
      const Eigen::Index v = model.v_index(i), end = v + J::nv;
      for (Eigen::Index k = v; k < end; ++k) {
        if (p.armature[k] > S(0) || p.damping[k] > S(0) || (implicit && joints::is_flat<J>() && p.stiffness[k] > S(0)))
          is[static_cast<std::size_t>(i)] = true;
      }
    });
  }
  return is;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void add_spring_forces(const Model<double>&, const ConstVectorRef<double>&, VectorRef<double>) noexcept;
#endif

namespace detail {

/// Returns the share s of a damper's impulse that acts at the beginning of a step, 1/2 ... 1: see JointTerms.
/// @param z half of the step's length times the damping, over the mass that the joint moves.
template <Scalar S>
S share_at_begin(const S& z) noexcept {
  constexpr ValueOf<S> resolved(0.25F), unresolved(1);
  const S along = (z - S(resolved)) / S(unresolved - resolved);
  const S t = select(along < S(0), S(0), select(along > S(1), S(1), along));
  return S(0.5F) + t * t * (S(1.5F) - t);
}

/// Armature, damping and springs over a step: their part of the discrete momenta at its two ends.   [vi_math.md, section 8]
///   armature a: K_d = x^T a x / (2h);   springs: by the rule;
///   damping d: F^- = -s d x, F^+ = -(1 - s) d x
/// s = 1/2 if the step resolves the damper, with h d / 2 below a quarter of the mass that the joint moves. Otherwise s increases to 1: the
/// damping is then fully implicit, at the pose where the step begins. Equal halves would reverse the velocity from node to node. If loops
/// constrain the joint, their impulses are then as large and reverse with it, which adds energy. With s = 1 the work is -(d/h) x^T x of a
/// motion that ends with x/h, which is never positive. The terms cost nothing if the model has none of them.
/// In all members q is (nq), x (nv) [rad, m], momentum (nv) [N m s, N s], h [s].
template <Scalar S>
class JointTerms {
 public:
  /// Sizes all members for the model and finds whether it has armature, damping or springs.
  template <class Joints>
  JointTerms(const Model<S, Joints>& model, SpringRule rule)
      : any_(model.nv() > 0 && ((model.properties().armature.array() > S(0)) || (model.properties().damping.array() > S(0)) ||
                                (model.properties().stiffness.array() > S(0))).any()),
        rule_(rule), added_(VectorX<S>::Zero(model.nv())), rate_(added_) {
    if (any_ && (model.properties().damping.array() > S(0)).any()) set_mobility(model);
  }

  /// The same terms in another scalar.
  template <Scalar T>
  explicit JointTerms(const JointTerms<T>& other)
      : any_(other.any_), rule_(other.rule_), added_(VectorX<S>::Zero(other.added_.size())), rate_(added_),
        mobility_(other.mobility_.template cast<S>()) {}

  bool any() const noexcept { return any_; }  ///< whether the model has any of these terms
  SpringRule rule() const noexcept { return rule_; }  ///< the rule of springs
  /// Returns s of entry v, 1/2 ... 1, see above.  @param damping of the entry, >= 0 [N m s/rad, N s/m].
  S share_at_begin(Eigen::Index v, const S& damping, const S& h) const noexcept {
    using std::abs;
    if constexpr (has_lanes<S>) {
      if (mobility_.size() == 0) return S(0.5F);
    } else if (value_of(damping) == ValueOf<S>(0)) {
      return S(0.5F);
    }
    return detail::share_at_begin<S>(abs(h) * damping * mobility_[v] / S(2));
  }

  /// Returns what the terms add to the diagonal of h dF/dx beyond M (nv) [kg m^2, kg], for the factorisation: s h d + h^2 k/4, k of springs
  /// at the middle of the step.  Valid until the next call, as below.
  template <class Joints>
  const VectorX<S>& diagonal(const Model<S, Joints>& model, const S& h) noexcept;
  /// Returns the derivative of the left part by x, entry by entry (nv) [N m s/rad, N s/m], for the exact Jacobian: a/h + s d + h k/4.
  template <class Joints>
  const VectorX<S>& left_rate(const Model<S, Joints>& model, const S& h) noexcept;
  /// Adds the left part (-D1 L_d - F^-) at the increment x from q to momentum.
  template <class Joints>
  void add_left(const Model<S, Joints>& model, const VectorX<S>& q, const ConstVectorRef<S>& x, const S& h,
                VectorRef<S> momentum) const noexcept {
    add_part(model, q, x, h, true, momentum);
  }
  /// Adds the right part (D2 L_d + F^+) at the increment x that led to q1 to momentum.
  template <class Joints>
  void add_right(const Model<S, Joints>& model, const VectorX<S>& q1, const ConstVectorRef<S>& x, const S& h,
                 VectorRef<S> momentum) const noexcept {
    add_part(model, q1, x, h, false, momentum);
  }

 private:
  template <class Joints>
  void add_part(const Model<S, Joints>& model, const VectorX<S>& q, const ConstVectorRef<S>& x, const S& h, bool at_begin,
                VectorRef<S> momentum) const noexcept;
  /// Sets (M^-1)_vv at the neutral configuration. It varies with the pose; s leaves 1/2 with a margin for that, well before equal
  /// halves become too large.
  template <class Joints>
  void set_mobility(const Model<S, Joints>& model) {
    mobility_ = VectorX<S>::Constant(model.nv(), S(std::numeric_limits<ValueOf<S>>::max()));
    TreePose<S> tree(model);
    AbiData<S> abi(model);
    BodyArray<Matrix6<S>> mobility(model.num_bodies(), Matrix6<S>::Zero());
    place(model, tree, model.neutral());
    if (abi_factor(model, tree, abi, VectorX<S>::Zero(model.nv())) != 0) return;
    detail::body_mobilities(model, tree, abi, mobility);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      for (Eigen::Index k = 0; k < model.nv(i); ++k)
        mobility_[model.v_index(i) + k] = detail::joint_mobility(model, tree, abi, mobility, i, k);
    }
  }
  /// Returns d s or d (1 - s) of joint i.
  template <JointType J, class Joints>
  typename J::Tangent damping(const Model<S, Joints>& model, BodyIndex i, const S& h, bool at_begin) const noexcept {
    typename J::Tangent d = model.template v_of<J>(i, model.properties().damping);
    for (int k = 0; k < J::nv; ++k) {
      const S s = share_at_begin(model.v_index(i) + k, d[k], h);
      d[k] *= at_begin ? s : S(S(1) - s);
    }
    return d;
  }
  /// Returns minus the spring force on joint i for the half step at one end.
  /// @param back 0 if the increment x begins at q, -1 if it ends there.
  template <JointType J, class Joints>
  typename J::Tangent spring(const Model<S, Joints>& model, BodyIndex i, const J& joint, const VectorX<S>& q, const typename J::Tangent& x,
                             const S& back) const noexcept {
    using Tangent = typename J::Tangent;
    const Tangent k = model.template v_of<J>(i, model.properties().stiffness);
    const Tangent stretch = joint.difference(model.template q_of<J>(i, model.properties().rest), model.template q_of<J>(i, q));
    if constexpr (joints::is_flat<J>()) {
      if (rule_ == SpringRule::midpoint) return k.cwiseProduct(stretch + (S(0.5) + back) * x);
      return k.cwiseProduct(stretch);
    } else {
      return joints::dlog(joint, Tangent(-stretch)).transpose() * k.cwiseProduct(stretch);
    }
  }

  template <Scalar T> friend class JointTerms;

  bool any_;
  SpringRule rule_;
  VectorX<S> added_, rate_;
  VectorX<S> mobility_;  // (nv), or empty without damping
};

template <Scalar S>
template <class Joints>
const VectorX<S>& JointTerms<S>::diagonal(const Model<S, Joints>& model, const S& h) noexcept {
  if (!any_) return added_;
  const VectorX<S>& d = model.properties().damping;
  for (Eigen::Index v = 0; v < d.size(); ++v) added_[v] = h * share_at_begin(v, d[v], h) * d[v];
  if (rule_ == SpringRule::midpoint) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J&) {
        if constexpr (joints::is_flat<J>())
          model.template v_of<J>(i, added_) += (h * h / S(4)) * model.template v_of<J>(i, model.properties().stiffness);
      });
    }
  }
  return added_;
}

template <Scalar S>
template <class Joints>
const VectorX<S>& JointTerms<S>::left_rate(const Model<S, Joints>& model, const S& h) noexcept {
  if (any_) rate_ = (diagonal(model, h) + model.properties().armature) / h;
  return rate_;
}

template <Scalar S>
template <class Joints>
void JointTerms<S>::add_part(const Model<S, Joints>& model, const VectorX<S>& q, const ConstVectorRef<S>& x, const S& h, bool at_begin,
                             VectorRef<S> momentum) const noexcept {
  if (!any_) return;
  const S side(at_begin ? 1 : -1);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      using Tangent = typename J::Tangent;
      const Tangent x_i = model.template v_of<J>(i, x);
      Tangent part = side * damping<J>(model, i, h, at_begin).cwiseProduct(x_i);
      if constexpr (joints::is_flat<J>()) part += model.template v_of<J>(i, model.properties().armature).cwiseProduct(x_i) / h;
      using actio::any;  // not the member
      bool is_sprung = false;
      for (int k = 0; k < J::nv; ++k) is_sprung = is_sprung || any(model.properties().stiffness[model.v_index(i) + k] != S(0));
      if (is_sprung) part += (side * h / S(2)) * spring<J>(model, i, joint, q, x_i, at_begin ? S(0) : S(-1));
      model.template v_of<J>(i, momentum) += part;
    });
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE const VectorX<double>& JointTerms<double>::diagonal(const Model<double>&, const double&) noexcept;
ACTIO_INSTANTIATE const VectorX<double>& JointTerms<double>::left_rate(const Model<double>&, const double&) noexcept;
ACTIO_INSTANTIATE void JointTerms<double>::add_part(const Model<double>&, const VectorX<double>&, const ConstVectorRef<double>&,
                                                    const double&, bool, VectorRef<double>) const noexcept;
#endif

/// Blocks (nv_i x nv_i) of one joint: rates of the left and the right part of its terms by the velocities of q_k (begin) and of
/// q_{k+1} (end) [N m s/rad, N s/m]. The rate of the left part by the end is JointTerms::left_rate, a part of the Jacobian of the step.
template <JointType J>
struct JointTermRates {
  using Block = Eigen::Matrix<typename J::Real, J::nv, J::nv>;  ///< (nv_i x nv_i)
  Block left_by_begin,  ///< left part by q_k
      right_by_begin,   ///< right part by q_k
      right_by_end;     ///< right part by q_{k+1}
};

/// Returns the rate of c(q) = dlog(-s)^T K s, s = q (-) rest, the force of a spring, by a velocity of q.
template <JointType J>
Eigen::Matrix<typename J::Real, J::nv, J::nv> spring_rate(const J& joint, const typename J::Tangent& k,
                                                          const typename J::Tangent& stretch) {
  using Block = Eigen::Matrix<typename J::Real, J::nv, J::nv>;
  using Tangent = typename J::Tangent;
  if constexpr (joints::is_flat<J>()) {
    return Block(k.asDiagonal());
  } else {
    const Tangent back = -stretch;
    const Block L = joints::dlog(joint, back), by_stretch = L.transpose() * k.asDiagonal();
    return (by_stretch - joints::dlog_transpose_derivative(joint, back, Tangent(k.cwiseProduct(stretch)))) * L;
  }
}

/// Returns the rates of joint i at the increment x from q0 to q1.
///   left = (a/h + s d) x + h/2 c(q0),  right = (a/h - (1 - s) d) x - h/2 c(q1), and for a spring at the middle of the step
///   left += h/4 k x, right += h/4 k x                                                          [vi_math.md, section 8]
/// @param h [s].
template <JointType J, Scalar S, class Joints>
JointTermRates<J> joint_term_rates(const Model<S, Joints>& model, const JointTerms<S>& terms, BodyIndex i, const J& joint,
                                   const typename J::Config& q0, const typename J::Config& q1, const typename J::Tangent& x,
                                   const S& h) noexcept {
  using Tangent = typename J::Tangent;
  using Block = typename JointTermRates<J>::Block;
  const ModelProperties<S>& p = model.properties();
  const typename J::Config rest = model.template q_of<J>(i, p.rest);
  const Tangent k = model.template v_of<J>(i, p.stiffness), d = model.template v_of<J>(i, p.damping),
                a = model.template v_of<J>(i, p.armature);
  if (((k.array() == S(0)) && (d.array() == S(0)) && (a.array() == S(0))).all()) return {Block::Zero(), Block::Zero(), Block::Zero()};
  const S half = h / S(2);
  Tangent left_by_x = d;
  for (int e = 0; e < J::nv; ++e) left_by_x[e] *= terms.share_at_begin(model.v_index(i) + e, d[e], h);
  Tangent right_by_x = left_by_x - d;
  Block x_by_begin = -Block::Identity(), x_by_end = Block::Identity();
  if constexpr (joints::is_flat<J>()) {
    Tangent symmetric = a / h;
    if (terms.rule() == SpringRule::midpoint) symmetric += (half / S(2)) * k;
    left_by_x += symmetric;
    right_by_x += symmetric;
  } else {
    x_by_begin = -joints::dlog(joint, x);
    x_by_end = joints::dlog(joint, Tangent(-x));
  }
  JointTermRates<J> rates{left_by_x.asDiagonal() * x_by_begin, right_by_x.asDiagonal() * x_by_begin, right_by_x.asDiagonal() * x_by_end};
  if ((k.array() != S(0)).any()) {
    rates.left_by_begin += half * detail::spring_rate<J>(joint, k, joint.difference(rest, q0));
    rates.right_by_end -= half * detail::spring_rate<J>(joint, k, joint.difference(rest, q1));
  }
  return rates;
}

}  // namespace detail
}  // namespace actio
