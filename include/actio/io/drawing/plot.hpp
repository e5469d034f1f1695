// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Curves, before anything says how they are drawn.
#include <string>
#include <vector>

namespace actio {

/// One curve.
struct PlotSeries {
  std::string name;       ///< in the legend
  std::vector<double> x;  ///< ascending; what is not finite is left out
  std::vector<double> y;  ///< one for each x; what is not finite is left out
};

/// Curves over one pair of axes.
struct Plot {
  std::string title;               ///< above the picture
  std::string subtitle;            ///< below the title; may be empty
  std::string x_label;             ///< what x is
  std::string x_unit;              ///< such as "s"; may be empty
  std::string y_label;             ///< what y is
  std::string y_unit;              ///< such as "J"; may be empty
  std::vector<PlotSeries> series;  ///< each in a colour of its own
};

}  // namespace actio
