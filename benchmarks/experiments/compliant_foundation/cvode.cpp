// SPDX-License-Identifier: BSD-3-Clause
// The same springs and dampers as an ordinary differential equation, in the hands of CVODE: BDF of variable order and dense Newton with
// differenced Jacobians. The equation is written out for the box, so that an evaluation costs little more than its elements.
#include "box.hpp"

#ifdef EXPERIMENTS_HAVE_CVODE

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#if __has_include(<sundials/sundials_core.hpp>)
#include <sundials/sundials_core.hpp>
#else
#include <sundials/sundials_context.h>
#endif
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/cpu_time.hpp"

namespace compliant_foundation {
namespace {

struct Forces {
  const Box* box;
  std::vector<double> centers;
};

/// y = (height over full extension, roll, pitch; their rates), R = Ry Rx.
int evaluate(sunrealtype, N_Vector y, N_Vector rate, void* data) {
  const Forces& forces = *static_cast<const Forces*>(data);
  const Box& box = *forces.box;
  constexpr double half = Box::side / 2;
  const double* const x = N_VGetArrayPointer(y);
  const double cr = std::cos(x[1]), sr = std::sin(x[1]), cp = std::cos(x[2]), sp = std::sin(x[2]);
  const auto world = [&](double X, double Y, double Z) {
    const double across = sr * Y + cr * Z;
    return Eigen::Vector3d(cp * X + sp * across, cr * Y - sr * Z, -sp * X + cp * across);
  };
  const Eigen::Vector3d corner = world(half, half, half);
  double force = -Box::mass * Box::gravity - box.load, about_x = -box.load * corner[1], about_y = box.load * corner[0];
  const double K = box.stiffness(), level = x[0] + half * (sp * sp / (1 + cp) + cp * sr * sr / (1 + cr));  // half (1 - cp cr), without cancellation
  for (const double Y : forces.centers) {
    const Eigen::Vector3d row = world(0, Y, -half);
    const double row_gap = level + cp * sr * Y;
    for (const double X : forces.centers) {
      const double px = row[0] + cp * X, py = row[1], gap = row_gap - sp * X;
      const double f = std::max(0.0, -K * gap - Box::damping * (x[3] + py * x[4] - px * x[5]));
      force += f;
      about_x += py * f;
      about_y -= px * f;
    }
  }
  constexpr double inertia = Box::mass * Box::side * Box::side / 6;
  double* const r = N_VGetArrayPointer(rate);
  std::copy(x + 3, x + 6, r);
  r[3] = force / Box::mass;
  r[4] = about_x / inertia;
  r[5] = about_y / inertia;
  return 0;
}

}  // namespace

bool has_cvode() { return true; }

Run cvode(const Box& box, double relative, double absolute, int repetitions) {
  const sundials::Context context;
  Forces forces{&box, {}};
  for (int k = 0; k < box.edge; ++k) forces.centers.push_back(box.center(k));
  N_Vector y = N_VNew_Serial(6, context);
  SUNMatrix matrix = SUNDenseMatrix(6, 6, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  Run run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    N_VConst(0, y);
    void* memory = CVodeCreate(CV_BDF, context);
    CVodeInit(memory, evaluate, 0, y);
    CVodeSStolerances(memory, relative, absolute);
    CVodeSetUserData(memory, &forces);
    CVodeSetLinearSolver(memory, solver, matrix);
    CVodeSetMaxNumSteps(memory, 1'000'000);  // what takes more is given up
    sunrealtype reached = 0;
    const double begin = bench::cpu_seconds();
    run.complete = CVodeSetStopTime(memory, 1) == CV_SUCCESS && CVode(memory, 1, y, &reached, CV_NORMAL) >= 0;
    run.seconds = std::min(run.seconds, bench::cpu_seconds() - begin);
    long steps = 0, solves = 0, factorizations = 0;
    CVodeGetNumSteps(memory, &steps);
    CVodeGetNumNonlinSolvIters(memory, &solves);
    CVodeGetNumLinSolvSetups(memory, &factorizations);
    run.steps = static_cast<double>(steps);
    run.solves = static_cast<double>(solves);
    run.factorizations = static_cast<double>(factorizations);
    CVodeFree(&memory);
    if (!run.complete) break;
  }
  const double* const x = N_VGetArrayPointer(y);
  run.q = {x[0], x[1], x[2]};
  for (int k = 3; k < 6; ++k) run.speed = std::max(run.speed, std::abs(x[k]));
  run.pressure = pressure_at(box, run.q);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  return run;
}

}  // namespace compliant_foundation

#else

namespace compliant_foundation {

bool has_cvode() { return false; }
Run cvode(const Box&, double, double, int) { return {}; }

}  // namespace compliant_foundation

#endif
