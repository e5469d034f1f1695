// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dense algebra for tests to compare with. It is compiled once, in dense.cpp, because Eigen's decompositions take seconds to compile in
// every file that uses them.
#include <Eigen/Core>

namespace actio::test {

using DenseMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using DenseVector = Eigen::Ref<const Eigen::VectorXd>;

/// Returns A^-1 b of a regular A, however badly it is scaled, by LU with full pivoting.
Eigen::VectorXd solve(const DenseMatrix& A, const DenseVector& b);
/// Returns A^-1 B in the same way.
Eigen::MatrixXd solve_columns(const DenseMatrix& A, const DenseMatrix& B);
/// Returns the x of least norm among those of least |A x - b|, for an A of any shape and rank.
Eigen::VectorXd solve_least_norm(const DenseMatrix& A, const DenseVector& b);

/// Returns A^-1.
Eigen::MatrixXd inverse(const DenseMatrix& A);
/// Returns the Delassus matrix G M^-1 G^T.
Eigen::MatrixXd delassus(const DenseMatrix& G, const DenseMatrix& M);
/// Returns the lower triangular L of L L^T = A, for a symmetric positive definite A.
Eigen::MatrixXd cholesky(const DenseMatrix& A);
/// Returns orthonormal columns that span what the columns of a regular A span.
Eigen::MatrixXd orthonormal_basis(const DenseMatrix& A);

/// Returns the singular values, largest first.
Eigen::VectorXd singular_values(const DenseMatrix& A);
/// Returns the eigenvalues of a symmetric A, smallest first. Only the lower triangle is read.
Eigen::VectorXd symmetric_eigenvalues(const DenseMatrix& A);
/// Returns the largest absolute eigenvalue.
double spectral_radius(const DenseMatrix& A);
/// Returns an estimate of 1 / (|A| |A^-1|) in the 1-norm.
double reciprocal_condition(const DenseMatrix& A);
/// Returns the number of pivots of a QR decomposition above threshold times the largest one.
Eigen::Index rank(const DenseMatrix& A, double threshold);

}  // namespace actio::test
