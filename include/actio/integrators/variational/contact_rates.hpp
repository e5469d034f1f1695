// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the contacts of a pose, and the joint forces of theirs, change with the configuration, for derivatives of steps.
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/core/elementary.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/shared/step_contacts.hpp"
#include "actio/math/se3.hpp"

namespace actio::detail {

/// A contact in one pose. Twists V of its bodies a and b are those in the world about its origin.
template <Scalar S>
struct ContactMotion {
  using Map = Eigen::Matrix<S, 3, 6>;  ///< of a twist

  std::uint64_t id = 0;
  BodyIndex a = 0, b = 0;
  Vector3<S> p = Vector3<S>::Zero();                           ///< where the force acts [m]
  std::array<Vector3<S>, 3> along{p, p, p};                    ///< normal and tangents
  S gap{};                                                     ///< [m]
  Vector3<S> force = p;                                        ///< on b, in the world [N s]
  Map p_a = Map::Zero(), p_b = p_a, turn_a = p_a, turn_b = p_a;

  /// Returns dp = p_a V_a + p_b V_b.
  Vector3<S> point_rate(const Vector6<S>& V_a, const Vector6<S>& V_b) const noexcept { return p_a * V_a + p_b * V_b; }
  /// Returns the turn in  dn = turn x n,  which tangents and forces follow.
  Vector3<S> turn_rate(const Vector6<S>& V_a, const Vector6<S>& V_b) const noexcept { return turn_a * V_a + turn_b * V_b; }
  /// Returns the wrench on b of a unit force in the world about its origin.
  Vector6<S> wrench(const Vector3<S>& direction) const noexcept { return spatial<S>(p.cross(direction), direction); }
};

/// Returns the map from a twist to the velocity of a point in the world.
template <Scalar S>
Eigen::Matrix<S, 3, 6> contact_point_map(const Vector3<S>& p) {
  Eigen::Matrix<S, 3, 6> map;
  map.template leftCols<3>() = -so3::hat<S>(p);
  map.template rightCols<3>().setIdentity();
  return map;
}

/// The contacts of a tree in one pose, with twists and wrenches of bodies in the world about its origin. With W the wrench of a contact's
/// force f on b, which acts on a with the opposite sign, dp and turn those of ContactMotion, and V the motion of either body,
///   dW = (dp x f + p x (turn x f), turn x f);   the part beyond a wrench that is fixed to the body is  dW + ad(V)^T W.
/// Only the constructor allocates.                                                                [variational_contact.md, section 11]
template <class ModelType>
class ContactRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double
  using Motion = ContactMotion<S>;   ///< of one contact

  /// @param contacts largest number.  @param model outlives this.
  ContactRates(const Model& model, std::size_t contacts)
      : model_(&model), T_WB_(model.num_bodies(), Pose<S>::identity()), moved_(T_WB_), twists_(model.num_bodies(), Vector6<S>::Zero()),
        wrenches_(twists_), contacts_(contacts), difference_(contacts) {}

  std::size_t capacity() const noexcept { return contacts_.size(); }                     ///< largest number of contacts
  std::span<Motion> contacts() noexcept { return {contacts_.data(), size_}; }            ///< of the pose
  std::span<const Motion> contacts() const noexcept { return {contacts_.data(), size_}; }
  const Pose<S>& pose(BodyIndex body) const noexcept { return T_WB_[body]; }             ///< T_WB

  void clear() noexcept { size_ = 0; }  ///< removes all contacts
  /// Begins without contacts in the pose of a tree.
  void begin(const TreePose<S>& tree) noexcept {
    size_ = 0;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_WB_[i] = T_WB_[model_->parent(i)] * tree.T_PB[i];
  }
  /// Adds a contact, without its maps.  @pre fewer than capacity().
  Motion& add(std::uint64_t id, BodyIndex a, BodyIndex b) noexcept {
    Motion& contact = contacts_[size_++];
    contact = {};
    contact.id = id;
    contact.a = a;
    contact.b = b;
    return contact;
  }
  /// Sets the maps of all contacts by central differences of what the source finds: of all bodies at once where one body is the world;
  /// between two bodies only their relative motion matters, and for each bit of the indices the bodies move that have it.
  /// @param margin see ContactSource [m].  @param found memory.  @returns false if the source fails or loses a contact.
  [[nodiscard]] bool differentiate(const ContactFinder<S>& finder, const S& margin, ContactList<S>& found) noexcept {
    for (unsigned set = 0; size_ > 0 && (set == 0 || (1U << (set - 1)) < static_cast<unsigned>(model_->num_bodies())); ++set) {
      bool any = false;
      for (const Motion& contact : contacts()) any = any || set_of(contact) == set;
      for (int direction = 0; any && direction < 6; ++direction) {
        for (const S side : {S(1), S(-1)}) {
          if (!add_differences(set, direction, side, finder, margin, found)) return false;
        }
      }
    }
    for (std::size_t k = 0; k < size_; ++k) set_maps(contacts_[k], difference_[k]);
    return true;
  }

  /// Returns the twists (bodies) of rates v (nv).
  const BodyArray<Vector6<S>>& twists(const TreePose<S>& tree, const ConstVectorRef<S>& v) noexcept {
    body_twists(*model_, tree, v, twists_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) twists_[i] = T_WB_[i].twist_to_parent(twists_[i]);
    return twists_;
  }
  const Vector6<S>& twist(BodyIndex body) const noexcept { return twists_[body]; }  ///< of the last twists()
  /// Returns wrenches (bodies) that are zero, for add_joint_forces().
  BodyArray<Vector6<S>>& no_wrenches() noexcept {
    for (Vector6<S>& wrench : wrenches_) wrench.setZero();
    return wrenches_;
  }
  BodyArray<Vector6<S>>& wrenches() noexcept { return wrenches_; }  ///< (bodies) since no_wrenches()
  /// Adds the joint forces of the wrenches, which this changes, to sum (nv).
  void add_joint_forces(const TreePose<S>& tree, VectorRef<S> sum) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) wrenches_[i] = T_WB_[i].wrench_to_child(wrenches_[i]);
    wrenches_[0].setZero();
    detail::add_joint_forces(*model_, tree, wrenches_, sum);
  }

  /// Adds the wrenches of all forces, times a factor.  @param wrench (bodies) in the bodies' frames.
  void add_wrenches(const S& factor, BodyArray<Vector6<S>>& wrench) const noexcept {
    for (const Motion& contact : contacts()) add_wrench(contact, factor * contact.force, wrench);
  }
  /// Adds the joint forces of a force of one contact to sum (nv).
  void add_forces(const TreePose<S>& tree, std::size_t k, const Vector3<S>& force, VectorRef<S> sum) noexcept {
    const Motion& contact = contacts_[k];
    no_wrenches();
    wrenches_[contact.b] += contact.wrench(force);
    wrenches_[contact.a] -= contact.wrench(force);
    add_joint_forces(tree, sum);
  }
  /// Adds a factor times the change of the joint forces of all forces, beyond that of wrenches which are fixed to bodies.
  /// @param dq (nv) variation of q.  @param sum (nv).
  void add(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& dq, VectorRef<S> sum) noexcept {
    if (size_ == 0) return;
    twists(tree, dq);
    no_wrenches();
    for (const Motion& contact : contacts()) {
      const Vector6<S>&V_a = twists_[contact.a], &V_b = twists_[contact.b], W = contact.wrench(contact.force);
      const Vector3<S> &f = contact.force, turned = contact.turn_rate(V_a, V_b).cross(f);
      const Vector6<S> dW = spatial<S>(contact.point_rate(V_a, V_b).cross(f) + contact.p.cross(turned), turned);
      wrenches_[contact.b] += factor * (dW + se3::ad<S>(V_b).transpose() * W);
      wrenches_[contact.a] -= factor * (dW + se3::ad<S>(V_a).transpose() * W);
    }
    add_joint_forces(tree, sum);
  }
  /// Adds a factor times the transposed product.  @param y (nv) weights of the joint forces.  @param sum (nv) of dq.
  void add_transposed(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& y, VectorRef<S> sum) noexcept {
    if (size_ == 0) return;
    twists(tree, y);
    no_wrenches();
    for (const Motion& contact : contacts()) add_transposed(contact, factor * contact.force);
    add_joint_forces(tree, sum);
  }
  ///@{
  /// The same for a force of one contact alone.
  void add_wrenches(const S& factor, std::size_t k, const Vector3<S>& force, BodyArray<Vector6<S>>& wrench) const noexcept {
    add_wrench(contacts_[k], factor * force, wrench);
  }
  void add_transposed(const TreePose<S>& tree, const S& factor, std::size_t k, const Vector3<S>& force, const ConstVectorRef<S>& y,
                      VectorRef<S> sum) noexcept {
    twists(tree, y);
    no_wrenches();
    add_transposed(contacts_[k], factor * force);
    add_joint_forces(tree, sum);
  }
  ///@}
  /// How the joint forces of a unit force of one contact change: see MobilityRate.
  struct UnitForce {
    ContactRates* contacts;
    std::size_t k;
    Vector3<S> direction;
    void add_wrenches(const S& factor, BodyArray<Vector6<S>>& wrench) const noexcept { contacts->add_wrenches(factor, k, direction, wrench); }
    void add_transposed(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& y, VectorRef<S> sum) const noexcept {
      contacts->add_transposed(tree, factor, k, direction, y, sum);
    }
  };
  UnitForce unit_force(std::size_t k, const Vector3<S>& direction) noexcept { return {this, k, direction}; }

 private:
  /// Derivatives of point, normal and gap by the twist of the body that moves, in its frame.
  struct Difference {
    Eigen::Matrix<S, 7, 6> by_body;
  };

  void add_wrench(const Motion& contact, const Vector3<S>& force, BodyArray<Vector6<S>>& wrench) const noexcept {
    const Vector6<S> W = contact.wrench(force);
    wrench[contact.b] += T_WB_[contact.b].wrench_to_child(W);
    if (contact.a > 0) wrench[contact.a] -= T_WB_[contact.a].wrench_to_child(W);
  }
  /// Adds to the wrenches what a force contributes to the weights of dq, at the twists of the weights of joint forces.
  void add_transposed(const Motion& contact, const Vector3<S>& force) noexcept {
    const Vector6<S>&Y_a = twists_[contact.a], &Y_b = twists_[contact.b], W = contact.wrench(force), Y = Y_b - Y_a;
    const Vector3<S> of_point = force.cross(Y.template head<3>());
    const Vector3<S> of_turn = force.cross(Y.template tail<3>() + Y.template head<3>().cross(contact.p));
    const auto on = [&](const auto& by_p, const auto& by_turn) {
      return Vector6<S>(by_p.transpose() * of_point + by_turn.transpose() * of_turn);
    };
    wrenches_[contact.b] += on(contact.p_b, contact.turn_b) - se3::ad<S>(Y_b).transpose() * W;
    wrenches_[contact.a] += on(contact.p_a, contact.turn_a) + se3::ad<S>(Y_a).transpose() * W;
  }
  /// Returns the set of bodies whose motion tells how a contact moves: 0, all bodies, or 1 + a bit that the indices do not share.
  static unsigned set_of(const Motion& contact) noexcept {
    if (contact.a == 0) return 0;
    unsigned set = 1;
    for (auto bits = static_cast<unsigned>(contact.a ^ contact.b); (bits & 1U) == 0; bits >>= 1U) ++set;
    return set;
  }
  static bool moves(BodyIndex body, unsigned set) noexcept {
    return set == 0 || ((static_cast<unsigned>(body) >> (set - 1)) & 1U) != 0;
  }
  bool add_differences(unsigned set, int direction, const S& side, const ContactFinder<S>& finder, const S& margin,
                       ContactList<S>& found) noexcept {
    static const S step = elementary::cbrt(epsilon<S>);
    Vector6<S> twist = Vector6<S>::Zero();
    twist[direction] = side * step;
    const Pose<S> by = se3::exp<S>(twist);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) moved_[i] = moves(i, set) ? T_WB_[i] * by : T_WB_[i];
    found.clear();
    finder.find(moved_, margin, found);
    if (found.failed()) return false;
    for (std::size_t k = 0; k < size_; ++k) {
      const Motion& contact = contacts_[k];
      if (set_of(contact) != set) continue;
      bool is_found = false;
      for (const ContactPoint<S>& point : found.points()) {
        if (point.id != contact.id) continue;
        Eigen::Matrix<S, 7, 1> at;
        at << point.p, point.normal, point.gap;
        if (side > S(0)) difference_[k].by_body.col(direction) = at / (S(2) * step);
        else difference_[k].by_body.col(direction) -= at / (S(2) * step);
        is_found = true;
      }
      if (!is_found) return false;
    }
    return true;
  }
  /// The force acts where StepContacts lets it act.
  void set_maps(Motion& contact, const Difference& difference) const noexcept {
    const bool by_b = contact.a == 0 || moves(contact.b, set_of(contact));
    const Pose<S>& T = T_WB_[by_b ? contact.b : contact.a];
    Eigen::Matrix<S, 7, 6> by;  // in the world
    for (int r = 0; r < 7; ++r) by.row(r) = T.wrench_to_parent(difference.by_body.row(r).transpose()).transpose();
    const Vector3<S>& n = contact.along[0];
    using Map = typename Motion::Map;
    Map point = by.template topRows<3>(), normal = by.template middleRows<3>(3), turn_with = Map::Zero();
    const Map move_with = contact_point_map<S>(contact.p);
    if (contact.a == 0) {
      const S side(contact.gap < -closed_gap<S> ? -0.5F : 0.5F);
      point += side * (n * by.row(6) + contact.gap * normal);
    }
    turn_with.template leftCols<3>().setIdentity();
    if (!by_b) {
      point = move_with - point;
      normal = Map(-so3::hat<S>(n) * turn_with) - normal;
    }
    contact.p_b = point;
    contact.p_a = move_with - point;
    contact.turn_b = so3::hat<S>(n) * normal;
    contact.turn_a = turn_with - contact.turn_b;
  }

  const Model* model_;
  BodyArray<Pose<S>> T_WB_, moved_;
  BodyArray<Vector6<S>> twists_, wrenches_;
  std::vector<Motion> contacts_;  // the first size_
  std::vector<Difference> difference_;
  std::size_t size_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ContactRates<Model<double>>;
#endif

}  // namespace actio::detail
