// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fits powers to measured curves.
#include <cmath>
#include <limits>

#include "support/report.hpp"

namespace experiments {

/// Returns p of y = c x^p, fitted to the points of a curve with x >= least.
inline double exponent(const Curve& curve, double least) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (curve.x[k] < least) continue;
    const double x = std::log(curve.x[k]), y = std::log(curve.y[k]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace experiments
