// SPDX-License-Identifier: BSD-3-Clause
// The box on its springs and dampers as an ordinary differential equation, and the explicit integrator that replaces MATLAB's ode45.
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>

#include "box.hpp"
#include "support/cpu_time.hpp"

namespace compliant_foundation {

Equation::Equation(const Box& box) : box_(box) {
  for (int k = 0; k < box.edge; ++k) centers_.push_back(box.center(k));
}

void Equation::operator()(const double* y, double* rate) const {
  constexpr double half = Box::side / 2, inertia = Box::mass * Box::side * Box::side / 6;
  const Eigen::Matrix3d R = Eigen::Quaterniond(y[6], y[3], y[4], y[5]).toRotationMatrix();
  const Eigen::Vector3d corner = R * Eigen::Vector3d(half, half, half), w(y[10], y[11], y[12]), e(y[3], y[4], y[5]);
  double force = -Box::mass * Box::gravity - box_.load, about_x = -box_.load * corner[1], about_y = box_.load * corner[0];
  const double K = box_.stiffness(), level = y[2] + Box::side * (y[3] * y[3] + y[4] * y[4]);  // half (1 - R_zz), without cancellation
  for (const double Y : centers_) {
    const double row_x = R(0, 1) * Y - R(0, 2) * half, row_y = R(1, 1) * Y - R(1, 2) * half, row_gap = level + R(2, 1) * Y;
    for (const double X : centers_) {
      const double px = row_x + R(0, 0) * X, py = row_y + R(1, 0) * X, gap = row_gap + R(2, 0) * X;
      const double f = std::max(0.0, -K * gap - box_.damping * (y[9] + py * w[0] - px * w[1]));
      force += f;
      about_x += py * f;
      about_y -= px * f;
    }
  }
  const Eigen::Vector3d turning = (y[6] * w + w.cross(e)) / 2;
  const std::array<double, 13> all{y[7], y[8], y[9], turning[0], turning[1], turning[2], -w.dot(e) / 2,
                                   0,    0,    force / Box::mass, about_x / inertia, about_y / inertia, 0};
  std::copy(all.begin(), all.end(), rate);
}

Tolerances tight(const Box& box, double part) {
  Tolerances of{part, BoxState::Constant(part * box.depth())};
  of.absolute.tail<6>() *= std::sqrt(box.young * Box::side * Box::side / Box::thickness / Box::mass);
  return of;
}

Run dormand_prince(const Box& box, const Tolerances& tolerances, double duration,
                   const std::function<void(double, const BoxState&)>& observe) {
  static constexpr std::array<std::array<double, 6>, 6> a{{{1. / 5},
                                                           {3. / 40, 9. / 40},
                                                           {44. / 45, -56. / 15, 32. / 9},
                                                           {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                                           {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                                           {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}}};
  static constexpr std::array<double, 7> error{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
  const Equation equation(box);
  Run run;
  const double begin = bench::cpu_seconds();
  BoxState y = start(), next = y;
  std::array<BoxState, 7> k;
  equation(y.data(), k[0].data());
  double t = 0, h = 1e-6 * duration;
  constexpr double most_steps = 3e7;
  while (t < duration && run.steps < most_steps) {
    h = std::min(h, duration - t);
    for (std::size_t stage = 1; stage < 7; ++stage) {
      next = y;
      for (std::size_t j = 0; j < stage; ++j) next += h * a[stage - 1][j] * k[j];
      equation(next.data(), k[stage].data());
    }
    BoxState wrong = BoxState::Zero();
    for (std::size_t j = 0; j < 7; ++j) wrong += h * error[j] * k[j];
    const BoxState allowed = (tolerances.relative * y.cwiseAbs().cwiseMax(next.cwiseAbs())).cwiseMax(tolerances.absolute);
    const double ratio = wrong.cwiseQuotient(allowed).cwiseAbs().maxCoeff();
    run.steps += 1;
    if (ratio <= 1) {
      t = h < duration - t ? t + h : duration;
      y = next;
      k[0] = k[6];  // the last stage is the first stage of the next step
      run.highest = std::max(run.highest, y[2]);
      if (observe) observe(t, y);
    }
    h *= std::clamp(0.9 * std::pow(ratio + 1e-30, -0.2), 0.2, 5.0);
  }
  run.seconds = bench::cpu_seconds() - begin;
  run.complete = t >= duration && y.allFinite();
  run.q = y.head<7>();
  run.speed = y.tail<6>().cwiseAbs().maxCoeff();
  run.pressure = pressure_at(box, run.q);
  return run;
}

}  // namespace compliant_foundation
