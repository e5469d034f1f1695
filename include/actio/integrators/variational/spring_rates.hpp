// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The springs of closures, limits and contacts in the derivative of a variational step.
#include <cstddef>
#include <vector>

#include "actio/dynamics/abi.hpp"
#include "actio/integrators/shared/step_springs.hpp"
#include "actio/integrators/variational/mobility_rate.hpp"

namespace actio::detail {

/// The springs of a step. With the notation of StepSpring, and rho = (1 - g)/g = z^-4, their rows are
///   P:  rate + by_z d ln z + R dLm = 0,   the rate with the part of_begin of the gap where the step begins;
///   V:  J v + rho A (Lp - Lm) = 0,        d rho = -4 rho (d ln z + z_by_end db);
/// d ln z is that of q_k. Only the constructor allocates.                                         [variational_contact.md, section 11]
template <class ModelType>
class StepSpringRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// A spring.
  struct Spring {
    Eigen::Index in_P = -1, in_V = -1;  // its rows; -1: none
    S of_begin{}, by_z{}, R{};          // of P
    S rho{}, change{}, z_by_end{};      // of V; change = Lp - Lm
    bool is_graded = false;             // whether rho depends on z
    S R_V{};                            // rho A
  };

  /// @param springs largest number of them.  @param rows that of the rows of V.  @param model outlives this.
  StepSpringRates(const Model& model, std::size_t springs, std::size_t rows)
      : model_(&model), mass_(model), mobility_(model), springs_(springs),
        z_by_q_(MatrixX<S>::Zero(model.nv(), static_cast<Eigen::Index>(springs))),
        given_(VectorX<S>::Zero(static_cast<Eigen::Index>(rows))), w_(VectorX<S>::Zero(model.nv())) {}

  void clear() noexcept { size_ = 0, is_factored_ = false; }  ///< removes all springs
  bool any() const noexcept { return size_ > 0; }             ///< whether there is one
  /// Adds a spring that acted, without its rows.  @param tree where the step begins.  @param added (nv) to the diagonal of M there.
  /// @param law after the step.  @param a, b gaps at its ends.  @param J (nv) covector of the gap where it begins, or minus this.
  /// @param row how its joint forces change: see MobilityRate.  @returns null if M is singular.
  template <class Row>
  Spring* add(const TreePose<S>& tree, const VectorX<S>& added, const StepSpring<S>& law, const S& a, const S& b, const S& h,
              const VectorX<S>& J, Row&& row) noexcept {
    if (!is_factored_ && abi_factor(*model_, tree, mass_, added) != 0) return nullptr;
    is_factored_ = true;
    const auto rates = law.rates(a, b);
    auto z_by_q = of(size_);
    z_by_q = rates.z_by_begin * J;
    abi_solve(*model_, tree, mass_, J, w_);
    if (const S A = J.dot(w_); A > S(0)) mobility_.add(tree, S(1) / A, w_, z_by_q, row);
    Spring& spring = springs_[size_++];
    spring = {};
    spring.of_begin = -rates.by_begin / rates.slope;
    spring.by_z = -rates.by_z / rates.slope;
    spring.R = S(2) / (h * rates.slope);
    spring.rho = law.of_momentum(S(1), h) / h;
    spring.z_by_end = rates.z_by_end;
    spring.is_graded = law.has_graded_momentum();
    return &spring;
  }

  ///@{
  /// Add what depends on z to rates (rows of P) by dq (nv) of q_k, or to weights of dq what weights (rows of P) contribute.
  void add_rates(const ConstVectorRef<S>& dq, VectorRef<S> rates) const noexcept {
    for (std::size_t k = 0; k < size_; ++k) {
      if (springs_[k].in_P >= 0) rates[springs_[k].in_P] += springs_[k].by_z * of(k).dot(dq);
    }
  }
  void add_rates_transposed(const ConstVectorRef<S>& weights, VectorRef<S> w_q) const noexcept {
    for (std::size_t k = 0; k < size_; ++k) {
      if (springs_[k].in_P >= 0) w_q += (weights[springs_[k].in_P] * springs_[k].by_z) * of(k);
    }
  }
  ///@}
  /// Adds the compliances to those (rows) of P.
  void add_compliances(VectorRef<S> R) const noexcept {
    for (std::size_t k = 0; k < size_; ++k) {
      if (springs_[k].in_P >= 0) R[springs_[k].in_P] += springs_[k].R;
    }
  }
  /// Returns the spring of a row of V, null if it is rigid.
  Spring* in_V(Eigen::Index row) noexcept {
    for (std::size_t k = 0; k < size_; ++k) {
      if (springs_[k].in_V == row) return &springs_[k];
    }
    return nullptr;
  }
  /// Adds -d(rho A) (Lp - Lm) by the variation of the end of the step to its weights (nv).  @param tree there.
  /// @param J (nv) covector of the gap there, w (nv) = M^-1 J^T.  @param row as for add().
  template <class Row>
  void add_end_rates(const Spring& spring, const TreePose<S>& tree, const ConstVectorRef<S>& J, const ConstVectorRef<S>& w, VectorRef<S> sum,
                     Row&& row) noexcept {
    mobility_.add(tree, S(-spring.rho * spring.change), w, sum, row);
    if (spring.is_graded) sum += (S(4) * spring.R_V * spring.change * spring.z_by_end) * J;
  }

  ///@{
  /// What rows of V get from P, rho A dLm, and what changes with z at q_k. given() is for the variation of the last call of give().
  /// @param dL (rows of P).  @param dq (nv) variation of q_k.
  void give(const ConstVectorRef<S>& dL, const ConstVectorRef<S>& dq) noexcept {
    given_.setZero();
    for (std::size_t k = 0; k < size_; ++k) {
      const Spring& spring = springs_[k];
      if (spring.in_V < 0) continue;
      if (spring.in_P >= 0) given_[spring.in_V] += spring.R_V * dL[spring.in_P];
      if (spring.is_graded) given_[spring.in_V] += S(4) * spring.R_V * spring.change * of(k).dot(dq);
    }
  }
  void give_nothing() noexcept { given_.setZero(); }
  const VectorX<S>& given() const noexcept { return given_; }
  /// The transposed product, in two parts: weights (rows of V) of given(); and adds to those of dL and dq.
  void set_given_weights(const ConstVectorRef<S>& weights) noexcept { given_.head(weights.size()) = weights; }
  void add_given_weights(VectorRef<S> dL, VectorRef<S> w_q) const noexcept {
    for (std::size_t k = 0; k < size_; ++k) {
      const Spring& spring = springs_[k];
      if (spring.in_V < 0) continue;
      if (spring.in_P >= 0) dL[spring.in_P] += spring.R_V * given_[spring.in_V];
      if (spring.is_graded) w_q += (S(4) * spring.R_V * spring.change * given_[spring.in_V]) * of(k);
    }
  }
  ///@}

 private:
  auto of(std::size_t k) noexcept { return z_by_q_.col(static_cast<Eigen::Index>(k)); }
  auto of(std::size_t k) const noexcept { return z_by_q_.col(static_cast<Eigen::Index>(k)); }

  const Model* model_;
  AbiData<S> mass_;  // where the step begins
  MobilityRate<Model> mobility_;
  std::vector<Spring> springs_;  // the first size_
  std::size_t size_ = 0;
  bool is_factored_ = false;
  MatrixX<S> z_by_q_;  // (nv x springs) d ln z
  VectorX<S> given_;   // (rows of V)
  VectorX<S> w_;       // (nv)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepSpringRates<Model<double>>;
#endif

}  // namespace actio::detail
