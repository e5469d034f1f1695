// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators of order 4, 6 and 8 by extrapolation of steps of a symmetric integrator of order 2: also for models that dissipate.
#include <array>
#include <concepts>
#include <utility>

#include "actio/core/error.hpp"
#include "actio/integrators/composed/staged_steps.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Order 4, 6 or 8 from any symmetric integrator of order 2, in which the model may dissipate: the step is made with 1, 2, ... Order/2 inner
/// steps of equal length, and the ends are extrapolated to inner steps of length zero. The error of a symmetric integrator has even powers of
/// h only, so that each run adds two orders:
///   z = sum_j w_j z_j,   w_j = prod_(i != j) j^2 / (j^2 - i^2),   z_j the end with j steps of h/j
///                                                              [Gragg 1965; Hairer, Nørsett, Wanner 1993, II.9; vi_math.md, section 9]
/// q is extrapolated in the increments from the last of these ends, and v with it; closed loops and couplings are then closed in the
/// metric of M. The step is neither symplectic nor reversible, and keeps momenta as well as its order does: where nothing dissipates, take
/// Composition. Springs and dampers that the inner step does not resolve lose the order.
/// Choose a tolerance of the inner integrator that suits the order. An input is linear over the whole step.
/// @tparam Inner has continue_at(), like VariationalIntegrator and MaximalIntegrator.
template <Integrator Inner, int Order = 6>
class Extrapolation : public StagedSteps<Inner, std::size_t(Order / 2 * (Order / 2 + 1) / 2)> {
  static_assert(Order == 4 || Order == 6 || Order == 8, "Extrapolation: the order is 4, 6 or 8");
  static_assert(Inner::reversible && Inner::order == 2,
                "Extrapolation: the inner integrator must be reversible and of order 2, so that its error has even powers of h only");
  static_assert(
      requires(Inner& inner, const State<typename Inner::Scalar>& x) {
        { inner.continue_at(x) } noexcept -> std::same_as<Status>;
      }, "Extrapolation: the inner integrator lacks continue_at(state), which continues at a state near by without throwing");
  static constexpr std::size_t runs = Order / 2;
  using Base = StagedSteps<Inner, runs * (runs + 1) / 2>;
  using Base::inner_;

 public:
  using typename Base::Model;
  using typename Base::Scalar;
  using Base::reset;
  static constexpr int order = Order;        ///< of the error at a given time, in h
  static constexpr bool reversible = false;  ///< a step of -h does not undo a step of h

  /// @param inner whose model outlives the integrator.
  /// @throws Unsupported if limits, friction or contact are enforced, or servos act, with whose limits of force the end of a step is no
  /// smooth function of its length; OptionsError if velocities of `inner` are those of intervals, which have order 1.
  explicit Extrapolation(Inner inner)
      : Base(std::move(inner)), node_(inner_.make_memory()), end_(rest_state(this->model())), x_(end_.v), to_(end_.v) {
    require_support(this->model(), {.loops = true, .couplings = true, .nonholonomic = true, .restitution = true, .dampers = true}, "extrapolation");
    if constexpr (requires { inner_.options().velocity; }) {
      if (inner_.options().velocity == decltype(inner_.options().velocity)::interval) {
        throw OptionsError("extrapolation: the inner integrator's velocities are those of intervals, of first order: take NodeVelocity::momentum");
      }
    }
    ends_.fill(end_);
  }
  /// Continues with another model. Throws as the constructor does; nothing changes then.
  void reset(const Model& model, const State<Scalar>& x) requires requires(Inner& i) { i.reset(model, x); } && std::movable<Inner> {
    Inner other = inner_;
    other.reset(model, x);
    *this = Extrapolation(std::move(other));
  }

  /// Advances by one step, which fails as a whole. Where the inner integrator would halve one of its steps, the whole step is made in 2, 4,
  /// 8 or 16 equal parts instead; with halved steps only if that does not help.
  /// @param h > 0 [s].  @returns the status; on failure, its reason; the culprit is that of the inner integrator. `substeps` is the number
  /// of parts, or that of the worst inner step; `residual` is that of the worst inner step.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    const auto make = [&](StepResult<Scalar>& result, const Scalar& first, const Scalar& share) {
      inner_.save(node_);
      std::size_t stage = 0;
      for (std::size_t j = 0; j < runs && result; ++j) {
        if (j > 0) inner_.restore(node_);
        const Scalar length = share / number(j + 1);
        for (std::size_t k = 0; k <= j && result; ++k, ++stage) {
          const Scalar begin = first + number(k) * length;
          this->make_stage(stage, input, begin, begin + length, length * h, result);
        }
        if (result) result.status = inner_.read(ends_[j]);
      }
      if (result) result.status = inner_.continue_at(extrapolated());
    };
    return this->step_in_parts(input, h, Method::extrapolation, reversible, make);
  }

 private:
  static Scalar number(std::size_t n) { return Scalar(static_cast<ValueOf<Scalar>>(n)); }
  /// Returns w_j of the run with j + 1 steps.
  static Scalar weight(std::size_t j) {
    double w = 1;
    for (std::size_t i = 0; i < runs; ++i) {
      const double n = static_cast<double>((j + 1) * (j + 1)), other = static_cast<double>((i + 1) * (i + 1));
      if (i != j) w *= n / (n - other);
    }
    return Scalar(static_cast<ValueOf<Scalar>>(w));
  }

  /// Returns the extrapolated end of a part; valid until the next call.
  const State<Scalar>& extrapolated() noexcept {
    const State<Scalar>& last = ends_[runs - 1];
    x_.setZero();
    end_.v.setZero();
    for (std::size_t j = 0; j < runs; ++j) {
      if (j + 1 < runs) {
        this->model().difference(last.q, ends_[j].q, to_);
        x_ += weight(j) * to_;
      }
      end_.v += weight(j) * ends_[j].v;
    }
    this->model().integrate(last.q, x_, end_.q);
    end_.time = last.time;
    return end_;
  }

  typename Inner::Memory node_;  // where a part begins
  std::array<State<Scalar>, runs> ends_;
  State<Scalar> end_;
  VectorX<Scalar> x_, to_;  // (nv)
};

}  // namespace actio
