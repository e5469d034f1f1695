// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the mean slip of a contact over a step changes, for derivatives of steps.
#include <array>
#include <cstddef>

#include "actio/integrators/variational/contact_rates.hpp"
#include "actio/math/so3.hpp"

namespace actio::detail {

/// A linear function of the twists of the bodies of a contact at both ends of a step: those of a and b at the beginning, and at the end.
template <Scalar S>
struct ContactCovector {
  std::array<Vector6<S>, 4> by{Vector6<S>::Zero(), Vector6<S>::Zero(), Vector6<S>::Zero(), Vector6<S>::Zero()};
  static constexpr std::size_t begin_a = 0, begin_b = 1, end_a = 2, end_b = 3;  // indices of `by`

  friend ContactCovector operator+(const ContactCovector& x, const ContactCovector& y) {
    ContactCovector sum;
    for (std::size_t k = 0; k < sum.by.size(); ++k) sum.by[k] = x.by[k] + y.by[k];
    return sum;
  }
  friend ContactCovector operator*(const S& factor, const ContactCovector& x) {
    ContactCovector product;
    for (std::size_t k = 0; k < product.by.size(); ++k) product.by[k] = factor * x.by[k];
    return product;
  }
};

/// The derivative of the mean slip  s = (t . u + t' . u')/2  of StepContacts along the tangents t at the beginning and t' at the end,
/// u and u' the displacements of b against a with the arms that the contact has there.         [variational_contact.md, section 11]
template <Scalar S>
struct ContactSlip {
  std::array<ContactCovector<S>, 2> slip{};  ///< ds
  ContactCovector<S> turn{};  ///< by which the tangents at the end turn about the normal there, beyond the turn of ContactMotion

  /// @param first, last the contact at both ends.  @param T, T_end poses of its bodies a and b there.  @param com their centres of mass, in
  /// the bodies.
  ContactSlip(const ContactMotion<S>& first, const ContactMotion<S>& last, const std::array<Pose<S>, 2>& T,
              const std::array<Pose<S>, 2>& T_end, const std::array<Vector3<S>, 2>& com) noexcept {
    using Map = typename ContactMotion<S>::Map;
    Vector3<S> u = Vector3<S>::Zero(), u_end = u;
    std::array<Map, 4> du, du_end;  // by each of the four twists
    for (std::size_t k = 0; k < 4; ++k) du[k] = du_end[k] = Map::Zero();
    for (const std::size_t of : {std::size_t(0), std::size_t(1)}) {
      if (of == 0 && first.a == 0) continue;  // the world does not move
      const S sign(of == 0 ? -1 : 1);
      const Vector3<S> c = T[of] * com[of], c_end = T_end[of] * com[of], theta = so3::log<S>(T_end[of].R * T[of].R.transpose());
      const Vector3<S> arm = first.p - c, arm_end = last.p - c_end;
      u += sign * (c_end - c + theta.cross(arm));
      u_end += sign * (c_end - c + theta.cross(arm_end));
      const Matrix3<S> by_arm = sign * so3::hat<S>(theta);
      du[0] += by_arm * first.p_a;
      du[1] += by_arm * first.p_b;
      du_end[2] += by_arm * last.p_a;
      du_end[3] += by_arm * last.p_b;
      const Map moved = sign * contact_point_map<S>(c), moved_end = sign * contact_point_map<S>(c_end);
      Map turned = Map::Zero(), turned_end = turned;  // of theta
      turned.template leftCols<3>() = -sign * so3::dlog<S>(-theta);
      turned_end.template leftCols<3>() = sign * so3::dlog<S>(theta);
      const Matrix3<S> hat = so3::hat<S>(theta), hat_arm = so3::hat<S>(arm), hat_arm_end = so3::hat<S>(arm_end);
      du[of] -= moved + hat * moved + hat_arm * turned;
      du[2 + of] += moved_end - hat_arm * turned_end;
      du_end[of] -= moved + hat_arm_end * turned;
      du_end[2 + of] += moved_end - hat * moved_end - hat_arm_end * turned_end;
    }
    const std::array<Map, 4> turn_of{first.turn_a, first.turn_b, last.turn_a, last.turn_b};
    const Vector3<S>&n = first.along[0], &n_end = last.along[0];
    const Vector3<S> between = (n + n_end) / (S(1) + n.dot(n_end));  // of the smallest rotation from n to n_end
    for (std::size_t k = 0; k < 4; ++k) {
      const bool at_begin = k < 2;
      turn.by[k] = (at_begin ? S(1) : S(-1)) * turn_of[k].transpose() * between;
      for (std::size_t i = 0; i < 2; ++i) {
        const Vector3<S>&t = first.along[i + 1], &t_end = last.along[i + 1];
        // With t, and t' that turns by its own turn and by `turn` about n'.
        Vector6<S> twice = du[k].transpose() * t + du_end[k].transpose() * t_end + n_end.cross(t_end).dot(u_end) * turn.by[k];
        twice += turn_of[k].transpose() * (at_begin ? Vector3<S>(t.cross(u)) : Vector3<S>(t_end.cross(u_end)));
        slip[i].by[k] = twice / S(2);
      }
    }
  }
};

}  // namespace actio::detail
