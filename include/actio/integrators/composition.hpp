// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators of order 4 and 6, composed of steps of a reversible integrator of order 2.
#include <concepts>
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/composed/schemes.hpp"
#include "actio/integrators/composed/staged_steps.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Order 4 or 6 from any reversible integrator of order 2: a step consists of several steps of it, some of them negative.
/// It is symplectic or symmetric, keeps loops closed, and conserves momenta, where the inner integrator does. Negative steps need conservative forces:
/// dissipation of the model is refused, that of a force field is not detected. Choose a tolerance of the inner integrator that suits the
/// order. An input is linear over the whole step, and is extrapolated where a stage reaches beyond the step.
/// @tparam Scheme one of composed/schemes.hpp, or one of the user with stages, order and weights.
template <Integrator Inner, int Order = 4, class Scheme = CompositionScheme<Order>>
class Composition : public StagedSteps<Inner, Scheme::stages> {
  static_assert(Inner::reversible,
                "Composition: the inner integrator must be reversible (I::reversible): parts of a step go back in time, and the order "
                "relies on symmetry");
  static_assert(Inner::order == 2, "Composition: the schemes need an inner integrator of order 2");
  static_assert(Scheme::order == Order, "Composition: the order of the scheme differs from Order");
  using Base = StagedSteps<Inner, Scheme::stages>;
  using Base::inner_;

 public:
  using typename Base::Model;
  using typename Base::Scalar;
  using Base::reset;
  static constexpr int order = Order;       ///< of the error at a given time, in h
  static constexpr bool reversible = true;  ///< a step of -h undoes a step of h

  /// @param inner whose model outlives the integrator.  @throws ModelError if the model dissipates, or its loops have springs.
  explicit Composition(Inner inner) : Base(std::move(inner)) {
    detail::require_conservation(this->model(), "composition", "parts of its step go back in time: remove it, or use the inner integrator alone");
    if constexpr (requires { inner_.options().closure; }) {
      if (is_finite(inner_.options().closure.stiffness)) {
        detail::refuse("composition", "springs of loops and couplings", "leave the option `closure` of the inner integrator rigid");
      }
    }
  }
  /// Continues with another model. Throws as the constructor does; nothing changes then.
  void reset(const Model& model, const State<Scalar>& x) requires requires(Inner& i) { i.reset(model, x); } && std::movable<Inner> {
    Inner other = inner_;
    other.reset(model, x);
    *this = Composition(std::move(other));
  }

  /// Advances by one step, which fails as a whole. Where the inner integrator would halve one of its steps, the whole step is made in 2, 4,
  /// 8 or 16 equal parts instead; with halved steps only if that does not help.
  /// @param h [s], of either sign.  @returns the status; on failure, its reason; the culprit is that of the inner integrator. `substeps` is
  /// the number of parts, or that of the worst stage; `residual` is that of the worst stage.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    const auto make = [&](StepResult<Scalar>& result, const Scalar& first, const Scalar& share) {
      Scalar begin(0);
      for (std::size_t s = 0; s < Scheme::stages && result; ++s) {
        const Scalar weight(static_cast<ValueOf<Scalar>>(Scheme::weights[s])), end = s + 1 == Scheme::stages ? Scalar(1) : Scalar(begin + weight);
        this->make_stage(s, input, first + begin * share, first + end * share, weight * share * h, result);
        begin = end;
      }
    };
    return this->step_in_parts(input, h, Method::composition, reversible, make);
  }
};

}  // namespace actio
