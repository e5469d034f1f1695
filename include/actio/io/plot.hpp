// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Curves, before anything says how they are drawn.
#include <string>
#include <vector>

namespace actio {

/// One curve of a plot.
struct PlotSeries {
  std::string name;
  std::vector<double> x, y;  ///< x ascending; what is not finite is left out
};

/// Curves over one pair of axes.
struct Plot {
  std::string title, subtitle;                    ///< the subtitle may be empty
  std::string x_label, x_unit, y_label, y_unit;   ///< without brackets
  std::vector<PlotSeries> series;
};

}  // namespace actio
