// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer of energy balance, momenta, gaps and iterations of a run, node by node.
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

/// The diagnostics of a node.
template <Scalar S>
struct DiagnosticsSample {
  std::int64_t step = 0;                                  ///< steps taken so far
  S time{};                                               ///< [s]
  Energy<S> energy{};                                     ///< [J]; elastic: springs of joints, limits, loops and contacts
  S dissipated{};                                         ///< since the start, by joint dampers, limits, friction, contacts, impacts [J]
  S input{};                                              ///< work of inputs, servos and force field since the start, < 0 to brake [J]
  S corrections{};                                        ///< added since the start by corrections of violated rigid constraints [J]
  S balance{};                                            ///< energy + dissipated - input - corrections, less the energy at the start [J]
  Vector3<S> linear_momentum = Vector3<S>::Zero();        ///< in the world, as both below [N s]
  Vector3<S> angular_momentum = Vector3<S>::Zero();       ///< about the world's origin [N m s]
  Vector3<S> spin = Vector3<S>::Zero();                   ///< angular momentum about the centre of mass [N m s]
  S gap{};                                                ///< largest gap of loops, joints and rolling contacts [m]; 0 if nothing can open
  int iterations = 0;                                     ///< of the step that led here: see StepResult; 0 at the start. In samples() it is
                                                          ///< the largest number of a step since the sample before
  int substeps = 0;                                       ///< the same
};

/// An observer of the energy of a run and of all work on the model, step by step. Their balance is the error of the integrator. It shrinks
/// with the step to the power of the integrator's order, at most fourth.
///
///   Diagnostics diagnostics(model);
///   simulate(integrator, h, Seconds{10}, diagnostics);
///   use(diagnostics.now().dissipated, diagnostics.largest_balance());
///
/// With the compliant integrator, the work of its rows counts as dissipated, except for the elastic energy of their springs: impacts,
/// friction, dampers and the numerical damping of stiff springs. What it adds to bring joints back into their ranges, bodies out of each
/// other and open loops together counts as corrections. The balance includes the
/// loss of loops that are closed with a compliance (StepResult::relaxed), and the work of a force field that the constructor was not given.
/// Where limits, friction, contacts or servos act in a variational step, what their impulses take at its ends counts as dissipated, too; for a
/// constant mass matrix the balance then tells only errors of potentials, inputs and of the impulses.
/// It must see every node: if it misses one, as with every(10, ...), works and balance are NaN from there on. A run begins anew at step 0.
template <Scalar S, class Force = NoForce>
class Diagnostics {
 public:
  using Sample = DiagnosticsSample<S>;  ///< of one node

  /// @param keep_every record a sample at the start and after each so many steps; 0: none.
  /// @param force a copy of the integrator's force field, which counts as input.
  template <class Joints>
  explicit Diagnostics(const Model<S, Joints>& model, std::int64_t keep_every = 0, Force force = {})
      : work_(model, std::move(force)), keep_every_(keep_every) {}

  /// Adds a node; called by simulate().
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
    balance_.add({now_.energy.kinetic, now_.energy.potential, now_.energy.elastic + now_.dissipated - now_.input - now_.corrections});
    now_.balance = balance_.error();
    const Vector6<S> momentum = spatial_momentum(node.model(), node.kinematics());
    now_.angular_momentum = momentum.template head<3>();
    now_.linear_momentum = momentum.template tail<3>();
    const Vector3<S> com = moving_center_of_mass(node.model(), node.kinematics());
    now_.spin = now_.angular_momentum - com.cross(now_.linear_momentum);
    now_.gap = gap_at(node).value_or(S(0));
    if (keep_every_ > 0 && node.step() % keep_every_ == 0) keep();
  }

  const Sample& now() const { return now_; }                        ///< of the last node
  S largest_balance() const { return balance_.largest_error(); }    ///< max |balance| [J]; infinite if it was not finite
  S relative_balance() const { return balance_.relative_error(); }  ///< relative to the largest kinetic energy: see EnergyMeter
  const std::vector<Sample>& samples() const { return samples_; }   ///< the recorded samples
  /// Makes room for samples, so that a run does not allocate.
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
    work_.rows_have_dampers = has_rows;
    S released{};  // by the springs of rows since the node before
    if constexpr (requires { node.integrator().row_energy(); }) {
      released = rows_hold_;
      // Springs between points are rows where rows do work.
      rows_hold_ = now_.energy.elastic -
                   (has_rows ? elastic_energy(node.model(), node.state().q) : elastic_energy(node.model(), node.kinematics()));
      released -= rows_hold_;
    }
    if (node.step() == 0) return;
    detail::Work<S> work = work_.template to<I::order>(node.model(), node.state(), node.input(), node.h());
    const S unknown(node.step() == now_.step + 1 ? ValueOf<S>(0) : std::numeric_limits<ValueOf<S>>::quiet_NaN());
    if constexpr (has_rows) {
      const S corrected = node.integrator().correction_work();
      now_.corrections += corrected + unknown;
      work.dissipated += corrected - node.integrator().row_work();
    }
    if constexpr (requires { node.integrator().bound_impulses(); }) {
      const VectorX<S>&of_bounds = node.integrator().bound_impulses(), &of_servos = node.integrator().servo_impulses();
      if (of_bounds.size() > 0 && !(of_bounds.isZero(S(0)) && of_servos.isZero(S(0)))) {
        work.input += work_.along_mean(of_servos, node.state());
        work.dissipated -= work_.along_mean(of_bounds, node.state());
        work.dissipated += work_.taken_at_ends(node.model(), node.state(), of_bounds, of_servos, node.h());
      }
    }
    work.dissipated += released;
    now_.input += work.input + unknown;
    now_.dissipated += work.dissipated + unknown;
    now_.iterations = node.result().iterations;
    now_.substeps = node.result().substeps;
    most_iterations_ = std::max(most_iterations_, now_.iterations);
    most_substeps_ = std::max(most_substeps_, now_.substeps);
  }

  detail::StepWork<S, Force> work_;
  Sample now_{};
  S rows_hold_{};           // elastic energy of rows at the node before
  EnergyMeter<S> balance_;  // of energy + dissipated - input, which should be constant
  std::vector<Sample> samples_;
  std::int64_t keep_every_;
  int most_iterations_ = 0, most_substeps_ = 0;  // in steps since the last recorded sample
};

}  // namespace actio
