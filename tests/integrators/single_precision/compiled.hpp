// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What takes longest to compile in single precision: declared for the tests of this folder, and defined once, in compiled.cpp, as
// actio::precompiled does it for double.
#include "actio/actio.hpp"

#ifndef ACTIO_SINGLE
#define ACTIO_SINGLE extern template
#endif

namespace actio {

ACTIO_SINGLE BodyIndex abi_factor(const Model<float>&, const TreePose<float>&, AbiData<float>&, const ConstVectorRef<float>&) noexcept;

namespace detail {

ACTIO_SINGLE void drnea_vary(const Model<float>&, const TreePose<float>&, const DrneaData<float>&, const TreeMatrix<float>&,
                             DrneaVariation<float>&, const JointTerms<float>&, const ConstVectorRef<float>&, const float&,
                             const BodyArray<Vector6<float>>&, const BodyArray<Vector6<float>>&) noexcept;
ACTIO_SINGLE void drnea_rates<Split>(const Model<float>&, const TreePose<float>&, const DrneaData<float>&, TreeMatrix<float>&,
                                     const ConstVectorRef<float>&, const float&) noexcept;
ACTIO_SINGLE BodyIndex tree_lu_factor(const Model<float>&, const TreePose<float>&, const TreeMatrix<float>&, TreeLu<float>&,
                                      const ConstVectorRef<float>&) noexcept;
ACTIO_SINGLE class BlockLdu<float>;
ACTIO_SINGLE class BlockVelocities<float>;
ACTIO_SINGLE class TreeClosures<Model<float>>;
ACTIO_SINGLE class RowMobility<Model<float>>;
ACTIO_SINGLE class ConstrainedBodies<Model<float>>;
ACTIO_SINGLE class ClosureSolver<Model<float>>;
ACTIO_SINGLE class ClosedStep<Model<float>>;
ACTIO_SINGLE class ArticulatedMatrix<Model<float>>;
ACTIO_SINGLE class DenseClosures<Model<float>>;
ACTIO_SINGLE class SparseClosures<Model<float>>;
ACTIO_SINGLE class IteratedClosures<Model<float>>;
ACTIO_SINGLE class CompliantForest<Model<float>>;
ACTIO_SINGLE class CompliantTree<Model<float>>;
ACTIO_SINGLE class StiffRows<Model<float>>;
ACTIO_SINGLE class MaximalSystem<Model<float>>;
ACTIO_SINGLE class StepCones<Model<float>>;
ACTIO_SINGLE class StepProblem<Model<float>>;
ACTIO_SINGLE class StepImpacts<Model<float>>;
ACTIO_SINGLE class MomentumBalance<Model<float>>;
ACTIO_SINGLE class MaximalBounds<Model<float>, NoContacts>;
ACTIO_SINGLE class MaximalBounds<Model<float>, PlaneContacts<float>>;
ACTIO_SINGLE class MaximalEquations<Model<float>, NoForce>;
ACTIO_SINGLE class CompliantRows<Model<float>>;
ACTIO_SINGLE ConeResult<float> ConeNewton<float>::solve(CompliantTree<Model<float>>&, const ConeOptions<float>&, VectorRef<float>,
                                                        VectorRef<float>) noexcept;
ACTIO_SINGLE ConeResult<float> ConeNewton<float>::solve(BlockVelocities<float>&, const ConeOptions<float>&, VectorRef<float>,
                                                        VectorRef<float>) noexcept;
ACTIO_SINGLE ConeResult<float> ConeIslands<float, ConeNewton<float>>::solve(CompliantTree<Model<float>>&, const ConeOptions<float>&,
                                                                            VectorRef<float>, VectorRef<float>) noexcept;
ACTIO_SINGLE ConeResult<float> ConeIslands<float, ConeNewton<float>>::solve(BlockVelocities<float>&, const ConeOptions<float>&,
                                                                            VectorRef<float>, VectorRef<float>) noexcept;

}  // namespace detail

ACTIO_SINGLE class VariationalIntegrator<Model<float>>;
ACTIO_SINGLE class VariationalIntegrator<Model<float>, Drnea<Split>, Automatic, NoForce, PlaneContacts<float>>;
ACTIO_SINGLE class MaximalIntegrator<Model<float>>;
ACTIO_SINGLE class MaximalIntegrator<Model<float>, Newton, NoForce, PlaneContacts<float>>;
ACTIO_SINGLE class CompliantIntegrator<Model<float>>;
ACTIO_SINGLE class CompliantIntegrator<Model<float>, PlaneContacts<float>>;
ACTIO_SINGLE class ConstraintForces<Model<float>, PlaneContacts<float>>;
ACTIO_SINGLE class SequentialRegularization<Model<float>>;

}  // namespace actio

#undef ACTIO_SINGLE
