// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The variational integrator for several instances of a model at once, one in each lane of SIMD registers.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "actio/core/batch.hpp"
#include "actio/integrators/lanes/lane_history.hpp"
#include "actio/integrators/lanes/lane_root.hpp"
#include "actio/integrators/lanes/lane_tools.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"

namespace actio {

/// N motions of one model by the step of VariationalIntegrator, which are computed at once: for sampling, learning and studies of many
/// starts. It supports trees in free motion: joint springs, damping, armature, joint forces, wrenches and constant forces, but no loops,
/// couplings, limits, friction, contacts, servos and springs between points.
///
/// A motion has the same bits in any lane and beside any neighbours, and differs from that of VariationalIntegrator by rounding, within the
/// tolerance of a step; with actio::reproducible it has the same bits as there, up to a step that it makes alone. Lanes iterate until the
/// last one has converged; those that have are masked. A lane whose step is not solved as a whole makes it alone in a
/// VariationalIntegrator, with substeps; if that fails too, the lane reports it, and only that lane stays.
/// Fill lanes that are not needed with copies of another one.
/// @tparam ModelType a Model<float> or Model<double>.  @tparam N 2, 4, 8 or 16: as many as one register has lanes is fastest.
template <class ModelType, int N>
class VariationalLanes {
 public:
  using Model = ModelType;                          ///< a Model of the default joints
  using Scalar = typename Model::Scalar;            ///< scalar type of one lane
  using Options = VariationalOptions<Scalar>;       ///< options of the constructor; those of what is not supported have no effect
  static constexpr int lanes = N;                   ///< number of motions
  using Results = std::array<StepResult<Scalar>, static_cast<std::size_t>(N)>;  ///< one for each lane
  static constexpr int order = 2;                   ///< of the error at a given time, in h
  static constexpr bool reversible = true;          ///< a step of -h undoes a step of h, where nothing dissipates
  static_assert(std::floating_point<Scalar>, "lanes are those of a Model<float> or Model<double>");

 private:
  using Wide = Batch<Scalar, N>;
  using Mask = typename Wide::Mask;
  using WideModel = actio::Model<Wide>;
  using Single = VariationalIntegrator<Model>;
  using Residual = Drnea<Split>;
  using Root = detail::LaneRoot<Scalar>;
  template <class T> using PerLane = std::array<T, static_cast<std::size_t>(N)>;

 public:
  /// The states of all lanes at a node and what is computed from them once.
  struct Memory {
    TreePose<Wide> tree;        ///< at q_k
    VectorX<Wide> p,            ///< (nv) discrete momenta [N m s, N s]
        gravity,                ///< (nv) joint forces of gravity at q_k [N m, N]
        v;                      ///< (nv) as given to reset, in lanes that are fresh
    Wide energy;                ///< twice the kinetic energy of the last step [J]
    AbiData<Wide> mass;         ///< factors of M at the last step or an earlier one
    detail::LaneHistory<Wide> history;  ///< of increments
    PerLane<Scalar> time{};     ///< [s]
    PerLane<bool> fresh{};      ///< whether v is valid
    PerLane<int> substeps{};    ///< number of substeps of the last step
    PerLane<typename Root::Memory> root{};  ///< what root finders keep from one root to the next
  };

  /// Every lane begins at rest in the neutral configuration.  @param model outlives the integrator.
  /// @throws ModelError if it has something active that lanes do not support, or a joint that moves no mass; OptionsError if an option is
  /// out of range, or the guess is not `momentum` and not an extrapolation.
  explicit VariationalLanes(const Model& model, const Options& options = {})
      : model_(&checked(model, options)), options_(options), single_(model, options), one_(single_.make_memory()), wide_(cast<Wide>(model)),
        node_{TreePose<Wide>(wide_), zero(), zero(), zero(), Wide(Scalar(0)), AbiData<Wide>(wide_), detail::LaneHistory<Wide>(model.nv()),
              {}, {}, {}, {}},
        next_(wide_), fresh_(wide_), data_(wide_), jacobian_(wide_), new_jacobian_(wide_), sweeps_(wide_), momentum_(wide_),
        gravity_(wide_), terms_(detail::JointTerms<Scalar>(model, options.springs)), carrier_(wide_) {
    for (VectorX<Wide>* work : {&p_next_, &gravity_next_, &x_, &z_, &z_by_jacobian_, &guess_, &forces_, &known_, &left_over_, &v_, &f_}) {
      *work = zero();
    }
    wrench_ = BodyArray<Vector6<Wide>>(model.num_bodies(), Vector6<Wide>::Zero());
    if (!model.forces().empty()) T_WB_ = BodyArray<Pose<Wide>>(model.num_bodies(), Pose<Wide>::identity());
    const State<Scalar> at_rest = rest_state(model);
    for (int k = 0; k < N; ++k) reset(k, at_rest);
  }
  explicit VariationalLanes(Model&&, const Options& = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }      ///< as given to the constructor
  const Options& options() const noexcept { return options_; }  ///< as given to the constructor
  Scalar time(int lane) const noexcept { return node_.time[at(lane)]; }  ///< t_k of a lane [s]
  /// Copies q_k of a lane.  @param q (nq), of that size.
  void configuration(int lane, std::type_identity_t<VectorRef<Scalar>> q) const noexcept { detail::get_lane(node_.tree.q, lane, q); }
  /// Copies p_k of a lane.  @param p (nv), of that size [N m s, N s].
  void momentum(int lane, std::type_identity_t<VectorRef<Scalar>> p) const noexcept { detail::get_lane(node_.p, lane, p); }

  /// Begins a lane anew at x; the others do not change.  @throws OptionsError if x is not a state of the model; nothing changes then.
  void reset(int lane, const State<Scalar>& x) {
    detail::require_state(*model_, x);
    begin(lane, x);
    place(wide_, node_.tree, node_.tree.q);  // gives the other lanes the bits that they have
    const VectorX<Wide>& p = joint_momentum(wide_, node_.tree, momentum_, node_.v);
    gravity_forces(wide_, node_.tree, gravity_, f_);
    detail::blend(mask_of(1U << lane), p, node_.p);
    detail::blend(mask_of(1U << lane), f_, node_.gravity);
  }

  /// Reads q, v = M(q)^-1 p and the time of a lane: one factorisation and one solve.  @returns converged, or singular if M has no inverse.
  Status read(int lane, State<Scalar>& state) noexcept {
    to_single(lane);
    single_.restore(one_);
    return single_.read(state);
  }

  /// Advances lanes by a step.  @param inputs an array with one for each lane, or one for all.  @param h [s], negative only where the model
  /// dissipates nothing.
  /// @param which the lanes that step, lane k as bit k; the others rest, with a default result.
  /// @returns for each lane the status; on failure, its reason. A lane whose step failed keeps its state; its next step begins like the
  /// first one after a reset, and so does that of a lane that rested.
  Results step(const LaneInputs<Scalar, N>& inputs, Scalar h, unsigned which = ~0U) noexcept;

  Memory make_memory() const { return node_; }                  ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = node_; }  ///< saves all that the next step depends on
  void restore(const Memory& memory) noexcept { node_ = memory; }  ///< restores a saved memory; steps continue bitwise as they did from there

 private:
  static constexpr std::size_t at(int lane) { return static_cast<std::size_t>(lane); }
  static const Model& checked(const Model& model, const Options& options);
  VectorX<Wide> zero() const { return VectorX<Wide>::Constant(model_->nv(), Wide(Scalar(0))); }

  static Mask mask_of(unsigned bits) { return detail::mask_of<Wide>(bits); }  // of the lanes whose bits are set

  void begin(int lane, const State<Scalar>& x) noexcept {
    detail::set_lane_of(node_.tree.q, lane, x.q);
    detail::set_lane_of(node_.v, lane, x.v);
    node_.energy.set(lane, Scalar(0));
    node_.time[at(lane)] = x.time;
    node_.fresh[at(lane)] = true;
    node_.substeps[at(lane)] = 1;
    forget(lane);
  }
  /// Forgets what a lane learned from earlier steps.
  void forget(int lane) noexcept {
    node_.history.clear(lane);
    node_.root[at(lane)] = {};
  }
  /// Sets one_ to a lane.
  void to_single(int lane) noexcept;

  /// Adds the input, the constant forces and those at points to tau, at the beginning or at the end of the step.
  /// @param which lanes that step.
  void add_forces(unsigned which, bool at_end, const TreePose<Wide>& tree, VectorX<Wide>& tau) noexcept;
  /// Sets x_ where the root finders start.  @returns the lanes that start from their momentum.
  unsigned guess(unsigned which) noexcept;
  /// Factors M in lanes that have no factors.
  void factor_mass(unsigned which) noexcept;
  /// Factors the exact Jacobian in lanes; others keep the factors that they use.
  void factor_jacobian(unsigned which, unsigned others) noexcept;
  /// Moves the bodies to x_.
  void evaluate() noexcept;
  const VectorX<Wide>& wanted() const noexcept { return terms_.any() ? left_over_ : known_; }
  /// Finds x_ in lanes.  @returns the lanes in which it was found.
  unsigned find_increments(unsigned which, Results& results) noexcept;
  /// Computes the next node.  @returns the lanes in which it is finite.
  unsigned find_ends(unsigned which) noexcept;
  /// Makes the step of a lane alone.  @returns whether it succeeded.
  bool step_alone(int lane, StepResult<Scalar>& result) noexcept;
  /// Goes to the next node in lanes.
  void commit(unsigned which) noexcept;
  /// Returns the lanes in which every body rotates less than the half-angle cosine w allows.
  unsigned within(Scalar w) const noexcept {
    Mask mask = data_.dT[0].dQ.w() > Wide(w);
    for (BodyIndex i = 1; i < data_.dT.size(); ++i) mask = mask & (data_.dT[i].dQ.w() > Wide(w));
    return mask.bits();
  }

  /// The floor of the norm in one lane, as DiscreteEulerLagrange::floor().
  struct Floor {
    VariationalLanes* all;
    int lane;
    Scalar floor() noexcept { return all->floor(lane); }
  };
  Scalar floor(int lane) noexcept;

  const Model* model_;
  Options options_;
  Single single_;
  typename Single::Memory one_;
  WideModel wide_;
  Memory node_;
  TreePose<Wide> next_;
  AbiData<Wide> fresh_;
  DrneaData<Wide> data_;
  typename Residual::template Factors<Wide> jacobian_, new_jacobian_;
  detail::VelocityData<Wide> sweeps_;
  JointMomentumData<Wide> momentum_;
  GravityData<Wide> gravity_;
  detail::JointTerms<Wide> terms_;
  detail::ResidualCarrier<WideModel> carrier_;
  BodyArray<Vector6<Wide>> wrench_;
  BodyArray<Pose<Wide>> T_WB_;  // empty without forces at points
  VectorX<Wide> p_next_, gravity_next_, x_, z_, z_by_jacobian_, guess_, forces_, known_, left_over_, v_, f_;
  // of the present step
  LaneInputs<Scalar, N> inputs_;
  PerLane<Root> root_{};
  PerLane<Scalar> floor_{};
  PerLane<typename Root::Memory> learned_{};
  PerLane<int> factorizations_{};
  Wide h_, energy_, guess_energy_, scale_;
  unsigned has_mass_ = 0, has_floor_ = 0;  // lanes
  bool is_reduced_ = false;                // whether the last reduction with M was that of f
};

template <class ModelType, int N>
auto VariationalLanes<ModelType, N>::checked(const Model& model, const Options& options) -> const Model& {
  options.check();
  if (options.guess != InitialGuess::momentum && options.guess < InitialGuess::linear)
    throw OptionsError("VariationalLanes: guess is none that lanes have, expected momentum or an extrapolation, linear to quintic");
  require_support(model, {.dampers = true}, "variational in lanes");
  if (!model.springs().empty()) detail::refuse("variational in lanes", detail::title(model.springs().front()), "take VariationalIntegrator");
  return model;
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::to_single(int lane) noexcept {
  detail::get_lane(node_.tree.q, lane, one_.tree.q);
  place(*model_, one_.tree, one_.tree.q);
  detail::get_lane(node_.p, lane, one_.p);
  detail::get_lane(node_.gravity, lane, one_.gravity);
  detail::get_lane(node_.v, lane, one_.v);
  one_.fresh = node_.fresh[at(lane)];
  one_.substeps = node_.substeps[at(lane)];
  one_.energy = node_.energy[lane];
  one_.root = {};
  one_.time = node_.time[at(lane)];
  one_.history.clear();
}

template <class ModelType, int N>
auto VariationalLanes<ModelType, N>::step(const LaneInputs<Scalar, N>& inputs, Scalar h, unsigned which) noexcept -> Results {
  Results results{};
  inputs_ = inputs;
  unsigned valid = 0, whole = 0;
  for (int k = 0; k < N; ++k) {
    if ((which >> k & 1U) == 0) continue;
    StepResult<Scalar>& result = results[at(k)];
    if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(*model_, inputs_[k])) result.status = Status::invalid_input;
    if (!result) continue;
    valid |= 1U << k;
    if (node_.substeps[at(k)] < 4) whole |= 1U << k;  // Substeps begins with half of those of the last step
  }
  if (valid == 0) return results;
  h_ = Wide(h);
  unsigned done = whole != 0 ? find_increments(whole, results) : 0U;
  if (done != 0) done &= find_ends(done);
  if (const Mask moves = mask_of(done); !all(moves)) {
    for (Wide& x : x_) x = select(moves, x, Wide(Scalar(0)));
  }
  unsigned alone = valid & ~done;
  for (int k = 0; k < N; ++k) {
    if ((alone >> k & 1U) == 0) continue;
    if (step_alone(k, results[at(k)])) done |= 1U << k;
    else alone &= ~(1U << k);
  }
  if (alone != 0) place(wide_, next_, next_.q);
  node_.history.push(x_, h);
  commit(done);
  for (int k = 0; k < N; ++k) {
    if ((done >> k & 1U) == 0) {
      forget(k);
      continue;
    }
    node_.time[at(k)] += h;
    node_.fresh[at(k)] = false;
    node_.substeps[at(k)] = results[at(k)].substeps;
    node_.root[at(k)] = learned_[at(k)];
    if ((alone >> k & 1U) != 0 && single_.last_step().h != h) node_.history.clear(k);
  }
  return results;
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::add_forces(unsigned which, bool at_end, const TreePose<Wide>& tree, VectorX<Wide>& tau) noexcept {
  tau += wide_.properties().force;
  bool pushes = !model_->forces().empty();
  for (int k = 0; k < N; ++k) {
    if ((which >> k & 1U) == 0) continue;
    const Input<Scalar>& input = inputs_[k];
    pushes |= input.has_wrenches();
    const VectorX<Scalar>& of_lane = at_end ? input.tau_at_end() : input.tau_begin;
    for (Eigen::Index i = 0; i < of_lane.size(); ++i) tau[i].set(k, tau[i][k] + of_lane[i]);
  }
  if (!pushes) return;
  for (Vector6<Wide>& wrench : wrench_) wrench.setConstant(Wide(Scalar(0)));
  for (int k = 0; k < N; ++k) {
    const BodyArray<Vector6<Scalar>>& of_lane = at_end ? inputs_[k].wrench_at_end() : inputs_[k].wrench_begin;
    if ((which >> k & 1U) == 0 || of_lane.size() == 0) continue;
    for (BodyIndex i = 1; i < wrench_.size(); ++i) {
      for (int r = 0; r < 6; ++r) wrench_[i][r].set(k, of_lane[i][r]);
    }
  }
  for (BodyIndex i = 1; i < T_WB_.size(); ++i) T_WB_[i] = T_WB_[wide_.parent(i)] * tree.T_PB[i];
  for (const PointForce<Wide>& force : wide_.forces()) {
    wrench_[force.body] += detail::point_wrench<Wide>(T_WB_[force.body], force.point, force.force);
  }
  add_wrench_forces(wide_, tree, wrench_, tau);
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::factor_mass(unsigned which) noexcept {
  const unsigned missing = which & ~has_mass_;
  if (missing == 0) return;
  AbiData<Wide>& mass = has_mass_ == 0 ? node_.mass : fresh_;
  (void)abi_factor(wide_, node_.tree, mass, terms_.diagonal(wide_, h_));  // a lane in which M is singular ends as NaN
  if (has_mass_ != 0) {
    detail::blend(mask_of(missing), fresh_.U, node_.mass.U);
    detail::blend(mask_of(missing), fresh_.D_inverse, node_.mass.D_inverse);
  }
  has_mass_ |= missing;
  for (int k = 0; k < N; ++k) factorizations_[at(k)] += static_cast<int>(missing >> k & 1U);
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::factor_jacobian(unsigned which, unsigned others) noexcept {
  (void)Residual::factor(wide_, node_.tree, data_, others == 0 ? jacobian_ : new_jacobian_, x_, h_, terms_.left_rate(wide_, h_));
  if (others == 0) return;
  const Mask mask = mask_of(which);
  detail::blend(mask, new_jacobian_.rates.S_end, jacobian_.rates.S_end);
  detail::blend(mask, new_jacobian_.rates.to_increment, jacobian_.rates.to_increment);
  detail::blend(mask, new_jacobian_.of_jacobian.U, jacobian_.of_jacobian.U);
  detail::blend(mask, new_jacobian_.of_jacobian.W, jacobian_.of_jacobian.W);
  detail::blend(mask, new_jacobian_.of_jacobian.D_inverse, jacobian_.of_jacobian.D_inverse);
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::evaluate() noexcept {
  Residual::move(wide_, node_.tree, data_, x_, h_);
  if (!terms_.any()) return;
  left_over_.setConstant(Wide(Scalar(0)));
  terms_.add_left(wide_, node_.tree.q, x_, h_, left_over_);
  left_over_ = known_ - left_over_;
}

template <class ModelType, int N>
unsigned VariationalLanes<ModelType, N>::guess(unsigned which) noexcept {
  const int highest = options_.guess == InitialGuess::momentum
                          ? 0
                          : static_cast<int>(options_.guess) - static_cast<int>(InitialGuess::linear) + 2;
  const auto orders = node_.history.extrapolate(highest, h_[0], x_);
  unsigned by_momentum = 0;
  for (int k = 0; k < N; ++k) {
    if (highest == 0 || orders[at(k)] < std::min(highest, 3)) by_momentum |= 1U << k;
  }
  by_momentum &= which;
  guess_energy_ = Wide(Scalar(0));
  if (by_momentum == 0) return 0;
  has_mass_ &= ~by_momentum;  // they begin with the factors at q_k
  factor_mass(by_momentum);
  const Wide of_momentum = abi_solve(wide_, node_.tree, node_.mass, node_.p, v_);
  velocity_forces(wide_, node_.tree, sweeps_, v_, f_);
  f_ = forces_ - f_;
  add_spring_forces(wide_, node_.tree.q, f_);
  f_.array() -= wide_.properties().damping.array() * v_.array();
  const Wide of_forces = abi_solve(wide_, node_.tree, node_.mass, f_, z_);
  guess_ = h_ * v_ + (h_ * h_ / Wide(Scalar(2))) * z_;
  const Mask mask = mask_of(by_momentum);
  detail::blend(mask, guess_, x_);
  guess_energy_ = select(mask, of_momentum + h_ * h_ * of_forces, guess_energy_);
  return by_momentum;
}

template <class ModelType, int N>
auto VariationalLanes<ModelType, N>::floor(int lane) noexcept -> Scalar {
  if ((has_floor_ >> lane & 1U) != 0) return floor_[at(lane)];
  factor_mass(1U << lane);
  const auto depth = static_cast<Scalar>(model_->depth());
  const Scalar least = 4 * epsilon<Scalar> * (10 + depth * depth / 10);
  const auto load = [&](const VectorX<Wide>& f) { return abi_reduce(wide_, node_.tree, node_.mass, f); };
  f_.setConstant(Wide(Scalar(0)));
  add_spring_forces(wide_, node_.tree.q, f_);
  Wide loads = load(node_.p) + h_ * h_ * (load(node_.gravity) + load(f_));
  f_ = known_ - node_.p - (h_ / Wide(Scalar(2))) * node_.gravity;  // inputs
  loads += load(f_);
  is_reduced_ = false;
  has_floor_ |= 1U << lane;
  return floor_[at(lane)] = least * std::sqrt(1 + loads[lane] / (scale_[lane] * scale_[lane]));
}

template <class ModelType, int N>
unsigned VariationalLanes<ModelType, N>::find_increments(unsigned which, Results& results) noexcept {
  using Norm = typename Root::Norm;
  using Move = typename Root::Move;
  forces_ = node_.gravity;
  add_forces(which, false, node_.tree, forces_);
  known_ = node_.p + (h_ / Wide(Scalar(2))) * forces_;
  factorizations_.fill(0);
  has_mass_ = has_floor_ = 0;
  for (int k = 0; k < N; ++k) {
    if ((which >> k & 1U) != 0 && node_.root[at(k)].keeps_inverse) has_mass_ |= 1U << k;
  }
  const unsigned by_momentum = guess(which);
  for (int k = 0; k < N; ++k) {
    // the distance from which VariationalIntegrator takes no extrapolation either; it then starts from the momentum
    const Scalar farthest = (by_momentum >> k & 1U) != 0 ? std::numeric_limits<Scalar>::infinity() : Scalar(0.05F);
    if ((which >> k & 1U) == 0) root_[at(k)] = {};
    else root_[at(k)].begin({options_.tolerance, options_.max_iterations, farthest}, node_.root[at(k)]);
  }
  const auto that_want = [&](Norm norm) {
    unsigned bits = 0;
    for (int k = 0; k < N; ++k) bits |= static_cast<unsigned>(root_[at(k)].wanted() == norm) << k;
    return bits;
  };
  bool moved = true;
  for (bool is_first = true;; is_first = false) {
    const unsigned by_mass = that_want(Norm::by_mass), by_jacobian = that_want(Norm::by_jacobian), anew = that_want(Norm::by_new_jacobian);
    if ((by_mass | by_jacobian | anew) == 0) break;
    if (moved) evaluate();
    Wide energies(Scalar(0));
    if (by_mass != 0) {
      factor_mass(by_mass);
      energies = Residual::reduce(wide_, node_.tree, data_, node_.mass, wanted());
      is_reduced_ = true;
    }
    if (anew != 0) factor_jacobian(anew, by_jacobian);
    if ((by_jacobian | anew) != 0) {
      const Wide by_exact = Residual::reduce(wide_, node_.tree, data_, jacobian_, wanted()) / abs(h_);
      energies = select(mask_of(by_mass), energies, by_exact);
    }
    if (is_first) {
      energy_ = Residual::energy(data_, h_);
      scale_ = sqrt(node_.energy + guess_energy_ + energy_ + energies);
    }
    const Wide norms = select(energies == Wide(Scalar(0)), energies, sqrt(energies) / scale_);
    const unsigned plausible = by_jacobian != 0 ? within(Scalar(0.5403)) : 0U;  // as Drnea::plausible()
    unsigned add = 0, back = 0, halve = 0;
    for (int k = 0; k < N; ++k) {
      if (root_[at(k)].wanted() == Norm::none) continue;
      const Move move = root_[at(k)].judge(norms[k], (plausible >> k & 1U) != 0, Floor{this, k});
      add |= static_cast<unsigned>(move == Move::add) << k;
      back |= static_cast<unsigned>(move == Move::back) << k;
      halve |= static_cast<unsigned>(move == Move::halve) << k;
    }
    moved = (add | back | halve) != 0;
    if (!moved) continue;
    if ((add & by_mass) != 0) {
      if (!is_reduced_) Residual::reduce(wide_, node_.tree, data_, node_.mass, wanted());
      abi_expand(wide_, node_.tree, node_.mass, f_);
      f_ *= -h_;
      detail::blend(mask_of(add & by_mass), f_, z_);
    }
    if ((add & ~by_mass) != 0) {
      Residual::expand(wide_, node_.tree, jacobian_, z_by_jacobian_);
      z_by_jacobian_ = -z_by_jacobian_;
      detail::blend(mask_of(add & ~by_mass), z_by_jacobian_, z_);
    }
    if (halve != 0) {
      f_ = z_ / Wide(Scalar(2));
      detail::blend(mask_of(halve), f_, z_);
    }
    if (add != 0) {
      f_ = x_ + z_;
      detail::blend(mask_of(add), f_, x_);
    }
    if ((back | halve) != 0) {
      f_ = x_ - z_;
      detail::blend(mask_of(back | halve), f_, x_);
    }
  }
  unsigned found = 0;
  const unsigned upright = within(Scalar(0));
  for (int k = 0; k < N; ++k) {
    if ((which >> k & 1U) == 0) continue;
    const RootResult<Scalar>& root = root_[at(k)].result();
    StepResult<Scalar>& result = results[at(k)];
    result.method = root.method;
    result.iterations = root.iterations;
    result.evaluations = root.evaluations;
    result.factorizations = root.factorizations + factorizations_[at(k)];
    result.residual = root.norm;
    learned_[at(k)] = root_[at(k)].memory();
    if (root.status == Status::converged) found |= 1U << k;
  }
  return found & upright;
}

template <class ModelType, int N>
unsigned VariationalLanes<ModelType, N>::find_ends(unsigned which) noexcept {
  const Wide half = h_ / Wide(Scalar(2));
  wide_.integrate(node_.tree.q, x_, next_.q);
  place(wide_, next_, next_.q);
  f_ = Residual::momenta(wide_, node_.tree, next_, data_, p_next_) - wanted();
  terms_.add_right(wide_, next_.q, x_, h_, p_next_);
  gravity_forces(wide_, next_, gravity_, gravity_next_);
  forces_ = gravity_next_;
  add_forces(which, true, next_, forces_);
  p_next_ += half * forces_;
  if (options_.carry_residual) {
    carrier_.carry(wide_, node_.tree, next_, x_, known_, h_, f_);
    p_next_ -= f_;
  }
  Mask finite = is_finite(h_);
  for (const Wide& p : p_next_) finite = finite & is_finite(p);
  for (const Wide& q : next_.q) finite = finite & is_finite(q);
  return which & finite.bits();
}

template <class ModelType, int N>
bool VariationalLanes<ModelType, N>::step_alone(int lane, StepResult<Scalar>& result) noexcept {
  to_single(lane);
  single_.restore(one_);
  const StepResult<Scalar> in_vain = result;
  result = single_.step(inputs_[lane], h_[lane]);
  result.iterations += in_vain.iterations;
  result.evaluations += in_vain.evaluations;
  result.factorizations += in_vain.factorizations;
  if (!result) return false;
  single_.save(one_);
  detail::set_lane_of(next_.q, lane, one_.tree.q);
  detail::set_lane_of(p_next_, lane, one_.p);
  detail::set_lane_of(gravity_next_, lane, one_.gravity);
  detail::set_lane_of(x_, lane, single_.last_step().x);
  energy_.set(lane, one_.energy);
  learned_[at(lane)] = {};
  return true;
}

template <class ModelType, int N>
void VariationalLanes<ModelType, N>::commit(unsigned which) noexcept {
  const Mask mask = mask_of(which);
  if (all(mask)) {
    std::swap(node_.tree, next_);
    std::swap(node_.p, p_next_);
    std::swap(node_.gravity, gravity_next_);
  } else {
    detail::blend(mask, next_.q, node_.tree.q);
    detail::blend(mask, p_next_, node_.p);
    detail::blend(mask, gravity_next_, node_.gravity);
    place(wide_, node_.tree, node_.tree.q);
  }
  node_.energy = select(mask, energy_, node_.energy);
}

}  // namespace actio
