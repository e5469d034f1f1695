// SPDX-License-Identifier: BSD-3-Clause
#include "support/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace actio::test {

using Eigen::MatrixXd, Eigen::VectorXd;

VectorXd solve(const DenseMatrix& A, const DenseVector& b) { return solve_columns(A, b); }
MatrixXd solve_columns(const DenseMatrix& A, const DenseMatrix& B) {
  if (A.size() == 0 || B.size() == 0) return B;  // a tree without loops has no rows, and Eigen's LU expects an entry
  // With the default threshold, small pivots of a badly scaled matrix would count as zero.
  return Eigen::FullPivLU<MatrixXd>(A).setThreshold(0).solve(B);
}
VectorXd solve_least_norm(const DenseMatrix& A, const DenseVector& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(b);
}

MatrixXd inverse(const DenseMatrix& A) { return solve_columns(A, MatrixXd::Identity(A.rows(), A.cols())); }
MatrixXd delassus(const DenseMatrix& G, const DenseMatrix& M) { return G * solve_columns(M, G.transpose()); }
MatrixXd cholesky(const DenseMatrix& A) { return A.llt().matrixL(); }
MatrixXd orthonormal_basis(const DenseMatrix& A) { return A.householderQr().householderQ(); }

VectorXd singular_values(const DenseMatrix& A) { return Eigen::JacobiSVD<MatrixXd>(A).singularValues(); }
VectorXd symmetric_eigenvalues(const DenseMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}
double spectral_radius(const DenseMatrix& A) { return MatrixXd(A).eigenvalues().cwiseAbs().maxCoeff(); }
double reciprocal_condition(const DenseMatrix& A) { return Eigen::FullPivLU<MatrixXd>(A).rcond(); }
Eigen::Index rank(const DenseMatrix& A, double threshold) { return Eigen::ColPivHouseholderQR<MatrixXd>(A).setThreshold(threshold).rank(); }

}  // namespace actio::test
