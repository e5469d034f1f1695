// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a step went. A step neither throws nor logs; when it fails the integrator is bitwise as before.
#include <array>
#include <string_view>

#include "actio/core/scalar.hpp"

namespace actio {

/// How a step ended; what is not `converged` failed, and describe() says what to do about it.
enum class Status {
  converged,           ///< the step was done
  max_iterations,      ///< the root finder did not reach its tolerance
  singular,            ///< a mass or constraint matrix has no inverse
  not_finite,          ///< a number overflowed or became NaN
  invalid_step,        ///< h zero, not finite, or of a sign that the scheme does not take
  invalid_input,       ///< an input of a wrong size, or not finite
  rotation_too_large,  ///< a body turned by more than the scheme represents in one step
  capacity,            ///< more contacts or rows than the integrator was made for
  callback_failed,     ///< a force or contact callback reported failure
};

/// What happened and what to do about it, one sentence.
constexpr std::string_view describe(Status status) {
  constexpr std::array<std::string_view, 9> sentences{
      "converged",
      "the root finder reached its limit of iterations: shorten the step, raise max_iterations or loosen the tolerance",
      "a mass matrix or constraint matrix is singular: look for bodies without mass and for redundant constraints",
      "a number overflowed or is not a number: shorten the step and look at the forces",
      "the step is zero, not finite, or negative where the scheme cannot step back: pass a finite h > 0",
      "an input has the wrong size or is not finite: pass nv joint forces and one wrench per body",
      "a body turned by more than the scheme represents in one step: shorten the step",
      "more contacts or rows than the capacity the integrator was made with: raise it in its options",
      "a force or contact callback reported failure: look there",
  };
  return sentences[static_cast<std::size_t>(status)];
}

/// Which root finder, solver or fallback produced a step.
enum class Method {
  explicit_step,      ///< nothing was iterated
  riqn,               ///< quasi-Newton by impulses, with M^-1                       [Lee et al. 2016, Alg. 3]
  newton,             ///< Newton, the exact Jacobian factored anew for every update
  simplified_newton,  ///< Newton, the exact Jacobian at the guess factored once
  dense_newton,       ///< Newton, the exact Jacobian as a dense matrix              [Lee et al. 2016, Alg. 4]
  broyden,            ///< Broyden's good method
  anderson,           ///< Anderson's acceleration of riqn
  cone,               ///< a convex program over cones of friction and one-sided rows
  sweeps,             ///< sweeps over the pieces of a system
  composition,        ///< several steps of another scheme
};

/// The enumerator as it is written: "newton", for tables and logs.
constexpr std::string_view name(Method method) {
  constexpr std::array<std::string_view, 10> names{"explicit_step", "riqn",     "newton", "simplified_newton", "dense_newton",
                                                   "broyden",       "anderson", "cone",   "sweeps",            "composition"};
  return names[static_cast<std::size_t>(method)];
}

/// What made a step fail, where that is known; describe(model, culprit) names it.
struct Culprit {
  /// What the index counts.
  enum class Kind : unsigned char {
    none,      ///< nothing: no culprit is known
    body,      ///< the model's bodies
    loop,      ///< Model::loops()
    coupling,  ///< Model::couplings()
    row,       ///< constraint rows of the step
  };
  Kind kind = Kind::none;  ///< what the index counts
  int index = -1;  ///< of a body, loop or coupling in the model; of a row in the step's order; -1: none is known

  static constexpr Culprit body(int index) noexcept { return {Kind::body, index}; }          ///< that with this index
  static constexpr Culprit loop(int index) noexcept { return {Kind::loop, index}; }          ///< index in Model::loops()
  static constexpr Culprit coupling(int index) noexcept { return {Kind::coupling, index}; }  ///< index in Model::couplings()
  static constexpr Culprit row(int index) noexcept { return {Kind::row, index}; }            ///< of the constraints of a step
  explicit constexpr operator bool() const noexcept { return kind != Kind::none; }           ///< whether one is known
  friend bool operator==(const Culprit&, const Culprit&) = default;                          ///< the same thing
};

/// What a step reports instead of throwing; true where it converged, and then only has the state moved on.
template <Scalar S>
struct [[nodiscard]] StepResult {
  Status status = Status::converged;      ///< else why not: see Status
  int iterations = 0;                     ///< residual evaluations, summed over substeps
  int factorizations = 0;                 ///< of mass matrices and Jacobians
  int solves = 0;                         ///< updates of the root finder
  int substeps = 1;                       ///< 2^k after k halvings
  Method method = Method::explicit_step;  ///< root or fallback that was used
  bool relaxed = false;                   ///< a loop closure was softened, or Coulomb's law replaced by the convex one
  Culprit culprit{};                      ///< what made it fail, where that is known
  ValueOf<S> residual{};                  ///< at exit, dimensionless, energy norm
  explicit operator bool() const noexcept { return status == Status::converged; }  ///< whether the step converged
};

}  // namespace actio
