// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraint rows of a model over one step: loops, couplings, limits and dry friction, springs
// between points, contacts, and rows of the caller, in this order.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "actio/constraints/spring_row.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/core/elementary.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/integrators/compliant/caller_rows.hpp"
#include "actio/integrators/compliant/elastic_energy.hpp"
#include "actio/integrators/compliant/options.hpp"
#include "actio/integrators/compliant/recovery.hpp"
#include "actio/integrators/compliant/tangential_springs.hpp"
#include "actio/model/state.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio {

/// Whether constraint violations are corrected or only kept from growing. In the latter case rigid rows have the forces of constrained
/// accelerations, G (v1 - v) / h + (dG/dt) v = -G v / h.
enum class Deformation {
  counts,  ///< violations are corrected
  ignored  ///< violations are only kept from growing
};

namespace detail {

/// Finds the rows of a step and adds them to the bodies: a CompliantTree, a CompliantForest or a RowsOnTree.
template <class ModelType>
class CompliantRows {
 public:
  using Model = ModelType;                   ///< a Model of any joints
  using Scalar = typename Model::Scalar;     ///< scalar type of all numbers
  using Options = CompliantOptions<Scalar>;  ///< options of the integrator

  /// @param model outlives this.  @param contact_capacity number of contact points, 0 without contacts.
  CompliantRows(const Model& model, const Options& options, std::size_t contact_capacity)
      : model_(&model), options_(options), T_WB_(model.num_bodies(), Pose<Scalar>::identity()), found_(contact_capacity),
        touching_(contact_capacity), ids_(capacity(model, options)), closures_(closures_of(model)),
        body_of_entry_(model.bodies_of_entries()), recovery_(model, ids_.size()), springs_(contact_capacity),
        V_(model.num_bodies(), Vector6<Scalar>::Zero()), after_(model), before_(model), v_free_(VectorX<Scalar>::Zero(model.nv())),
        near_(rest_state(model)) {}

  /// Returns the largest number of rows.  @param options completed.
  static std::size_t capacity(const Model& model, const Options& options) {
    return 3 * *options.contact_capacity + num_rows(closures_of(model)) + 4 * static_cast<std::size_t>(model.nv()) + model.springs().size();
  }
  /// Returns the number of rows of loops between moving bodies and of couplings.
  static std::size_t internal_closing_rows(const Model& model) {
    std::size_t rows = 0;
    for (const Closure<Scalar>& closure : closures_of(model)) rows += closure.is_internal() ? closure.count : 0;
    return rows;
  }
  /// Returns the largest number of other rows between two moving bodies or two joints.
  static std::size_t tie_capacity(const Model& model, const Options& options) {
    const auto is_internal = [](const PointSpring<Scalar>& spring) { return spring.body_a > 0 && spring.body_b > 0; };
    const auto internal = std::count_if(model.springs().begin(), model.springs().end(), is_internal);
    return 3 * options.tie_capacity + static_cast<std::size_t>(internal);
  }

  /// Adds the rows of a step from x.  @param bodies begun at x.q.  @param v_free (nv) velocities at the end without forces of rows.
  /// @param h > 0 [s].  @param caller_rows further rows, which fit the model.  @param stretched the contacts' tangential springs at x, by
  /// ascending id; others are slack.  @returns false if there is no room, or the source of contacts failed.
  template <class Bodies>
  bool add(Bodies& bodies, const State<Scalar>& x, const ConstVectorRef<Scalar>& v_free, const Scalar& h,
           const ContactFinder<Scalar>& contacts, std::span<const CallerRows<Scalar>> caller_rows = {},
           Deformation deformation = Deformation::counts, std::span<const TangentialStretch<Scalar>> stretched = {}) noexcept;
  /// Returns the id of a row. Ids ascend from row to row and are the same from step to step.
  std::uint64_t id(std::size_t row) const noexcept { return ids_[row]; }
  /// Returns the id of the first row of a contact, if it has rows.
  static std::uint64_t id_of(const ContactPoint<Scalar>& point) noexcept { return first_contact_id + 4 * point.id; }
  /// Returns what a row belongs to: a loop or coupling, the body of a joint or contact, or the row itself if it is one of the caller.
  Culprit culprit(Eigen::Index row) const noexcept {
    const std::uint64_t id = ids_[static_cast<std::size_t>(row)], closures = num_rows(closures_);
    if (id < closures) return detail::culprit(*model_, closure_of(closures_, static_cast<Eigen::Index>(id)));
    const std::uint64_t springs = closures + ids_per_entry * body_of_entry_.size();
    if (id < springs) return Culprit::body(static_cast<int>(body_of_entry_[static_cast<std::size_t>((id - closures) / ids_per_entry)]));
    if (id < first_contact_id) return Culprit::spring(static_cast<int>(id - springs));
    for (const ContactPoint<Scalar>& point : found_.points()) {
      if (id == id_of(point)) return Culprit::body(static_cast<int>(point.b));
    }
    return Culprit::row(static_cast<int>(row));
  }
  std::span<const ContactPoint<Scalar>> contacts() const noexcept { return found_.points(); }  ///< of the last add()
  bool contacts_failed() const noexcept { return found_.failed(); }  ///< whether the source failed in the last add()
  const Recovery<Model>& recovery() const noexcept { return recovery_; }  ///< the correction of violations by the rows of the last add()
  const TangentialSprings<Scalar>& tangential_springs() const noexcept { return springs_; }  ///< of the contacts in the last add()
  /// Returns the elastic energy of all rows at q (nq), without tangential springs [J]; 0 for rigid rows.
  Scalar elastic_energy(const VectorX<Scalar>& q, const ContactFinder<Scalar>& contacts) noexcept {
    return detail::elastic_energy_of_rows(*model_, options_, after_, q, contacts, touching_);
  }

 private:
  static constexpr std::uint64_t ids_per_entry = 5;  // of v: two for each limit, one for friction
  static constexpr std::uint64_t first_contact_id = std::uint64_t(1) << 32U, first_caller_id = std::uint64_t(1) << 63U;  // where ids begin
  // Each returns false if there is no room left. Ids begin at `id`.
  template <class Bodies>
  bool add_joint_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept;
  template <class Bodies>
  bool add_coupling_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept;
  template <class Bodies>
  bool add_loop_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept;
  template <class Bodies>
  bool add_spring_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept;
  template <class Bodies>
  bool add_contact_rows(Bodies& bodies, const VectorX<Scalar>& v, const Scalar& h, const ContactFinder<Scalar>& contacts) noexcept;
  template <class Bodies>
  bool add_caller_rows(Bodies& bodies, const VectorX<Scalar>& v, const Scalar& h, std::span<const CallerRows<Scalar>> caller_rows) noexcept;
  /// Adds the normal of a contact and its tangents, if any.  @param free_twists (bodies) at v_free.
  template <class Bodies>
  bool add_contact(Bodies& bodies, std::span<const ConstraintRow<Scalar>> rows, const ContactMaterial<Scalar>& material, std::uint64_t id,
                   const BodyArray<Vector6<Scalar>>& free_twists, const VectorX<Scalar>& v, const Scalar& h) noexcept;
  /// Returns the bias of a row: the deformation's part and h/2 (dG/dt) v, which is exact for positions; or h (dG/dt) v alone, which is
  /// exact for accelerations.
  Scalar bias_of(const ConstraintRow<Scalar>& row, const Scalar& deformation, const Scalar& h) const noexcept {
    return deformation_ == Deformation::counts ? Scalar(deformation + h / Scalar(2) * row.bias) : Scalar(h * row.bias);
  }
  /// Returns the part of the bias that corrects the deformation. Rigid rows correct it in a step, but not faster than `recovery`, so that a
  /// joint that starts beyond its range, or a body inside another, is not accelerated violently.
  Scalar rate_of(const StepCompliance<Scalar>& spring, const Scalar& deformation, RowKind kind) const noexcept {
    const Scalar rate = spring.gain * deformation;
    if (spring.R > Scalar(0)) return rate;
    const Scalar least = std::max(rate, Scalar(-options_.recovery));
    return kind == RowKind::bilateral ? std::min(least, options_.recovery) : least;
  }
  /// Computes the poses and twists a little after and before a state, for bias_between().
  void look_around(const State<Scalar>& x) noexcept {
    ValueOf<Scalar> fastest(0);
    for (Eigen::Index k = 0; k < x.v.size(); ++k) fastest = std::max(fastest, std::abs(value_of(x.v[k])));
    apart_ = Scalar(elementary::cbrt(epsilon<Scalar>) / (1 + fastest));
    if (!(options_.predictor_rotation > Scalar(0))) return;
    for (const auto& [data, t] : {std::pair(&after_, apart_), std::pair(&before_, -apart_)}) {
      go_straight(*model_, x.q, x.v, t, near_);
      forward_kinematics(*model_, *data, near_.q, near_.v);
    }
  }
  /// Returns whether rows between two bodies have a bias: neither rotates too far in the step.
  bool predicts(BodyIndex a, BodyIndex b, const Scalar& h) const noexcept {
    const auto angle = [&](BodyIndex body) { return h * after_.V[body].template head<3>().norm(); };  // zero for the world
    return options_.predictor_rotation > Scalar(0) && std::max(angle(a), angle(b)) < options_.predictor_rotation;
  }
  /// Returns (dG/dt) v of a row of bodies by a central difference along the motion, with a relative error of 1e-10, after look_around().
  ///                                                                                                     [compliant_math.md, section 3.3]
  Scalar bias_between(const ConstraintRow<Scalar>& before, const ConstraintRow<Scalar>& after, const VectorX<Scalar>& v) const noexcept {
    return (after.rate(after_.V, v) - before.rate(before_.V, v)) / (Scalar(2) * apart_);
  }
  bool is_open(const Scalar& gap) const noexcept { return deformation_ == Deformation::ignored && gap > Scalar(0); }
  /// Returns the compliance of a row that only pushes. The damper acts only if the row touches, or would within the step.
  ///                                                                                                    [compliant_math.md, section 4.4]
  static StepCompliance<Scalar> pushing(Compliance<Scalar> spring, const Scalar& gap, const Scalar& rate, const Scalar& h) noexcept {
    if (gap > Scalar(0) && gap + h * rate > Scalar(0)) spring.damping = Scalar(0);
    return spring.over(h);
  }
  /// Adds a single row.
  template <class Bodies>
  bool add(Bodies& bodies, RowKind kind, const ConstraintRow<Scalar>& row, std::uint64_t id, const StepCompliance<Scalar>& spring,
           const Scalar& h, const Scalar& limit = Scalar(0)) noexcept {
    const Scalar rate = rate_of(spring, row.value, kind);
    if (!add_row(bodies, kind, row, id, spring.R, bias_of(row, rate, h), limit)) return false;
    note_recovery(bodies, kind, row, spring, rate, h);
    return true;
  }
  /// Records the recovery of the first row of the group added last, if that row is rigid.
  template <class Bodies>
  void note_recovery(const Bodies& bodies, RowKind kind, const ConstraintRow<Scalar>& row, const StepCompliance<Scalar>& spring,
                     const Scalar& rate, const Scalar& h) noexcept {
    if (spring.R > Scalar(0) || deformation_ != Deformation::counts || kind == RowKind::friction) return;
    Scalar back = rate;
    if (kind == RowKind::bilateral) back = bias_of(row, rate, h);  // with the rate of change of G
    else if (!(rate < Scalar(0))) return;                          // open: there is nothing to correct
    recovery_.set_rate(last_row_, rate, back);
    if (back != Scalar(0)) recovery_.allow(back, recovery_.mass(bodies.tree(), row));
  }
  /// Adds the rows of a joint beyond the rigid end of its range: one by which it goes no further, and one by which it returns. Both are
  /// dampers, because loops may not allow the joint to move: a rigid row that contradicts a loop has no solution, or opens the loop.
  /// The second brings the joint's own bodies, if they were free, to half of the rate of return in a step; the first is stiff.
  template <class Bodies>
  bool add_returning_limit(Bodies& bodies, const ConstraintRow<Scalar>& row, std::uint64_t id, const Scalar& armature,
                           const Scalar& h) noexcept {
    const Scalar inertia = armature + recovery_.mass(bodies.tree(), row);
    const Scalar R = h / inertia, R_stop = Scalar(1e-3F) * R, back = std::max(Scalar(row.value / h), Scalar(-options_.recovery));
    if (!add_row(bodies, RowKind::unilateral, row, id, R_stop, Scalar(0))) return false;
    if (!add_row(bodies, RowKind::unilateral, row, id + 1, R, back)) return false;
    recovery_.set_rate(last_row_, back, back);
    recovery_.allow(back, inertia);
    return true;
  }
  template <class Bodies>
  bool add_row(Bodies& bodies, RowKind kind, const ConstraintRow<Scalar>& row, std::uint64_t id, const Scalar& R, const Scalar& bias,
               const Scalar& limit = Scalar(0)) noexcept {
    const Scalar none(0);
    return add(bodies, {kind, 1, {R, none, none}, {bias, none, none}, limit}, {&row, 1}, id);
  }
  template <class Bodies>
  bool add(Bodies& bodies, const NewGroup<Scalar>& group, std::span<const ConstraintRow<Scalar>> rows, std::uint64_t id) noexcept {
    const Eigen::Index first = bodies.problem().rows().size();
    if (!(group.R[0] < std::numeric_limits<Scalar>::infinity())) return true;  // no spring, no force
    if (!bodies.add(group, rows)) return false;
    last_row_ = first;
    for (int r = 0; r < group.size; ++r) ids_[static_cast<std::size_t>(first + r)] = id++;
    recovery_.add(group.size);
    return true;
  }

  const Model* model_;
  Options options_;
  BodyArray<Pose<Scalar>> T_WB_;
  ContactList<Scalar> found_, touching_;
  std::vector<std::uint64_t> ids_;
  std::vector<Closure<Scalar>> closures_;
  std::vector<BodyIndex> body_of_entry_;
  Recovery<Model> recovery_;
  Eigen::Index last_row_ = 0;
  TangentialSprings<Scalar> springs_;
  BodyArray<Vector6<Scalar>> V_;
  KinematicsData<Scalar> after_, before_;  // at q (+) t v and q (+) -t v, for the central difference
  Deformation deformation_ = Deformation::counts;
  bool knows_twists_ = false;              // V_ is at v
  VectorX<Scalar> v_free_;
  State<Scalar> near_;
  Scalar apart_{};  // time between x and after_ [s]
};

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add(Bodies& bodies, const State<Scalar>& x, const ConstVectorRef<Scalar>& v_free, const Scalar& h,
                               const ContactFinder<Scalar>& contacts, std::span<const CallerRows<Scalar>> caller_rows,
                               Deformation deformation, std::span<const TangentialStretch<Scalar>> stretched) noexcept {
  v_free_ = v_free;
  deformation_ = deformation;
  knows_twists_ = false;
  springs_.begin(stretched);
  recovery_.clear();
  std::uint64_t id = 0;
  found_.clear();
  const bool has_loops = std::any_of(model_->loops().begin(), model_->loops().end(), [](const Loop<Scalar>& loop) { return loop.active; });
  const bool has_springs = !model_->springs().empty();
  if (has_loops || has_springs || contacts) {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_WB_[i] = T_WB_[model_->parent(i)] * bodies.tree().T_PB[i];
  }
  if (has_loops || has_springs) look_around(x);
  return (!has_loops || add_loop_rows(bodies, x, h, id)) && add_coupling_rows(bodies, x, h, id) && add_joint_rows(bodies, x, h, id) &&
         (!has_springs || add_spring_rows(bodies, x, h, id)) &&
         (!contacts || add_contact_rows(bodies, x.v, h, contacts)) &&
         (caller_rows.empty() || add_caller_rows(bodies, x.v, h, caller_rows)) && bodies.complete();
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_joint_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept {
  using std::abs;
  const Enforcement& enforced = model_->enforced();
  const ModelProperties<Scalar>& joints = model_->properties();
  const Scalar beyond_rounding(std::sqrt(epsilon<Scalar>));
  bool fits = true;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    for (Eigen::Index k = 0; k < model_->nv(i); ++k, id += ids_per_entry) {
      const Eigen::Index v = model_->v_index(i) + k, q = model_->q_index(i) + k;
      const Scalar reach = Scalar(4) * h * (abs(v_free_[v]) + abs(x.v[v]));
      for (int side = 1; side >= -1 && enforced.limits; side -= 2) {
        if (!is_finite(side > 0 ? joints.lower[v] : joints.upper[v])) continue;
        const ConstraintRow<Scalar> row = limit_row<Scalar>(joints, x.q, q, v, side);
        if (row.value > reach || is_open(row.value)) continue;
        const StepCompliance<Scalar> spring = pushing(options_.limit, row.value, Scalar(side) * v_free_[v], h);
        const bool returns = row.value < -beyond_rounding && !(spring.R > Scalar(0)) && deformation_ == Deformation::counts;
        const std::uint64_t its_id = id + (side > 0 ? 0 : 2);
        fits &= returns ? add_returning_limit(bodies, row, its_id, joints.armature[v], h)
                        : add(bodies, RowKind::unilateral, row, its_id, spring, h);
      }
      if (!enforced.friction || !(joints.friction[v] > Scalar(0))) continue;
      const StepCompliance<Scalar> damper{Scalar(1) / options_.friction_damping, Scalar(0)};
      fits &= add(bodies, RowKind::friction, friction_row<Scalar>(v), id + 4, damper, h, joints.friction[v]);
    }
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_coupling_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept {
  const StepCompliance<Scalar> closure = options_.closure.over(h);
  bool fits = true;
  for (const Coupling<Scalar>& coupling : model_->couplings()) {
    if (!coupling.active) continue;
    ConstraintRow<Scalar> row = coupling_row<Scalar>(coupling, x.q);
    row.closure = static_cast<int>(id);
    fits &= add(bodies, RowKind::bilateral, row, id++, closure, h);
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_loop_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept {
  using Rows = std::array<ConstraintRow<Scalar>, 6>;
  const StepCompliance<Scalar> closure = options_.closure.over(h);
  bool fits = true;
  for (const Loop<Scalar>& loop : model_->loops()) {
    if (!loop.active) continue;
    Rows rows, rows_after, rows_before;
    const std::size_t count = loop_rows(loop, T_WB_[loop.body_a], T_WB_[loop.body_b], rows);
    if (predicts(loop.body_a, loop.body_b, h)) {
      loop_rows(loop, after_.T_WB[loop.body_a], after_.T_WB[loop.body_b], rows_after);
      loop_rows(loop, before_.T_WB[loop.body_a], before_.T_WB[loop.body_b], rows_before);
      for (std::size_t k = 0; k < count; ++k) rows[k].bias = bias_between(rows_before[k], rows_after[k], x.v);
    }
    for (std::size_t k = 0; k < count; ++k) {
      rows[k].closure = static_cast<int>(id);
      fits &= add(bodies, RowKind::bilateral, rows[k], id++, closure, h);
    }
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_spring_rows(Bodies& bodies, const State<Scalar>& x, const Scalar& h, std::uint64_t& id) noexcept {
  bool fits = true;
  for (const PointSpring<Scalar>& spring : model_->springs()) {
    const BodyIndex a = spring.body_a, b = spring.body_b;
    ConstraintRow<Scalar> row = spring_row(spring, T_WB_[a], T_WB_[b]);
    if (predicts(a, b, h)) {
      row.bias = bias_between(spring_row(spring, before_.T_WB[a], before_.T_WB[b]), spring_row(spring, after_.T_WB[a], after_.T_WB[b]), x.v);
    }
    const Compliance<Scalar> law{spring.stiffness, spring.damping};
    const StepCompliance<Scalar> of_step = spring.tension_only ? pushing(law, row.value, Scalar(0), h) : law.over(h);
    const RowKind kind = spring.tension_only ? RowKind::unilateral : RowKind::bilateral;
    const Scalar bias = of_step.gain * row.value + (deformation_ == Deformation::counts ? h / Scalar(2) : h) * row.bias;
    fits &= add_row(bodies, kind, row, id++, of_step.R, bias);
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_contact_rows(Bodies& bodies, const VectorX<Scalar>& v, const Scalar& h,
                                            const ContactFinder<Scalar>& contacts) noexcept {
  contacts.find(T_WB_, options_.contact_margin, found_);
  const auto has = [&](BodyIndex body) { return body >= 0 && body < model_->num_bodies(); };
  for (const ContactPoint<Scalar>& point : found_.points()) {
    if (!has(point.a) || !has(point.b) || point.material->restitution > Scalar(0)) found_.fail();  // sources of users may be wrong
  }
  if (found_.failed()) return false;
  bool fits = !found_.overflowed();
  const BodyArray<Vector6<Scalar>>& free_twists = bodies.twists(v_free_);
  for (const ContactPoint<Scalar>& point : found_.points()) {
    if (is_open(point.gap)) continue;
    const Pose<Scalar>& T_Wa = T_WB_[point.a];
    const Pose<Scalar>& T_Wb = T_WB_[point.b];
    const std::uint64_t id = id_of(point);
    if (!(point.material->friction > Scalar(0))) {  // the normal row is enough
      fits &= add_contact(bodies, contact_normal_row(point, T_Wa, T_Wb), *point.material, id, free_twists, v, h);
      continue;
    }
    std::array<ConstraintRow<Scalar>, 3> rows = contact_rows(point, T_Wa, T_Wb);
    const bool has_spring = point.material->tangential_stiffness > Scalar(0);
    const auto tangents = detail::perpendiculars(point.normal);
    const Vector2<Scalar> s0 = has_spring ? springs_.stretch(id, tangents, T_Wa.R) : Vector2<Scalar>(Vector2<Scalar>::Zero());
    for (std::size_t t = 0; t < 2; ++t) rows[1 + t].value = s0[static_cast<Eigen::Index>(t)];
    const Eigen::Index first = bodies.problem().rows().size();
    fits &= add_contact(bodies, rows, *point.material, id, free_twists, v, h);
    if (!has_spring || !fits || bodies.problem().rows().size() == first) continue;
    const bool counts = deformation_ == Deformation::counts;  // otherwise the spring keeps its stretch
    springs_.add(id, *point.material, tangents, T_Wa.R, s0, first, bodies.problem().rows().R()[first + 1], h, counts);
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_caller_rows(Bodies& bodies, const VectorX<Scalar>& v, const Scalar& h,
                                         std::span<const CallerRows<Scalar>> caller_rows) noexcept {
  const BodyArray<Vector6<Scalar>>& free_twists = bodies.twists(v_free_);
  std::uint64_t id = first_caller_id;
  bool fits = true;
  for (const CallerRows<Scalar>& group : caller_rows) {
    const ConstraintRow<Scalar>& row = group.rows[0];
    if (group.kind == RowKind::friction) {
      fits &= add(bodies, group.kind, row, id, group.law.tangential().over(h), h, group.law.friction);
    } else if (group.kind == RowKind::bilateral) {
      fits &= add(bodies, group.kind, row, id, std::get<Compliance<Scalar>>(group.law.normal).over(h), h);
    } else if (!is_open(row.value)) {
      fits &= add_contact(bodies, std::span(group.rows).first(static_cast<std::size_t>(group.count)), group.law, id, free_twists, v, h);
    }
    id += 4;
  }
  return fits;
}

template <class Model>
template <class Bodies>
bool CompliantRows<Model>::add_contact(Bodies& bodies, std::span<const ConstraintRow<Scalar>> rows, const ContactMaterial<Scalar>& material,
                                       std::uint64_t id, const BodyArray<Vector6<Scalar>>& free_twists, const VectorX<Scalar>& v,
                                       const Scalar& h) noexcept {
  const Scalar gap = rows[0].value;
  Compliance<Scalar> spring;
  Scalar slack(0);
  if (const auto* law = std::get_if<PowerLaw<Scalar>>(&material.normal)) {
    if (!std::exchange(knows_twists_, true)) body_twists(*model_, bodies.tree(), v, V_);
    // The larger of the depth now and the depth at the end with the present velocity: exact at rest, unlike that of the free motion.
    const auto tangent = law->tangent(std::max(Scalar(-gap), Scalar(-gap - h * rows[0].rate(V_, v))));
    spring = tangent.spring;
    slack = tangent.slack_gap;
  } else {
    spring = std::get<Compliance<Scalar>>(material.normal);
  }
  const StepCompliance<Scalar> normal = pushing(spring, gap, rows[0].rate(free_twists, v_free_), h);
  const StepCompliance<Scalar> tangential = material.tangential().over(h);
  const Scalar R_t = std::max(tangential.R, Scalar(Scalar(1e-5F) * normal.R));
  const RowKind kind = rows.size() == 1 ? RowKind::unilateral : RowKind::contact;
  const Scalar rate = rate_of(normal, gap - slack, kind);
  const Scalar bias = bias_of(rows[0], rate, h);
  NewGroup<Scalar> group{kind, static_cast<int>(rows.size()), {normal.R, R_t, R_t}, {bias, Scalar(0), Scalar(0)}, material.friction};
  for (std::size_t t = 1; t < rows.size() && tangential.gain > Scalar(0) && deformation_ == Deformation::counts; ++t) {
    group.bias[static_cast<Eigen::Index>(t)] = tangential.gain * rows[t].value;
  }
  if (!add(bodies, group, rows, id)) return false;
  note_recovery(bodies, kind, rows[0], normal, rate, h);
  return true;
}

}  // namespace detail
}  // namespace actio
