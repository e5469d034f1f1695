// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Passive steps: a model that dissipates gains no energy apart from the work of its inputs.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

#include "actio/core/options.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/maximal/options.hpp"
#include "actio/integrators/shared/parts.hpp"
#include "actio/simulation/step_work.hpp"

namespace actio {

/// How PassiveSteps bounds the energy.
template <Scalar S>
struct PassiveOptions {
  S share = S(1e-7F);    ///< share of the kinetic energy by which a step may end above the bound, >= 0 and < 1
  int max_halvings = 4;  ///< a step that ends above the bound is split in two, at most this many times, 0 ... 20
  /// Compares option by option.
  friend bool operator==(const PassiveOptions&, const PassiveOptions&) = default;

  /// Checks every option.  @throws OptionsError that names the option and its range.
  void check() const {
    detail::require_option(share >= S(0) && share < S(1), "PassiveOptions", "share", share, ">= 0 and < 1");
    detail::require_option(max_halvings >= 0 && max_halvings <= 20, "PassiveOptions", "max_halvings", max_halvings, "0 ... 20");
  }
};

/// Steps of an integrator that keep a model passive: at every node, kinetic, potential and elastic energy are at most what they were at the
/// reset and the work of the inputs since then. Integrators keep that bound up to their own energy error, which does not decay where the
/// dampers lock some joints and the others move on, and which is large where loops pass singular poses.
/// A step that ends above the bound is made again in 2, 4, ... substeps. Where the shortest ones end above it, too, all velocities are
/// reduced by one factor. All other steps are bitwise those of the inner integrator, and so are all steps of models that dissipate nothing.
/// Costs a read and an energy a step.                                                             [vi_math.md, section 8]
/// @tparam Inner VariationalIntegrator, MaximalIntegrator or CompliantIntegrator, without a force field, whose work would not be counted.
template <Integrator Inner>
  requires std::floating_point<typename Inner::Scalar>
class PassiveSteps {
  static_assert(!requires { requires Inner::has_force_field; }, "PassiveSteps does not count the work of a force field: pass its forces as input");

 public:
  using Model = typename Inner::Model;               ///< the inner integrator's
  using Scalar = typename Inner::Scalar;             ///< scalar type of all numbers
  using Options = PassiveOptions<Scalar>;            ///< options of the constructor
  static constexpr int order = Inner::order;         ///< of the error at a given time, in h
  static constexpr bool reversible = Inner::reversible;  ///< as the inner integrator, where nothing dissipates

  /// The memory of the inner integrator and of the bound.
  struct Memory {
    typename Inner::Memory inner;  ///< at the node
    State<Scalar> state;           ///< the same, as read there
    Scalar bound{};                ///< energy at the reset and work of the inputs since then [J]
    int substeps = 1;              ///< number of substeps of the last step
  };

  /// @param inner whose model outlives this; steps continue from its node.  @throws OptionsError if an option is out of range, or if
  /// `inner` reads velocities of intervals, which do not follow from its momenta; ModelError if the model has servos.
  explicit PassiveSteps(Inner inner, const Options& options = {})
      : inner_(std::move(inner)), options_((options.check(), options)), kinematics_(model()), work_(model()), part_(model()),
        ahead_(rest_state(model())), node_{inner_.make_memory(), ahead_, Scalar(0), 1}, before_(node_) {
    if constexpr (requires { inner_.options().velocity; }) {
      detail::require_option(inner_.options().velocity == NodeVelocity::momentum, "PassiveSteps", "MaximalOptions::velocity", "interval",
                             "momentum");
    }
    if (!model().servos().empty())
      throw ModelError("PassiveSteps does not count the work of servos of the model: use springs and dampers, and forces as input");
    begin();
  }

  const Model& model() const noexcept { return inner_.model(); }                            ///< as given to the inner integrator
  const Inner& inner() const noexcept { return inner_; }                                    ///< at the node
  const Options& options() const noexcept { return options_; }                              ///< as given to the constructor
  const VectorX<Scalar>& configuration() const noexcept { return inner_.configuration(); }  ///< q_k (nq)
  Scalar time() const noexcept { return node_.state.time; }                                 ///< t_k [s]
  Scalar bound() const noexcept { return node_.bound; }                 ///< energy at the reset and work of the inputs since then [J]
  Scalar velocity_share() const noexcept { return velocity_share_; }    ///< the factor of the velocities at the end of the last step

  /// Begins anew at x, whose energy is the new bound.  @throws OptionsError as the inner integrator does; nothing changes then.
  void reset(const State<Scalar>& x) {
    inner_.reset(x);
    begin();
  }
  /// Reads as the inner integrator does; the time is that of the whole steps.
  Status read(State<Scalar>& state) noexcept {
    const Status status = inner_.read(state);
    if (status == Status::converged) state.time = time();
    return status;
  }

  /// Advances by one step, which fails as a whole.  @param h [s], negative only where the inner integrator allows it.  @returns the status;
  /// on failure, its reason. `substeps` counts those of the inner integrator, too.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    if (!detail::is_valid_step(model(), h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(model(), input)) result.status = Status::invalid_input;
    if (!result) return result;
    if (!model().is_dissipative()) {
      result = inner_.step(input, h);
      if (result) node_.state.time += h;
      return result;
    }
    inner_.save(before_.inner);
    work_.begin(node_.state);
    Scalar work(0), kinetic(0), excess(0);
    int substeps = std::max(1, node_.substeps / 2);
    for (;; substeps *= 2) {
      step_in_parts(input, h, substeps, result);
      if (result) result.status = inner_.read(ahead_);
      if (!result) break;
      work = work_.template to<order>(model(), ahead_, input, h).input;
      excess = measure(ahead_, kinetic) - (node_.bound + work + options_.share * kinetic);
      if (!(excess > Scalar(0)) || substeps >= 1 << options_.max_halvings) break;
      inner_.restore(before_.inner);
    }
    if (!result) {
      inner_.restore(before_.inner);
      return result;
    }
    using std::sqrt;
    const Scalar weight = (Scalar(1) - options_.share) * kinetic;  // the share is that of the kinetic energy that is left
    velocity_share_ = excess > Scalar(0) ? sqrt(std::max(Scalar(1) - excess / weight, Scalar(0))) : Scalar(1);
    if (velocity_share_ < Scalar(1)) reduce_velocities();
    ahead_.time = node_.state.time + h;  // not the sum of the substeps
    std::swap(node_.state, ahead_);
    node_.bound += work;
    node_.substeps = substeps;
    return result;
  }

  Memory make_memory() const { return node_; }  ///< sized for save(); allocates
  /// Saves all that the next step depends on.
  void save(Memory& memory) const noexcept {
    inner_.save(memory.inner);
    memory.state = node_.state;
    memory.bound = node_.bound;
    memory.substeps = node_.substeps;
  }
  /// Restores a saved memory; steps continue bitwise as they did from there.
  void restore(const Memory& memory) noexcept {
    inner_.restore(memory.inner);
    node_.state = memory.state;
    node_.bound = memory.bound;
    node_.substeps = memory.substeps;
  }

 private:
  void begin() noexcept {
    Scalar kinetic(0);
    if (inner_.read(ahead_) == Status::converged) node_.state = ahead_;
    node_.bound = measure(node_.state, kinetic);
    node_.substeps = 1;
    velocity_share_ = Scalar(1);
  }
  /// Returns the energy at x, where the inner integrator is, and its kinetic part [J].
  Scalar measure(const State<Scalar>& x, Scalar& kinetic) noexcept {
    const Energy<Scalar> energies = energy(model(), kinematics_, x.q, x.v);
    kinetic = energies.kinetic;
    Scalar sum = energies.total();
    if constexpr (requires { inner_.row_energy(); }) sum += inner_.row_energy();
    return sum;
  }
  void step_in_parts(const Input<Scalar>& input, const Scalar& h, int substeps, StepResult<Scalar>& result) noexcept {
    result.status = Status::converged;
    result.substeps = 1;
    result.residual = Scalar(0);
    const Scalar share = Scalar(1) / Scalar(substeps);
    for (int k = 0; k < substeps && result; ++k) {
      const Input<Scalar>& part = substeps == 1 ? input : part_.over(input, Scalar(k) * share, Scalar(k + 1) * share);
      const StepResult<Scalar> made = inner_.step(part, h * share);
      result.method = made.method;
      detail::add_part(result, made);
    }
    result.substeps *= substeps;
  }
  /// Multiplies velocities or momenta of the inner integrator, of which the kinetic energy is a quadratic form, and those of ahead_.
  void reduce_velocities() noexcept {
    typename Inner::Memory& memory = node_.inner;
    inner_.save(memory);
    if constexpr (requires { memory.p; }) memory.p *= velocity_share_;
    else if constexpr (requires { memory.P; }) for (Vector6<Scalar>& P : memory.P) P *= velocity_share_;
    else memory.state.v *= velocity_share_;
    inner_.restore(memory);
    ahead_.v *= velocity_share_;
  }

  Inner inner_;
  Options options_;
  KinematicsData<Scalar> kinematics_;
  detail::StepWork<Scalar> work_;
  detail::InputPart<Scalar> part_;
  State<Scalar> ahead_;
  Memory node_, before_;
  Scalar velocity_share_ = Scalar(1);
};

}  // namespace actio
