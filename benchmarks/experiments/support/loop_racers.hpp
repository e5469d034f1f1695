// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators that support closed loops, on the same models and starts; each is compiled in a separate .cpp file.
#include "actio/equations/factorization.hpp"
#include "support/race.hpp"

namespace experiments {

namespace loop_racers {

using Model = actio::Model<double>;
using State = actio::State<double>;
using Made = std::unique_ptr<Racer>;

struct Sweeps {
  int iterations = 2;      ///< s
  int order = 2;           ///< of the Runge-Kutta method: 2 the midpoint rule, 4 the classical one
  double epsilon = 1;      ///< in units of the step
  actio::VectorX<double> lambda_0 = {};  ///< empty: zero
};

/// @param model must outlive the result.
Made variational(const Model& model, const State& start, double h, double tolerance = 1e-10,
                 actio::Factorization closures = actio::Factorization::automatic);
Made maximal(const Model& model, const State& start, double h, double tolerance = 1e-10);
Made compliant(const Model& model, const State& start, double h);
Made srm(const Model& model, const State& start, double h, const Sweeps& sweeps = {});
/// Runge-Kutta 4 with loops closed at acceleration level by a dense Schur complement: shares no code of a step with the others.
Made in_accelerations(const Model& model, const State& start, double h);

/// Returns the forces of the loops in a start at rest, in the order and with the signs of srm [N].
actio::VectorX<double> forces_at_rest(const Model& model, const State& start);

}  // namespace loop_racers

/// The result of a motion of closed loops.
struct LoopMotion {
  Lap lap;                    ///< without seconds
  double gap = 0;             ///< largest gap of a loop at a node [m]
  actio::VectorX<double> q;   ///< at the end
  bool complete = false;
};
LoopMotion follow(Racer& racer, const actio::Model<double>& model, int steps);

/// (bodies) centres of mass in the world [m].
using Centres = actio::BodyArray<actio::Vector3<double>>;
Centres centres_of_mass(const actio::Model<double>& model, const actio::VectorX<double>& q);
/// Returns the largest distance between corresponding centres [m].
double farthest_apart(const Centres& a, const Centres& b);

}  // namespace experiments
