// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Errors and time of one run of one integrator.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"
#include "support/cpu_time.hpp"

namespace work_precision {

using Model = actio::Model<double>;
using State = actio::State<double>;
using Places = std::vector<actio::Vector3<double>>;  ///< centres of mass of the bodies [m]

struct System {
  std::string name;
  Model model;
  State start;
};

struct Run {
  double h = 0;                      ///< [s]
  double simulated = 0;              ///< [s]; less than requested if a step failed or a number overflowed
  double seconds = 0;                ///< of processor time, for the steps only
  double largest_kinetic = 0;        ///< [J]
  std::vector<double> energy_error;  ///< max |E - E_0| until each mark [J], sampled every 50 ms; fewer if the run ended early
  std::vector<Places> places;        ///< at the marks
};

/// Returns the root mean square over the bodies [m]; NaN if one of them is missing.
inline double distance(const Places& a, const Places& b) {
  if (a.size() != b.size() || a.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// Runs to the last mark.  @param marks [s] times at which errors are recorded, ascending multiples of 50 ms.
template <actio::Integrator I>
Run run(I integrator, const State& start, double h, const std::vector<double>& marks) {
  constexpr double look = 0.05;
  const Model& model = integrator.model();
  actio::KinematicsData<double> kinematics(model);
  State state = start;
  integrator.reset(start);
  const double initial = actio::energy(model, kinematics, start.q, start.v).total();
  Run result;
  result.h = h;
  const int between = static_cast<int>(std::lround(look / h));
  const auto looks = std::lround(marks.back() / look);
  double largest = 0;
  for (long k = 1; k <= looks; ++k) {
    bool fine = true;
    const double begin = bench::cpu_seconds();
    for (int step = 0; step < between && fine; ++step) fine = static_cast<bool>(integrator.step({}, h));
    result.seconds += bench::cpu_seconds() - begin;
    if (!fine || integrator.read(state) != actio::Status::converged) break;
    const actio::Energy<double> energy = actio::energy(model, kinematics, state.q, state.v);
    const double error = std::abs(energy.total() - initial);
    if (!std::isfinite(error)) break;
    largest = std::max(largest, error);
    result.largest_kinetic = std::max(result.largest_kinetic, energy.kinetic);
    result.simulated = static_cast<double>(k) * look;
    if (result.simulated > marks[result.places.size()] - look / 2) {
      result.energy_error.push_back(largest);
      Places places;
      for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) {
        const actio::Pose<double>& T = kinematics.T_WB[i];
        places.push_back(T.p + T.R * model.inertia(i).com);
      }
      result.places.push_back(places);
    }
  }
  return result;
}

// Each is compiled in a separate .cpp file; another integrator needs a line here, a .cpp file and an entry in the table of main.cpp.
Run euler(const System& system, double h, const std::vector<double>& marks);
Run rk4(const System& system, double h, const std::vector<double>& marks);
Run variational(const System& system, double h, const std::vector<double>& marks);
Run constant_cost(const System& system, double h, const std::vector<double>& marks);
Run variational4(const System& system, double h, const std::vector<double>& marks);
Run variational6(const System& system, double h, const std::vector<double>& marks);

}  // namespace work_precision
