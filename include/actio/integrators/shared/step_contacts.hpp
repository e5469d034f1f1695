// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The contacts of a variational step: found at its beginning and at every iterate, with their gaps, mean slips and rows at both ends.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/integrators/shared/rebound.hpp"
#include "actio/integrators/shared/sliding.hpp"
#include "actio/integrators/shared/step_springs.hpp"
#include "actio/math/displacement.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

template <Scalar S>
inline constexpr S closed_gap = S(sizeof(S) >= 8 ? 1e-10F : 1e-5F);  ///< largest gap of a closed contact [m]

/// The contact forces of one step, with which the next one begins. The vector always has the same size, so that copies do not allocate.
template <Scalar S>
struct ContactForces {
  struct One {
    std::uint64_t id = 0;                   ///< of the contact
    Vector3<S> force = Vector3<S>::Zero();  ///< on body b, in the world [N]
  };
  std::vector<One> all;  ///< the first `size` are in use, in the order of their ids
  std::size_t size = 0;  ///< number of contacts
};

/// The contacts of one step, from detection to the forces that the next step begins with. Only the constructor allocates.
template <class ModelType>
class StepContacts {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double
  static constexpr S touch = closed_gap<S>;

  /// A contact as it is at one end of the step.
  struct At {
    Vector3<S> p = Vector3<S>::Zero();   ///< where the force acts, in the world [m]
    Vector3<S> normal = p;               ///< from a to b, in the world
    std::array<Vector3<S>, 2> tangents{p, p};  ///< at the end: those at the beginning, rotated with the normal
    S gap{};                             ///< [m]
  };
  /// One contact over the step.
  struct Contact {
    std::uint64_t id = 0;
    BodyIndex a = 0, b = 0;
    const ContactMaterial<S>* material = nullptr;
    S friction{};                              ///< coefficient
    S R_t{};  ///< compliance of the tangents, for half of an impulse over h as a force; 0: rigid [m/(N s)]
    StepSpring<S> spring{};                    ///< of the normal, where it acts
    Rebound<S> rebound{};
    Sliding<S> sliding{};
    At begin, end;                             ///< at q_k, and at the iterate
    Vector2<S> slip = Vector2<S>::Zero();      ///< mean slip over the step along the tangents [m]
    bool is_found = true;                      ///< whether the source found it at the iterate
    bool is_row = false;                       ///< whether it is a row of the present problem
    bool is_reversed = false;                  ///< whether friction in V would reverse the slip of P
    Vector3<S> force = Vector3<S>::Zero();     ///< Lm/h, after V Lp/h, along normal and tangents [N]
    Vector3<S> impulse = Vector3<S>::Zero();   ///< Lm + Lp along the same [N s]

    int num_rows() const noexcept { return friction > S(0) ? 3 : 1; }  ///< without friction the normal is enough
    /// Returns whether friction is at its bound, as in contacts that slide or are open.
    bool slides() const noexcept { return is_at_bound(force); }
    /// The same for an impulse or a force L along normal and tangents.
    bool is_at_bound(const Vector3<S>& L) const noexcept {
      constexpr S share = S(1) - S(sizeof(S) >= 8 ? 1e-9 : 1e-5);
      return L.template tail<2>().norm() >= share * friction * L[0];
    }
  };

  /// @param model outlives this.  @param capacity number of points that a source may find.  @param margin see ContactSource [m].
  StepContacts(const Model& model, std::size_t capacity, const S& margin)
      : model_(&model), margin_(margin), found_(capacity), acting_(2 * capacity), forces_(2 * capacity), contacts_(2 * capacity),
        closing_(2 * capacity), kept_(2 * capacity),
        T_begin_(model.num_bodies(), Pose<S>::identity()), T_end_(T_begin_), moved_(model.num_bodies(), Vector6<S>::Zero()) {}

  std::size_t capacity() const noexcept { return found_.capacity(); }  ///< largest number of points that a source may find
  /// Returns forces without contacts, of the size that store() needs.
  ContactForces<S> make_forces() const {
    return {std::vector<typename ContactForces<S>::One>(contacts_.size()), 0};
  }

  /// Decides whether contacts with restitution that are open where a step begins wait, until the next call.
  void let_wait(bool enabled) noexcept {
    lets_wait_ = enabled;
    num_closing_ = 0;
  }
  /// Lets a contact not wait any more, until the next call of let_wait().
  void let_close(Contact& contact) noexcept {
    contact.rebound.waits = false;
    if (num_closing_ < closing_.size()) closing_[num_closing_++] = contact.id;
  }
  void release_slips() noexcept { num_kept_ = 0; }  ///< keeps no direction of slip
  /// Keeps the direction in which a contact slides, until the next call of release_slips().
  void keep_slip(const Contact& contact) noexcept {
    if (num_kept_ < kept_.size()) kept_[num_kept_++] = {contact.id, contact.sliding};
  }
  /// Finds the contacts at the beginning of a step.  @param tree the pose at q_k.  @param finder outlives the step.
  /// @param forces of the last step.
  /// @returns false if the source failed, a material has a tangential spring or is not valid, or there are too many points.
  bool begin(const ContactFinder<S>& finder, const TreePose<S>& tree, const ContactForces<S>& forces) noexcept {
    finder_ = finder;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_begin_[i] = T_begin_[model_->parent(i)] * tree.T_PB[i];
    size_ = num_begin_ = 0;
    if (!find(T_begin_)) return false;
    for (const ContactPoint<S>& point : found_.points()) {
      if (!acts(point)) continue;
      Contact& contact = append(point);
      contact.begin = contact.end = at(point, perpendiculars(point.normal));
      contact.rebound.waits = waits(contact);
      for (std::size_t k = 0; k < num_kept_; ++k) {
        if (kept_[k].id == contact.id) contact.sliding = kept_[k].sliding;
      }
      recall(contact, forces);
    }
    num_begin_ = size_;
    return true;
  }
  /// Finds the contacts after the bodies moved by dT (bodies) from the pose of begin(), and evaluates gaps and slips. A contact that is not
  /// found any more keeps its points on the bodies and its normal; a new one is carried back to the beginning of the step.
  /// @returns as begin()
  bool move(const BodyArray<Displacement<S>>& dT) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      T_end_[i] = T_begin_[i] * dT[i].pose();
      const Matrix3<S>& R = T_begin_[i].R;
      const Vector3<S>& com = model_->inertia(i).com;
      moved_[i] = spatial<S>(R * quaternion::log(dT[i].dQ), R * Vector3<S>(dT[i].d + dT[i].minus_identity(com)));
    }
    if (!find(T_end_)) return false;
    for (Contact& contact : contacts()) contact.is_found = false;
    for (const ContactPoint<S>& point : found_.points()) {
      if (!acts(point)) continue;
      Contact* known = look_up(point.id);
      if (known == nullptr) {
        if (size_ == contacts_.size()) return is_full_ = true, false;
        known = &append(point);
        known->begin = carried(*known, at(point, perpendiculars(point.normal)), T_end_, T_begin_);
        known->rebound.waits = waits(*known);
      }
      if (known->begin.normal.dot(point.normal) < S(0.5)) continue;  // the normal changed by more than 60 degrees: keeps the old plane
      known->is_found = true;
      known->end = at(point, turned(known->begin, point.normal));
    }
    for (Contact& contact : contacts()) {
      if (!contact.is_found) contact.end = carried(contact, contact.begin, T_begin_, T_end_);
      for (std::size_t t = 0; t < 2; ++t) {
        const S first = displacement(contact, contact.begin, T_begin_, t), last = displacement(contact, contact.end, T_end_, t);
        contact.slip[static_cast<Eigen::Index>(t)] = (first + last) / S(2);
      }
    }
    return true;
  }
  std::span<Contact> contacts() noexcept { return {contacts_.data(), size_}; }  ///< of the present step
  std::span<const Contact> contacts() const noexcept { return {contacts_.data(), size_}; }
  /// Returns the contacts that were rows of the last problem, at the iterate, in the order in which they were noted.
  std::span<const ContactPoint<S>> acting() const noexcept { return acting_.points(); }
  const Vector3<S>& acting_force(std::size_t k) const noexcept { return forces_[k]; }  ///< mean over the step, on b, in the world [N]
  void clear() noexcept { acting_.clear(); }  ///< notes that no contact acts
  /// Notes that a contact acts.  @param h length of the step [s].
  void note(const Contact& contact, const S& h) noexcept {
    forces_[acting_.points().size()] = along(contact.end, contact.impulse / h);
    acting_.add({contact.a, contact.b, contact.end.p, contact.end.normal, contact.end.gap, contact.id, contact.material});
  }
  Status failure() const noexcept { return is_full_ ? Status::capacity : Status::callback_failed; }  ///< of the last begin() or move()

  ///@{
  /// Returns the rows of normal and tangents at the beginning, or at the iterate; without values.
  std::array<ConstraintRow<S>, 3> rows_at_begin(const Contact& contact) const noexcept { return rows(contact, contact.begin, T_begin_); }
  std::array<ConstraintRow<S>, 3> rows_at_end(const Contact& contact) const noexcept { return rows(contact, contact.end, T_end_); }
  ///@}
  /// Stores the forces of all contacts.  @param forces made by make_forces().
  void store(ContactForces<S>& forces) const noexcept {
    forces.size = 0;
    for (const Contact& contact : contacts()) {
      if (!contact.force.isZero(S(0))) forces.all[forces.size++] = {contact.id, along(contact.end, contact.force)};
    }
    std::sort(forces.all.begin(), forces.all.begin() + static_cast<std::ptrdiff_t>(forces.size),
              [](const auto& one, const auto& other) { return one.id < other.id; });
  }

  /// Returns the energy of the springs of contacts in a pose between two steps, 0 for rigid ones [J].
  S elastic_energy(const ContactFinder<S>& finder, const TreePose<S>& tree) noexcept {
    finder_ = finder;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_begin_[i] = T_begin_[model_->parent(i)] * tree.T_PB[i];
    S sum(0);
    if (!find(T_begin_)) return std::numeric_limits<S>::quiet_NaN();
    for (const ContactPoint<S>& point : found_.points()) sum += StepSpring<S>(point.material->normal).energy(point.gap);
    return sum;
  }

 private:
  /// Returns whether the material has a force law: rigid, or a spring or damper.
  static bool acts(const ContactPoint<S>& point) noexcept {
    const auto* linear = std::get_if<Compliance<S>>(&point.material->normal);
    return linear == nullptr || linear->stiffness > S(0) || linear->damping > S(0);
  }
  bool find(const BodyArray<Pose<S>>& T_WB) noexcept {
    found_.clear();
    finder_.find(T_WB, margin_, found_);
    is_full_ = found_.overflowed();
    for (const ContactPoint<S>& point : found_.points()) {
      const auto has = [&](BodyIndex body) { return body >= 0 && body < model_->num_bodies(); };
      const ContactMaterial<S>& material = *point.material;
      if (!has(point.a) || !has(point.b) || material.has_tangential_spring() || !material.is_valid()) found_.fail();
    }
    return !found_.failed() && !is_full_;
  }
  Contact& append(const ContactPoint<S>& point) noexcept {
    Contact& contact = contacts_[size_++];
    contact = {};
    contact.id = point.id;
    contact.a = point.a;
    contact.b = point.b;
    contact.material = point.material;
    contact.friction = point.material->friction;
    contact.R_t = S(2) / point.material->tangential_damping;
    contact.spring = StepSpring<S>(point.material->normal);
    contact.rebound.restitution = point.material->restitution;
    return contact;
  }
  bool waits(const Contact& contact) const noexcept {
    if (!lets_wait_ || !(contact.rebound.restitution > S(0)) || contact.begin.gap <= touch) return false;
    const auto last = closing_.begin() + static_cast<std::ptrdiff_t>(num_closing_);
    return std::find(closing_.begin(), last, contact.id) == last;
  }
  /// Returns null if there is no such contact.
  Contact* look_up(std::uint64_t id) noexcept {
    const auto first = contacts_.begin(), last = first + static_cast<std::ptrdiff_t>(size_);
    const auto sorted = first + static_cast<std::ptrdiff_t>(num_begin_);
    const auto near = std::lower_bound(first, sorted, id, [](const Contact& contact, std::uint64_t wanted) { return contact.id < wanted; });
    if (near != sorted && near->id == id) return &*near;
    const auto added = std::find_if(sorted, last, [&](const Contact& contact) { return contact.id == id; });
    return added == last ? nullptr : &*added;
  }
  /// Returns the contact at a point. A force on the world may act anywhere on the normal. Above the surface it acts on that of b, where it
  /// does not depend on the gap, and below it on the surface: points of a foot at several depths would slip against each other as it tilts.
  At at(const ContactPoint<S>& point, const std::array<Vector3<S>, 2>& tangents) const noexcept {
    using std::abs;
    return {point.a > 0 ? point.p : Vector3<S>(point.p + (abs(point.gap) / S(2)) * point.normal), point.normal, tangents, point.gap};
  }
  /// Returns the tangents after the smallest rotation that turns the normal into another one.
  static std::array<Vector3<S>, 2> turned(const At& from, const Vector3<S>& normal) noexcept {
    const S cosine = from.normal.dot(normal);
    if (!(cosine > S(-0.5))) return perpendiculars(normal);
    const auto turn = [&](const Vector3<S>& t) { return Vector3<S>(t - (normal.dot(t) / (S(1) + cosine)) * (from.normal + normal)); };
    return {turn(from.tangents[0]), turn(from.tangents[1])};
  }
  /// Returns the contact between the same points of both bodies in other poses; the normal is fixed to body a.
  static At carried(const Contact& contact, const At& here, const BodyArray<Pose<S>>& T, const BodyArray<Pose<S>>& T_there) noexcept {
    const auto carry = [&](BodyIndex body) { return Vector3<S>(T_there[body] * (T[body].inverse() * here.p)); };
    At there = here;
    const Vector3<S> a = carry(contact.a), b = carry(contact.b);
    const auto turn = [&](Vector3<S>& x) { x = T_there[contact.a].R * (T[contact.a].R.transpose() * x); };
    if (contact.a > 0) turn(there.normal), turn(there.tangents[0]), turn(there.tangents[1]);
    there.gap += there.normal.dot(b - a);
    there.p = contact.a > 0 ? Vector3<S>((a + b) / S(2)) : Vector3<S>(b - std::min(S(0), there.gap) * there.normal);
    return there;
  }
  /// Returns the displacement of b against a along a tangent, with the arms that the contact has in these poses.
  S displacement(const Contact& contact, const At& here, const BodyArray<Pose<S>>& T, std::size_t tangent) const noexcept {
    const auto of = [&](BodyIndex body) -> Vector3<S> {
      const Vector3<S> arm = here.p - T[body] * model_->inertia(body).com;
      return moved_[body].template tail<3>() + moved_[body].template head<3>().cross(arm);
    };
    return here.tangents[tangent].dot(contact.a > 0 ? Vector3<S>(of(contact.b) - of(contact.a)) : of(contact.b));
  }
  static std::array<ConstraintRow<S>, 3> rows(const Contact& contact, const At& here, const BodyArray<Pose<S>>& T) noexcept {
    const ContactPoint<S> point{contact.a, contact.b, here.p, here.normal, S(0), contact.id, nullptr};
    return contact_rows_along<S, 3>({here.normal, here.tangents[0], here.tangents[1]}, point, T[contact.a], T[contact.b]);
  }
  static Vector3<S> along(const At& here, const Vector3<S>& force) noexcept {
    return force[0] * here.normal + force[1] * here.tangents[0] + force[2] * here.tangents[1];
  }
  static void recall(Contact& contact, const ContactForces<S>& forces) noexcept {
    const auto last = forces.all.begin() + static_cast<std::ptrdiff_t>(forces.size);
    const auto place = std::lower_bound(forces.all.begin(), last, contact.id, [](const auto& one, std::uint64_t id) { return one.id < id; });
    if (place == last || place->id != contact.id) return;
    const Vector3<S>& force = place->force;
    contact.force = {contact.begin.normal.dot(force), S(0), S(0)};
    if (!(contact.friction > S(0))) return;
    contact.force[1] = contact.begin.tangents[0].dot(force);
    contact.force[2] = contact.begin.tangents[1].dot(force);
  }

  const Model* model_;
  S margin_;
  ContactFinder<S> finder_;
  ContactList<S> found_, acting_;
  std::vector<Vector3<S>> forces_;  // of acting_
  std::vector<Contact> contacts_;  // those of begin() in the order of their ids, then those that appeared later
  std::vector<std::uint64_t> closing_;  // ids, the first num_closing_ are in use
  struct Kept {
    std::uint64_t id = 0;
    Sliding<S> sliding{};
  };
  std::vector<Kept> kept_;  // the first num_kept_ are in use
  std::size_t size_ = 0, num_begin_ = 0, num_closing_ = 0, num_kept_ = 0;
  bool is_full_ = false, lets_wait_ = false;
  BodyArray<Pose<S>> T_begin_, T_end_;
  BodyArray<Vector6<S>> moved_;  // over the step: rotation vectors and displacements of the centres of mass, in the world
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepContacts<Model<double>>;
#endif

}  // namespace actio::detail
