// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Loop forces for Waveform: sequential regularisation, and the penalty method as a baseline.
#include <cmath>
#include <string>
#include <utility>

#include "actio/core/options.hpp"
#include "actio/core/status.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// The weight E of regularised rows.
enum class RowWeight {
  bodies,    ///< effective mass of each block of rows, bodies shared by loops: spectrum of D T D^T E in [0, 1]   [srm_math.md, section 3]
  identity,  ///< E = 1 kg, for rows of rotations 1 kg m^2: the longest stable step then depends on the model's masses, see epsilon
};

/// Options of sequential regularisation, for loops d(q) = 0 with D = dd/dq.
template <Scalar S>
struct SrmOptions {
  int iterations = 2;        ///< s, copies of the motion, >= 1: drift and error are O(epsilon^s)    [Ascher and Lin 1999, theorem 3.1]
  ValueOf<S> epsilon = 0;    ///< [s]; Euler and midpoint steps are stable where it is above h/2 times the largest eigenvalue of D T D^T E;
                             ///< 0: the length of the step
  ValueOf<S> alpha = 10;     ///< violations decay as exp(-alpha t), >= 0 [1/s]
  VectorX<S> lambda_0 = {};  ///< (rows) before the first iteration; empty: zero. The forces at the start avoid an initial layer [N, N m]
  RowWeight weight = RowWeight::bodies;  ///< E; both have the same order epsilon^s and the same limit of many iterations

  /// Checks every option.  @param rows of all loops.  @throws OptionsError that names the option and its range.
  void check(Eigen::Index rows) const {
    const auto require = [](bool sound, const char* option, const auto& value, std::string_view expected) {
      detail::require_option(sound, "SrmOptions", option, value, expected);
    };
    require(iterations >= 1, "iterations", iterations, ">= 1");
    require(epsilon >= 0 && std::isfinite(epsilon), "epsilon", epsilon, "a finite number >= 0");
    require(alpha >= 0 && std::isfinite(alpha), "alpha", alpha, "a finite number >= 0");
    const std::string size = "of size " + std::to_string(lambda_0.size()), expected = "empty or of size " + std::to_string(rows);
    require(lambda_0.size() == 0 || lambda_0.size() == rows, "lambda_0", size, expected);
    for (const S& force : lambda_0) require(is_finite(force), "lambda_0", force, "finite entries");
  }
};

/// Sequential regularisation: lambda_s = lambda_(s-1) + E (D v_s + alpha d(q_s)) / epsilon.    [Ascher and Lin 1999, (3.6), (3.12)]
/// No matrix of all loops is formed or factored, so that none can be singular.
template <Scalar S>
class SequentialForces {
 public:
  /// @param rows of all loops.  @throws OptionsError if an option is out of range.
  SequentialForces(Eigen::Index rows, SrmOptions<S> options)
      : options_((options.check(rows), std::move(options))), w_(VectorX<S>::Zero(rows)), Ew_(w_) {}

  const SrmOptions<S>& options() const noexcept { return options_; }    ///< as given to the constructor
  int copies() const noexcept { return w_.size() > 0 ? options_.iterations : 1; }  ///< one without loops, since all would be the same
  /// See LoopForces.
  ///@{
  void begin(VectorX<S>& lambda) const noexcept {
    if (options_.lambda_0.size() > 0) lambda = options_.lambda_0;
    else lambda.setZero();
  }
  template <class Tree, class Respond>
  Status update(Tree& tree, const Respond&, const S& h, VectorX<S>& lambda) noexcept {
    w_ = tree.rate() + S(options_.alpha) * tree.gap();
    if (options_.weight == RowWeight::identity) Ew_ = w_;
    else tree.weigh(w_, Ew_);
    lambda += Ew_ / (options_.epsilon > 0 ? S(options_.epsilon) : h);
    return Status::converged;
  }
  ///@}

 private:
  SrmOptions<S> options_;
  VectorX<S> w_, Ew_;
};

/// The penalty method, in which loops are springs: lambda = E d(q) / epsilon.                     [Ascher and Lin 1999, (3.4)]
/// The variant with velocities, E D v / epsilon, is SequentialForces with one iteration.
template <Scalar S>
class PenaltyForces {
 public:
  /// @param rows of all loops.  @param epsilon > 0 [s^2]; explicit steps are stable where it is well above h^2.
  /// @throws OptionsError if epsilon is not above 0.
  PenaltyForces(Eigen::Index rows, ValueOf<S> epsilon) : epsilon_(epsilon), Ed_(VectorX<S>::Zero(rows)) {
    detail::require_option(epsilon > 0, "PenaltyForces", "epsilon", epsilon, "> 0");
  }

  /// See LoopForces.
  ///@{
  int copies() const noexcept { return 1; }
  void begin(VectorX<S>& lambda) const noexcept { lambda.setZero(); }
  template <class Tree, class Respond>
  Status update(Tree& tree, const Respond&, const S&, VectorX<S>& lambda) noexcept {
    tree.weigh(tree.gap(), Ed_);
    lambda = Ed_ / S(epsilon_);
    return Status::converged;
  }
  ///@}

 private:
  ValueOf<S> epsilon_;
  VectorX<S> Ed_;
};

}  // namespace actio
