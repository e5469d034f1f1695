// SPDX-License-Identifier: BSD-3-Clause
// The same springs and dampers as an ordinary differential equation, solved by CVODE: BDF and dense Newton with differenced Jacobians.
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
#include <limits>

#include "support/cpu_time.hpp"

namespace compliant_foundation {
namespace {

int evaluate(sunrealtype, N_Vector y, N_Vector rate, void* equation) {
  (*static_cast<const Equation*>(equation))(N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
  return 0;
}

}  // namespace

bool has_cvode() { return true; }

Run cvode(const Box& box, const Tolerances& tolerances, int order, double longest, int repetitions) {
  const sundials::Context context;
  Equation equation(box);
  constexpr int size = BoxState::SizeAtCompileTime;
  N_Vector y = N_VNew_Serial(size, context), absolute = N_VNew_Serial(size, context);
  Eigen::Map<BoxState> state(N_VGetArrayPointer(y));
  Eigen::Map<BoxState>(N_VGetArrayPointer(absolute)) = tolerances.absolute;
  SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
  Run run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    state = start();
    void* memory = CVodeCreate(CV_BDF, context);
    CVodeInit(memory, evaluate, 0, y);
    CVodeSVtolerances(memory, tolerances.relative, absolute);
    CVodeSetUserData(memory, &equation);
    CVodeSetLinearSolver(memory, solver, matrix);
    CVodeSetMaxOrd(memory, order);
    CVodeSetMaxStep(memory, longest);
    CVodeSetMaxNumSteps(memory, 1'000'000);  // a run that needs more steps is stopped
    sunrealtype reached = 0;
    const double begin = bench::cpu_seconds();
    run.complete = CVodeSetStopTime(memory, 1) == CV_SUCCESS && CVode(memory, 1, y, &reached, CV_NORMAL) >= 0;
    run.seconds = std::min(run.seconds, bench::cpu_seconds() - begin);
    long steps = 0, updates = 0, factorizations = 0;
    CVodeGetNumSteps(memory, &steps);
    CVodeGetNumNonlinSolvIters(memory, &updates);
    CVodeGetNumLinSolvSetups(memory, &factorizations);
    run.steps = static_cast<double>(steps);
    run.updates = static_cast<double>(updates);
    run.factorizations = static_cast<double>(factorizations);
    CVodeFree(&memory);
    if (!run.complete) break;
  }
  run.q = state.head<7>();
  run.speed = state.tail<6>().cwiseAbs().maxCoeff();
  run.pressure = pressure_at(box, run.q);
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(absolute);
  return run;
}

}  // namespace compliant_foundation

#else

namespace compliant_foundation {

bool has_cvode() { return false; }
Run cvode(const Box&, const Tolerances&, int, double, int) { return {}; }

}  // namespace compliant_foundation

#endif
