// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The sparse linear systems of maximal coordinates: velocities of all bodies and multipliers of all constraint rows.
#include <utility>

#include "actio/constraints/constrained_bodies.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/solvers/sparse/block_ldu.hpp"
#include "actio/solvers/sparse/saddle_order.hpp"

namespace actio::detail {

/// Whether loops and couplings may be rigid, so that some of their rows may be redundant, or are always compliant.
enum class Closures : bool { rigid, soft };

/// The matrix [[D, -G_here^T], [k G_there, c]] in velocities V of the bodies and multipliers L of the constraints, as a BlockLdu: six
/// entries for each body, then the rows of the constraints of ConstrainedBodies. Each row has a scale k and a compliance c,
///   k G_there V + c L = d,
/// which begin as (1, 0), rigid; (1, c) is compliant, and (k, 1) stiff, without effect where k = 0.         [vi_math.md, section 11.2]
template <class Model>
class MaximalSystem {
 public:
  using S = typename Model::Scalar;  ///< the scalar

  /// @param rowed (bodies), of as in ConstrainedBodies.  @param model outlives this.
  explicit MaximalSystem(const Model& model, const std::vector<bool>& rowed, Closures closures = Closures::rigid,
                         RowsOf of = RowsOf::motion);

  const ConstrainedBodies<Model>& bodies() const noexcept { return bodies_; }                               ///< the bodies and constraints
  Eigen::Index size() const noexcept { return ldu_.size(); }                                         ///< of y, velocities and multipliers
  Eigen::Index first_row() const noexcept { return 6 * (model_->num_bodies() - 1); }                 ///< first of all rows, in y
  Eigen::Index row(BodyIndex k) const noexcept { return places_[k].offset; }                         ///< first row of constraint k, in y
  /// Returns the entries of loops, couplings and nonholonomic constraints in y, in the order of TreeClosures.
  auto closures_of(VectorX<S>& y) const noexcept { return y.segment(first_closure_, num_closures_); }
  const BlockLdu<S>& matrix() const noexcept { return ldu_; }                                        ///< the blocks
  static auto u_of(BodyIndex i, const VectorX<S>& y) { return y.template segment<6>(6 * (i - 1)); }  ///< entries of body i
  static auto u_of(BodyIndex i, VectorX<S>& y) { return y.template segment<6>(6 * (i - 1)); }        ///< the same, to be set

  /// Makes rows that are increments of a joint stiff:  k x / h + L = 0.  @param k (nv), times h [kg m^2, kg].
  void set_stiffness(const VectorX<S>& k) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const auto& constraint = bodies_[i];
      for (int r = constraint.locked; r < constraint.rows; ++r) scale_[row(i) + r] = k[model_->v_index(i) + r - constraint.locked];
    }
  }
  /// Sets a row of one of these.  @param k in the order of TreeClosures.
  void set_closure(Eigen::Index k, const S& scale, const S& compliance) noexcept {
    scale_[first_closure_ + k] = scale;
    compliance_[first_closure_ + k] = compliance;
  }
  const S& scale(Eigen::Index row) const noexcept { return scale_[row]; }            ///< k of a row of y
  const S& compliance(Eigen::Index row) const noexcept { return compliance_[row]; }  ///< c of a row of y

  /// Begins the assembly: begin() or begin_with_masses(), every body, every constraint, factor().
  ///@{
  void begin() noexcept { ldu_.set_zero(); }
  void begin_with_masses() noexcept {
    begin();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) add_body(i, model_->inertia(i).I_com);
  }
  ///@}
  /// Sets D of body i.  @param angular the angular block of D, about the centre of mass [kg m^2]; the linear one is the mass.
  void add_body(BodyIndex i, const Matrix3<S>& angular) noexcept {
    S* const pivot = ldu_.data(pivots_[i]);
    const int leading = ldu_.leading(pivots_[i]);
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) pivot[r + leading * c] = angular(r, c);
      pivot[(c + 3) * (leading + 1)] = model_->inertia(i).mass;
    }
  }
  /// Adds F G^T to D of body i.
  void add_to_body(BodyIndex i, const Vector6<S>& F, const Vector6<S>& G) noexcept {
    add_entries(i, [&](int r, int c) { return F[r] * G[c]; });
  }
  /// Adds a matrix to D of body i.
  void add_to_body(BodyIndex i, const Matrix6<S>& D) noexcept {
    add_entries(i, [&](int r, int c) { return D(r, c); });
  }
  /// Adds the rows of constraint k.  @param here, there the rows at the pose where its impulses act, and at the pose where it is to be
  /// satisfied.
  /// @param on_velocities (body, covector) -> the covector of `there` on the velocities in y.
  template <class Row>
  void add_constraint(BodyIndex k, const BodyRows<S>& here, const BodyRows<S>& there, Row&& on_velocities) noexcept {
    const auto& constraint = bodies_[k];
    const Place& place = places_[k];
    if (place.node < 0) return;
    const auto fill = [&](BodyIndex body, const std::array<Vector6<S>, 6>& acts, const std::array<Vector6<S>, 6>& moves,
                          const BlockPlace& right_at, const BlockPlace& below_at) {
      if (body == 0) return;
      S *const right = ldu_.data(right_at), *const below = ldu_.data(below_at);
      const int stride_right = ldu_.leading(right_at), stride_below = ldu_.leading(below_at);
      for (int r = 0; r < constraint.rows; ++r) {
        const std::size_t at = static_cast<std::size_t>(r);
        const Vector6<S> F = on_velocities(body, moves[at]);
        const S& scale = scale_[place.offset + r];
        for (int e = 0; e < 6; ++e) {
          right[e + stride_right * r] -= acts[at][e];
          below[r + stride_below * e] += scale * F[e];
        }
      }
    };
    fill(constraint.a, here.on_a, there.on_a, place.right_a, place.below_a);
    fill(constraint.b, here.on_b, there.on_b, place.right_b, place.below_b);
    S* const pivot = ldu_.data(place.pivot);
    const int stride = ldu_.leading(place.pivot) + 1;
    for (int r = 0; r < constraint.rows; ++r) pivot[r * stride] = compliance_[place.offset + r];
  }
  /// Adds the rows of all constraints at one pose.
  void add_constraints(const ConstrainedPose<S>& at) noexcept {
    for (BodyIndex k = 1; k < bodies_.size(); ++k)
      add_constraint(k, at.rows[k], at.rows[k], [](BodyIndex, const Vector6<S>& F) { return F; });
  }
  /// Sets y (size) to the wrenches of joint forces on the bodies, with rates of zero.  @param tau (nv) [N m, N].
  void set_joint_forces(const ConstrainedPose<S>& at, const ConstVectorRef<S>& tau, VectorX<S>& y) noexcept {
    for (Vector6<S>& F : twist_or_wrench_) F.setZero();
    bodies_.add_joint_forces(at, tau, twist_or_wrench_);
    y.setZero();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) u_of(i, y) = twist_or_wrench_[i];
  }
  /// Computes the joint velocities v (nv) of the bodies' velocities in y.
  void joint_velocities(const ConstrainedPose<S>& at, const VectorX<S>& y, VectorRef<S> v) noexcept {
    twist_or_wrench_[0].setZero();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) twist_or_wrench_[i] = u_of(i, y);
    bodies_.joint_velocities(at, twist_or_wrench_, v);
  }
  bool factor() noexcept { return (singular_ = ldu_.factor()) < 0; }  ///< returns whether it is regular: see singular()
  void solve(VectorX<S>& x) const noexcept { ldu_.solve(x); }         ///< replaces x (size) by the inverse times x
  /// Returns the constraint, or the body by its inertia, that made the last factorisation fail; none if none did.
  Culprit singular() const noexcept {
    if (singular_ < 0) return {};
    for (BodyIndex k = 1; k < bodies_.size(); ++k) {
      if (places_[k].node == singular_) return bodies_.culprit(k);
    }
    return Culprit::body(singular_ + 1);
  }

  /// Computes the bodies' twists V about their centres of mass and the impulses L of the constraints:  M V - G^T L = momenta,  G V = rates.
  /// @param x (size) in: momenta [N m s, N s] and rates [m/s, rad/s]; out: V [rad/s, m/s] and L [N s, N m s].
  /// @param armature (nv) of the joints that have rows for it [kg m^2, kg].  @returns false if the matrix is singular: see singular().
  bool project(const ConstrainedPose<S>& at, const VectorX<S>& armature, VectorX<S>& x) noexcept;

  /// Returns M_i^-1 F about the centre of mass, in the body's axes; zero for a body without full inertia.
  Vector6<S> mass_inverse_times(BodyIndex i, const Vector6<S>& F) const noexcept { return free_.twist(i, F); }

 private:
  using BlockPlace = typename BlockLdu<S>::Place;
  struct Place {
    int node = -1;            // node of the LDU; -1: no rows
    Eigen::Index offset = 0;  // index of its first row in y
    BlockPlace pivot{}, right_a{}, below_a{}, right_b{},
        below_b{};  // blocks (constraint, constraint), (body, constraint), (constraint, body)
  };
  template <class Entry>
  void add_entries(BodyIndex i, Entry&& entry) noexcept {
    S* const pivot = ldu_.data(pivots_[i]);
    const int leading = ldu_.leading(pivots_[i]);
    for (int c = 0; c < 6; ++c) {
      for (int r = 0; r < 6; ++r) pivot[r + leading * c] += entry(r, c);
    }
  }
  static int node_of(BodyIndex i) { return static_cast<int>(i - 1); }
  static BlockLdu<S> make_ldu(const Model& model, const ConstrainedBodies<Model>& bodies, Closures closures, BodyArray<Place>& places);

  const Model* model_;
  ConstrainedBodies<Model> bodies_;
  BodyArray<Place> places_;
  BlockLdu<S> ldu_;
  VectorX<S> scale_, compliance_;  // (size) of rows
  BodyArray<BlockPlace> pivots_;
  FreeBodies<S> free_;
  Eigen::Index first_closure_, num_closures_ = 0;  // rows of loops, couplings and nonholonomic constraints, in y
  BodyArray<Vector6<S>> twist_or_wrench_;
  int singular_ = -1;
};

template <class Model>
MaximalSystem<Model>::MaximalSystem(const Model& model, const std::vector<bool>& rowed, Closures closures, RowsOf of)
    : model_(&model), bodies_(model, rowed, of), places_(bodies_.size()),
      ldu_(make_ldu(model, bodies_, closures, places_)),
      scale_(VectorX<S>::Ones(size())), compliance_(VectorX<S>::Zero(size())), pivots_(model.num_bodies()), free_(model),
      first_closure_(first_row()), twist_or_wrench_(model.num_bodies(), Vector6<S>::Zero()) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) pivots_[i] = ldu_.place(node_of(i), node_of(i));
  for (BodyIndex k = 1; k < bodies_.size(); ++k) {
    Place& place = places_[k];
    if (place.node < 0) continue;
    place.pivot = ldu_.place(place.node, place.node);
    const auto find = [&](BodyIndex body, BlockPlace& right, BlockPlace& below) {
      if (body == 0) return;
      right = ldu_.place(node_of(body), place.node);
      below = ldu_.place(place.node, node_of(body));
    };
    find(bodies_[k].a, place.right_a, place.below_a);
    find(bodies_[k].b, place.right_b, place.below_b);
    const auto& constraint = bodies_[k];
    if (k < model.num_bodies()) first_closure_ += constraint.rows;
    else if (!constraint.coupling || constraint.follows) num_closures_ += constraint.rows;  // each coupling once
    for (int r = constraint.locked; r < constraint.rows; ++r) {
      scale_[place.offset + r] = S(0);
      compliance_[place.offset + r] = S(1);
    }
  }
}

template <class Model>
bool MaximalSystem<Model>::project(const ConstrainedPose<S>& at, const VectorX<S>& armature, VectorX<S>& x) noexcept {
  set_stiffness(armature);
  begin_with_masses();
  add_constraints(at);
  if (!factor()) return false;
  solve(x);
  return true;
}

template <class Model>
BlockLdu<typename Model::Scalar> MaximalSystem<Model>::make_ldu(const Model& model, const ConstrainedBodies<Model>& bodies,
                                                                Closures closures, BodyArray<Place>& places) {
  BlockGraph graph;
  Eigen::Index offset = 6 * (model.num_bodies() - 1);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) graph.add_node(6);
  SaddleNodes nodes;
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) nodes.bodies.push_back(node_of(i));  // from the leaves to the root
  for (BodyIndex k = 1; k < bodies.size(); ++k) {
    const auto& constraint = bodies[k];
    if (constraint.rows == 0) continue;
    if (constraint.coupling && !constraint.follows) {
      places[k] = places[k - 1];
    } else {
      places[k].node = graph.add_node(constraint.rows);
      places[k].offset = std::exchange(offset, offset + constraint.rows);
      if (k >= model.num_bodies()) nodes.closures.push_back(places[k].node);
    }
    for (const BodyIndex body : {constraint.a, constraint.b}) {
      if (body > 0) graph.couple(places[k].node, node_of(body));
      else if (constraint.coupling) nodes.grounded.push_back(places[k].node);
    }
  }
  SaddleOrder order = saddle_order(graph, nodes);
  // Only closures make rows redundant. If they are compliant, however little, no row is redundant, and none may be left out.
  if (closures == Closures::soft) order.may_be_singular.clear();
  return BlockLdu<S>(graph, std::move(order.order), order.may_be_singular);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalSystem<Model<double>>;
#endif

}  // namespace actio::detail
