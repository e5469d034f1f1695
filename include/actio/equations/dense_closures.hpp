// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Impulses of closed loops by the dense Schur complement of their rows.
#include <algorithm>
#include <cmath>
#include <vector>

#include "actio/equations/closed_system.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// Solves the systems of ClosedNode and ClosedStep by a dense matrix: G M^-1 G^T + R, which may be singular, is inverted as far as its rank
/// goes; if rows are redundant, the pseudoinverse in the metric D is used. A factorisation solves M once per row, in O(rows bodies +
/// rows^3); a solution takes O(bodies + rows^2). This is the fastest method below a dozen rows, and takes any tree.
/// Only the constructor allocates or throws.                                                     [srm_math.md, sections 5.2 and 5.3]
template <class ModelType>
class DenseClosures {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param rows number of rows of the closures.
  DenseClosures(const Model& model, Eigen::Index rows)
      : Z_(MatrixX<S>::Zero(model.nv(), rows)),
        A_(MatrixX<S>::Zero(rows, rows)),
        inverse_(A_),
        J_inverse_GT_(Z_),
        coupled_(A_),
        idle_(A_),
        D_idle_(A_),
        rest_(VectorX<S>::Zero(rows)),
        rate_(rest_),
        size_(static_cast<std::size_t>(rows)),
        row_(size_.size()),
        column_(size_.size()) {}

  static constexpr bool wants_mass = true;  ///< needs factors of M
  /// Computes the mobility of the rows, the diagonal of G M^-1 G^T.  @param at its R and D are not used.  @param mobility (rows) out.
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
    set_response(at, at, Z_, A_);
    mobility = A_.diagonal();
    num_idle_ = 0;
    if (at.is_redundant) find_idle();
  }
  /// Inverts G M^-1 G^T + R.  @pre measure() at this node.  @returns false if something is not finite.
  bool factor_mass(const ClosedNode<Model>& at) noexcept {
    inverse_ = A_;
    inverse_.diagonal() += at.R;
    rank_ = invert(inverse_, at.R);
    if (num_idle_ > 0 && is_rigid(at.R)) {
      leave_out_idle(inverse_);
      inverse_.transposeInPlace();
      leave_out_idle(inverse_);
    }
    return rank_ >= 0;
  }
  /// Returns whether the last matrix is rank-deficient.
  bool is_redundant(const ClosedNode<Model>&) const noexcept { return rank_ < A_.rows(); }
  /// Solves the system of ClosedNode.  @param w (nv) in: f; out: w.  @param L (rows) in: d; out: L.
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy = Accuracy::full) noexcept {
    solve(at, Z_, inverse_, w, L);
  }

  /// Inverts the matrix of ClosedStep.  @param R (rows) compliance in the step's system.  @pre measure()
  /// @returns false if something is not finite.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept {
    set_response(at, step, J_inverse_GT_, coupled_);
    coupled_.diagonal() += R;
    coupled_ /= h;  // of about the size of the matrix with M, and of its rank
    const bool finite = invert(coupled_, at.R) >= 0;
    coupled_ /= h;
    if (num_idle_ > 0 && is_rigid(R)) leave_out_idle(coupled_);
    return finite;
  }
  /// Solves the system of ClosedStep, with arguments as in solve_mass().
  void solve_step(const ClosedNode<Model>&, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept {
    solve(step, J_inverse_GT_, coupled_, w, L);
  }

 private:
  /// Computes Z = T^-1 G^T and A = G Z, with T and the G of the product those of `at`: ClosedNode or ClosedStep.
  template <class System>
  static void set_response(const ClosedNode<Model>& node, System& at, MatrixX<S>& Z, MatrixX<S>& A) noexcept {
    for (Eigen::Index k = 0; k < A.cols(); ++k) {
      node.closures.covector(node.tree, k, Z.col(k));
      at.solve_tree(Z.col(k));
      at.rates(Z.col(k), A.col(k));
    }
  }
  /// Solves the system of `at`.  @param X (A + R)^-1.
  template <class System>
  void solve(System& at, const MatrixX<S>& Z, const MatrixX<S>& X, VectorRef<S> w, VectorRef<S> L) noexcept {
    rest_ = L;
    at.solve_tree(w);
    at.rates(w, rate_);
    rest_ -= rate_;
    L.noalias() = X * rest_;
    w.noalias() += Z * L;
  }
  static bool is_rigid(const VectorX<S>& R) noexcept { return value_of(S(R.cwiseAbs().maxCoeff())) == ValueOf<S>(0); }
  /// Computes a basis N of the impulses without effect, A N = 0, orthonormal in the metric D. Its vectors are columns of 1 - X A, X a
  /// generalised inverse: one for each zero row of X.
  void find_idle() noexcept {
    rest_.setZero();
    inverse_ = A_;
    if (invert(inverse_, rest_) < 0) return;
    const auto weight = [&](Eigen::Index k) { return A_(k, k) > S(0) ? A_(k, k) : S(1); };
    for (Eigen::Index k = 0; k < A_.rows(); ++k) {
      if (!inverse_.row(k).isZero(S(0))) continue;
      auto N = idle_.col(num_idle_);
      N.noalias() = -inverse_.lazyProduct(A_.col(k));
      N[k] += S(1);
      const auto dot_D = [&](const auto& other) {
        S sum(0);
        for (Eigen::Index r = 0; r < N.size(); ++r) sum += weight(r) * N[r] * other[r];
        return sum;
      };
      for (int twice = 0; twice < 2; ++twice) {
        for (Eigen::Index other = 0; other < num_idle_; ++other) N -= dot_D(idle_.col(other)) * idle_.col(other);
      }
      using std::sqrt;
      N /= sqrt(dot_D(N));
      for (Eigen::Index r = 0; r < N.size(); ++r) D_idle_(r, num_idle_) = weight(r) * N[r];
      ++num_idle_;
    }
  }
  /// Computes X := (1 - N N^T D) X.
  void leave_out_idle(MatrixX<S>& X) const noexcept {
    for (Eigen::Index k = 0; k < num_idle_; ++k) {
      for (Eigen::Index c = 0; c < X.cols(); ++c) {
        const S share = D_idle_.col(k).dot(X.col(c));
        X.col(c) -= share * idle_.col(k);
      }
    }
  }
  /// Inverts a matrix in place.  @param about_A A + R, or nearly so.  @returns its rank; -1 if something is not finite.
  int invert(MatrixX<S>& about_A, const VectorX<S>& R) noexcept {
    const int n = static_cast<int>(R.size());
    for (Eigen::Index k = 0; k < n; ++k) {
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::max(value_of(S(A_(k, k) + R[k])), ValueOf<S>(0)));
    }
    return invert_in_place(about_A.data(), n, n, size_.data(), redundant_row<S>, row_.data(), column_.data());
  }

  MatrixX<S> Z_, A_, inverse_;                // M^-1 G^T, G M^-1 G^T, (A + R)^-1
  MatrixX<S> J_inverse_GT_, coupled_;          // of a step: J^-1 G^T, (G_end J^-1 G^T + R)^-1
  MatrixX<S> idle_, D_idle_;                   // (rows x num_idle_) N and D N
  VectorX<S> rest_, rate_;
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
  Eigen::Index num_idle_ = 0;
  int rank_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class DenseClosures<Model<double>>;
#endif

}  // namespace actio::detail
