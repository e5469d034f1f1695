// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Plots as data, independent of how they are drawn.
#include <string>
#include <vector>

namespace actio {

/// One curve.
struct PlotSeries {
  std::string name;       ///< as shown in the legend
  std::vector<double> x;  ///< ascending; non-finite points are left out
  std::vector<double> y;  ///< one for each x; non-finite points are left out
};

/// Curves over one pair of axes.
struct Plot {
  std::string title;               ///< above the picture
  std::string subtitle;            ///< below the title; may be empty
  std::string x_label;             ///< quantity on the x axis
  std::string x_unit;              ///< such as "s"; may be empty
  std::string y_label;             ///< quantity on the y axis
  std::string y_unit;              ///< such as "J"; may be empty
  std::vector<PlotSeries> series;  ///< each drawn in a different colour
};

}  // namespace actio
