// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The outcome of a step. A step neither throws nor logs; when it fails, the integrator is left bitwise unchanged.
#include <array>
#include <string_view>

#include "actio/core/scalar.hpp"

namespace actio {

/// How a step ended. Every value other than `converged` is a failure; describe() says what to do about it.
enum class Status {
  converged,           ///< the step was completed
  max_iterations,      ///< the root finder or cone solver did not reach its tolerance within its limit of updates or factorisations
  singular,            ///< a mass or constraint matrix has no inverse
  not_finite,          ///< a number overflowed or became NaN
  invalid_step,        ///< h is zero, not finite, or of a sign that the scheme does not support
  invalid_input,       ///< an input has the wrong size or is not finite
  rotation_too_large,  ///< a body rotated by more than the scheme can represent in one step
  capacity,            ///< more contacts or rows than the integrator has capacity for
  callback_failed,     ///< a force or contact callback reported failure
};

/// Returns one sentence that says what happened and what to do about it.
constexpr std::string_view describe(Status status) {
  constexpr std::array<std::string_view, 9> sentences{
      "converged",
      "the equations of the step were not solved within the limit of iterations: shorten the step, raise max_iterations, or max_factorizations "
      "of CompliantIntegrator, or loosen the tolerance",
      "a mass matrix or constraint matrix is singular: check for bodies without mass and for redundant constraints",
      "a value overflowed or is not a number: shorten the step and check the forces",
      "the step is zero, not finite, or negative although the scheme cannot step back in time: pass a finite h > 0",
      "an input has the wrong size or is not finite: pass nv joint forces and one wrench per body",
      "a body rotated by more than the scheme can represent in one step: shorten the step",
      "there are more contacts or constraint rows than the options allow: raise contact_capacity, tie_capacity or fill_capacity",
      "a force or contact callback reported a failure: check the callback",
  };
  return sentences[static_cast<std::size_t>(status)];
}

/// Returns the name of the enumerator, such as "max_iterations", for programs that read a report.
constexpr std::string_view name(Status status) {
  constexpr std::array<std::string_view, 9> names{"converged",     "max_iterations",     "singular", "not_finite",     "invalid_step",
                                                  "invalid_input", "rotation_too_large", "capacity", "callback_failed"};
  return names[static_cast<std::size_t>(status)];
}

/// Which root finder, solver or fallback produced a step.
enum class Method {
  explicit_step,      ///< no iteration
  riqn,               ///< quasi-Newton by impulses, with M^-1                       [Lee et al. 2016, Alg. 3]
  newton,             ///< Newton, the exact Jacobian factored anew for every update
  simplified_newton,  ///< Newton, the exact Jacobian at the guess factored once
  dense_newton,       ///< Newton, the exact Jacobian as a dense matrix              [Lee et al. 2016, Alg. 4]
  broyden,            ///< Broyden's good method
  anderson,           ///< Anderson's acceleration of riqn
  cone,               ///< a convex program over cones of friction and one-sided rows
  sweeps,             ///< sweeps over the parts of a system
  composition,        ///< several steps of another scheme
  extrapolation,      ///< the limit of several runs of another scheme over the step
};

/// Returns the name of the enumerator, such as "newton", for tables and logs.
constexpr std::string_view name(Method method) {
  constexpr std::array<std::string_view, 11> names{"explicit_step", "riqn", "newton", "simplified_newton", "dense_newton", "broyden", "anderson",
                                                   "cone", "sweeps", "composition", "extrapolation"};
  return names[static_cast<std::size_t>(method)];
}

/// The part of the model that made a step fail, if it is known; describe(model, culprit) names it.
struct Culprit {
  /// What the index counts.
  enum class Kind : unsigned char {
    none,          ///< nothing: no culprit is known
    body,          ///< the model's bodies
    loop,          ///< Model::loops()
    coupling,      ///< Model::couplings()
    nonholonomic,  ///< Model::nonholonomic()
    spring,        ///< Model::springs()
    row,           ///< constraint rows of the step
  };
  Kind kind = Kind::none;  ///< what the index counts
  int index =
      -1;  ///< of a body, loop, coupling, nonholonomic constraint or spring in the model, or of a row in the order of the step; -1 if none is known

  static constexpr Culprit body(int index) noexcept { return {Kind::body, index}; }          ///< the body with this index
  static constexpr Culprit loop(int index) noexcept { return {Kind::loop, index}; }          ///< index in Model::loops()
  static constexpr Culprit coupling(int index) noexcept { return {Kind::coupling, index}; }  ///< index in Model::couplings()
  static constexpr Culprit nonholonomic(int index) noexcept { return {Kind::nonholonomic, index}; }  ///< index in Model::nonholonomic()
  static constexpr Culprit spring(int index) noexcept { return {Kind::spring, index}; }      ///< index in Model::springs()
  static constexpr Culprit row(int index) noexcept { return {Kind::row, index}; }            ///< index among the constraint rows of a step
  explicit constexpr operator bool() const noexcept { return kind != Kind::none; }           ///< whether a culprit is known
  friend bool operator==(const Culprit&, const Culprit&) = default;                          ///< whether kind and index are equal
};

/// The laws that a step could satisfy only in a weaker form. It converts to true if there is any.
struct RelaxedLaws {
  bool loops = false;     ///< loops or couplings were closed with a compliance
  bool friction = false;  ///< contacts have the forces of the convex law instead of Coulomb's: see ConeLaw
  /// An impact had less than its restitution: it would have gained energy, or the step was not solved with it and is plastic.
  bool restitution = false;
  explicit constexpr operator bool() const noexcept { return loops || friction || restitution; }  ///< whether a law was relaxed
  friend bool operator==(const RelaxedLaws&, const RelaxedLaws&) = default;                ///< whether the same laws were
};

/// What a step reports instead of throwing. It converts to true if the step converged; only then has the state advanced.
template <Scalar S>
struct [[nodiscard]] StepResult {
  Status status = Status::converged;      ///< otherwise the reason of the failure
  int iterations = 0;  ///< updates of the root finder and of the cone solver; summed over attempts and substeps, as both below
  int evaluations = 0;                    ///< evaluations of the residual, or of the accelerations in explicit steps; 0 where not counted
  int factorizations = 0;                 ///< factorisations of mass matrices and Jacobians
  int substeps = 1;                       ///< 2^k after k halvings
  int impacts = 0;                        ///< impacts with restitution; several contacts and limits may take part in one
  int reversals = 0;                      ///< located times at which the slip of contacts or joints ended or reversed
  Method method = Method::explicit_step;  ///< root finder or fallback that was used
  RelaxedLaws relaxed{};                  ///< the laws that were relaxed, in any substep
  Culprit culprit{};                      ///< what made the step fail, if it is known
  ValueOf<S> residual{};                  ///< at exit, dimensionless, in the energy norm
  explicit operator bool() const noexcept { return status == Status::converged; }  ///< whether the step converged
};

}  // namespace actio
