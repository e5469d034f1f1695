// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contents: every header that a program includes by name, but for the readers and writers of io/, which need pugixml, and contacts/fcl.hpp.
// They include all other headers; those in solvers/reference and integrators/reference are for comparison only and are not included.
// A line names also what a header brings from others that are not listed.

#include "actio/version.hpp"          // ACTIO_VERSION_MAJOR, _MINOR, _PATCH
#include "actio/core/batch.hpp"       // Batch: several numbers in SIMD registers as a scalar
#include "actio/core/elementary.hpp"  // sin, cos, ...: those of the standard library, or with the same bits everywhere
#include "actio/core/types.hpp"       // units, frames and the order of vectors; short names of Eigen's types
#include "actio/math/se3.hpp"         // rotations and rigid motions: exponential, logarithm and their derivatives

// Models
#include "actio/model/builder.hpp"   // ModelBuilder: from links and joints in any order to a Model
#include "actio/model/cast.hpp"      // a model in another scalar: float, double, Dual, Batch
#include "actio/model/describe.hpp"  // a model in words
#include "actio/model/model.hpp"     // Model: bodies (Inertia, Pose), joints, constraints, limits, shapes; checked once, then constant

// Models for tests, benchmarks and examples
#include "actio/model/samples/chains.hpp"      // chains of n links, open and closed; binary trees
#include "actio/model/samples/nets.hpp"        // many loops: ladders, chains of squares, nets, rows of four-bars
#include "actio/model/samples/mechanisms.hpp"  // single closed mechanisms
#include "actio/model/samples/robots.hpp"      // a humanoid and a quadruped
#include "actio/model/samples/random.hpp"      // random trees and states from a seed
#include "actio/model/samples/rod_chains.hpp"  // chains of rods

// Dynamics in linear time
#include "actio/dynamics/aba.hpp"           // forward dynamics, products with the inverse of the mass matrix
#include "actio/dynamics/crba.hpp"          // the mass matrix
#include "actio/dynamics/energy.hpp"        // kinetic and potential energy
#include "actio/dynamics/jacobian.hpp"      // the Jacobian of a body's twist
#include "actio/dynamics/kinematics.hpp"    // poses, twists and centres of mass
#include "actio/dynamics/momentum.hpp"      // momenta in the joints and about a point
#include "actio/dynamics/rnea.hpp"          // inverse dynamics
#include "actio/dynamics/svi/residual.hpp"  // Svi, the residual of the scalable variational integrator

// Contacts: ContactMaterial, ContactPoint and its rows, for sources of your own, come with each
#include "actio/contacts/plane.hpp"       // contacts of a model's shapes with a plane
#include "actio/contacts/bodies.hpp"      // contacts of the shapes with each other
#include "actio/contacts/foundation.hpp"  // an elastic foundation under a plate or box
#include "actio/contacts/sources.hpp"     // several sources as one

// Contact problems by themselves
#include "actio/solvers/contact_problem.hpp"  // frictional contact problems given by W, q and mu, with a certificate

// Integrators: State, Input, Status, StepResult, force fields and the concepts Integrator and LaneIntegrator come with each
#include "actio/integrators/close_loops.hpp"                // a configuration close by in which all loops are closed
#include "actio/integrators/compliant.hpp"                  // CompliantIntegrator: contact, limits, friction and loops at any stiffness
#include "actio/integrators/compliant_derivatives.hpp"      // its derivatives, along directions
#include "actio/integrators/compliant_lanes.hpp"            // CompliantLanes: several motions of a tree at once in SIMD lanes
#include "actio/integrators/composition.hpp"                // orders 4 and 6 from a reversible integrator
#include "actio/integrators/extrapolation.hpp"              // orders 4, 6 and 8 from a symmetric integrator, also with dissipation
#include "actio/integrators/constraint_forces.hpp"          // the forces of all constraints at a state, without a step
#include "actio/integrators/maximal.hpp"                    // MaximalIntegrator: the variational step in maximal coordinates
#include "actio/integrators/reversible_steps.hpp"           // steps that adapt to the motion and remain reversible
#include "actio/integrators/runge_kutta.hpp"                // RungeKutta on the manifold of configurations: Heun, order 4, tableaus of your own
#include "actio/integrators/semi_implicit_euler.hpp"        // SemiImplicitEuler
#include "actio/integrators/semi_implicit_euler_lanes.hpp"  // SemiImplicitEulerLanes: several motions at once in SIMD lanes
#include "actio/integrators/sequential_regularization.hpp"  // SequentialRegularization: many closed loops, explicitly
#include "actio/integrators/regularized_rods.hpp"           // the same for trees of rods
#include "actio/integrators/variational.hpp"                // VariationalIntegrator in joint coordinates; DRNEA and the root finders that it takes
#include "actio/integrators/variational_lanes.hpp"          // VariationalLanes: 4 or 8 motions at once in SIMD lanes
#include "actio/integrators/step_derivatives.hpp"           // its derivatives, as products

// Runs and what they tell
#include "actio/simulation/simulate.hpp"          // simulate(): many steps, with controllers and observers
#include "actio/simulation/rollouts.hpp"          // rollouts(), trajectories(): many runs on several threads
#include "actio/simulation/rollout_gradient.hpp"  // RolloutGradient: of a function of a run, by its start and inputs
#include "actio/simulation/actuator_control.hpp"  // a controller that runs actuators, stable at any gain
#include "actio/simulation/hold.hpp"              // actuators that hold a pose
#include "actio/simulation/motion_recorder.hpp"   // keeps the frames of a film
#include "actio/simulation/recorder.hpp"          // keeps states and energies
#include "actio/simulation/diagnostics.hpp"       // energies, work, momenta, gaps and iterations of a run
#include "actio/simulation/passive_steps.hpp"     // PassiveSteps: no energy but the work of inputs, in any integrator
#include "actio/simulation/momentum_meter.hpp"    // the momenta that a model conserves
#include "actio/simulation/rate_meter.hpp"        // how far bodies rotate in a step
