// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where the energy goes, what momentum there is, what comes open and how hard a step was: node by node.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "actio/dynamics/momentum.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/gap_meter.hpp"
#include "actio/simulation/step_work.hpp"

namespace actio {

/// What Diagnostics knows of a node.
template <Scalar S>
struct DiagnosticsSample {
  std::int64_t step = 0;                                  ///< taken so far
  S time{};                                               ///< [s]
  Energy<S> energy{};                                     ///< [J]; elastic: springs of joints, limits, loops and contacts
  S dissipated{};                                         ///< since the start, by joint dampers and by what limits, sticks, slides and hits [J]
  S input{};                                              ///< since the start, by inputs and the force field; negative where they brake [J]
  S balance{};                                            ///< energy + dissipated - input, less the energy at the start [J]
  Vector3<S> linear_momentum = Vector3<S>::Zero();        ///< in the world, as both below [N s]
  Vector3<S> angular_momentum = Vector3<S>::Zero();       ///< about the world's origin [N m s]
  Vector3<S> spin = Vector3<S>::Zero();                   ///< angular momentum about the centre of mass [N m s]
  S gap{};                                                ///< the largest, of what should be closed [m]; 0 where nothing can open
  int iterations = 0;                                     ///< of the step that led here: see StepResult; 0 at the start. In a sample that is
                                                          ///< kept the most that a step took since the one before, so that none is missed
  int substeps = 0;                                       ///< the same
};

/// An observer that keeps the books of a run: what there is and what came and went, step by step, so that the balance is what no physics
/// accounts for, the integrator's own error. It shrinks with the step to the power of the integrator's order, fourth at most.
///
///   Diagnostics diagnostics(model);
///   simulate(integrator, h, Seconds{10}, diagnostics);
///   use(diagnostics.now().dissipated, diagnostics.largest_balance());
///
/// Not told apart: what rows of the compliant integrator do, but for what their springs hold, counts as dissipated: impacts, friction, dampers,
/// what an implicit step takes out of springs that are stiff for it and, with the other sign, what lets out bodies that overlapped. In the
/// balance stays what loops lose that are closed softly for once (StepResult::relaxed), and a force field that the constructor was not given.
/// It must see every node: where it misses one, as behind every(10, ...), works and balance are NaN from there on. A run begins anew at step 0.
template <Scalar S, class Force = NoForce>
class Diagnostics {
 public:
  using Sample = DiagnosticsSample<S>;  ///< of one node

  /// @param keep_every keep a sample of the start and of each so many steps; 0: of none.
  /// @param force a copy of the integrator's force field, which counts as input.
  template <class Joints>
  explicit Diagnostics(const Model<S, Joints>& model, std::int64_t keep_every = 0, Force force = {})
      : work_(model, std::move(force)), keep_every_(keep_every) {}

  /// Takes a node in; by simulate().
  template <class N>
  void operator()(N& node) {
    if (node.step() == 0) {
      now_ = {};
      balance_ = {};
      most_iterations_ = most_substeps_ = 0;
      samples_.clear();
    }
    now_.energy = node.energy();
    add_step(node);
    work_.begin(node.state());
    now_.step = node.step();
    now_.time = node.time();
    balance_.add({now_.energy.kinetic, now_.energy.potential, now_.energy.elastic + now_.dissipated - now_.input});
    now_.balance = balance_.error();
    const Vector6<S> momentum = spatial_momentum(node.model(), node.kinematics());
    now_.angular_momentum = momentum.template head<3>();
    now_.linear_momentum = momentum.template tail<3>();
    const Vector3<S> com = moving_center_of_mass(node.model(), node.kinematics());
    now_.spin = now_.angular_momentum - com.cross(now_.linear_momentum);
    now_.gap = gap_at(node).value_or(S(0));
    if (keep_every_ > 0 && node.step() % keep_every_ == 0) keep();
  }

  const Sample& now() const { return now_; }                        ///< of the node seen last
  S largest_balance() const { return balance_.largest_error(); }    ///< max |balance| [J]; infinite where it was no number
  S relative_balance() const { return balance_.relative_error(); }  ///< over the largest kinetic energy: see EnergyMeter
  const std::vector<Sample>& samples() const { return samples_; }   ///< those kept
  /// Makes room for samples, so that none is made during a run.
  void reserve(std::size_t samples) { samples_.reserve(samples); }

 private:
  void keep() {
    samples_.push_back(now_);
    samples_.back().iterations = std::exchange(most_iterations_, 0);
    samples_.back().substeps = std::exchange(most_substeps_, 0);
  }
  template <class N>
  void add_step(N& node) {
    using I = std::remove_cvref_t<decltype(node.integrator())>;
    constexpr bool has_rows = requires { node.integrator().row_work(); };
    S released{};  // by the springs of rows, since the node before
    if constexpr (has_rows) {
      released = rows_hold_;
      rows_hold_ = now_.energy.elastic - elastic_energy(node.model(), node.state().q);
      released -= rows_hold_;
    }
    if (node.step() == 0) return;
    Work<S> work = work_.template to<I::order>(node.model(), node.state(), node.input(), node.h());
    if constexpr (has_rows) work.dissipated += released - node.integrator().row_work();
    const S unknown(node.step() == now_.step + 1 ? ValueOf<S>(0) : std::numeric_limits<ValueOf<S>>::quiet_NaN());
    now_.input += work.input + unknown;
    now_.dissipated += work.dissipated + unknown;
    now_.iterations = node.result().iterations;
    now_.substeps = node.result().substeps;
    most_iterations_ = std::max(most_iterations_, now_.iterations);
    most_substeps_ = std::max(most_substeps_, now_.substeps);
  }

  StepWork<S, Force> work_;
  Sample now_{};
  S rows_hold_{};           // springs of rows at the node before
  EnergyMeter<S> balance_;  // what came is taken off and what went is added, so that the sum should stay
  std::vector<Sample> samples_;
  std::int64_t keep_every_;
  int most_iterations_ = 0, most_substeps_ = 0;  // in steps since the sample kept last
};

}  // namespace actio
