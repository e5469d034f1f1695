// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes a film as one self-contained web page, which plays the motion in 3D beside plots that follow it.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actio/io/drawing/film_colour.hpp"
#include "actio/io/film.hpp"
#include "actio/io/html/base64.hpp"
#include "actio/io/html/camera.hpp"
#include "actio/io/html/export.hpp"
#include "actio/io/html/motion.hpp"
#include "actio/io/html/page.hpp"
#include "actio/io/html/player.hpp"
#include "actio/io/html/plots.hpp"
#include "actio/io/html/solids.hpp"
#include "actio/io/html/view.hpp"

namespace actio {
namespace detail {

inline std::vector<double> numbers_of(const Vector3<double>& v) { return {v[0], v[1], v[2]}; }

/// Returns a shape as the page's JSON: its kind and its full sizes; null for a shape that is not drawn.
inline nlohmann::json html_solid(const Geometry<double>& geometry) {
  return std::visit(
      []<class G>(const G& g) -> nlohmann::json {
        if constexpr (std::same_as<G, Sphere<double>>) return {{"kind", "sphere"}, {"radius", g.radius}};
        else if constexpr (std::same_as<G, Box<double>>) return {{"kind", "box"}, {"size", numbers_of(g.size)}};
        else if constexpr (std::same_as<G, Cylinder<double>>) return {{"kind", "cylinder"}, {"radius", g.radius}, {"length", g.length}};
        else if constexpr (std::same_as<G, Capsule<double>>) return {{"kind", "capsule"}, {"radius", g.radius}, {"length", g.length}};
        else if constexpr (std::same_as<G, HalfSpace>) return {{"kind", "ground"}};
        else return nullptr;
      },
      geometry);
}

/// Writes the solids, the bodies that carry them and the poses of these bodies: positions [m] as float, quaternions as 16 bit integers
/// (32767 for 1), which costs a tenth of a millimetre at a distance of a metre and needs half the bytes.
inline void write_motion(nlohmann::json& page, const Film& film) {
  const BodyIndex bodies = film.motion.poses.front().size();
  std::vector<BodyIndex> drawn;  // bodies that have solids, without the world
  auto& solids = page["solids"] = nlohmann::json::array();
  auto& names = page["bodies"] = nlohmann::json::array();
  std::vector<int> place(static_cast<std::size_t>(bodies), -1);  // index in `drawn`; -1 for the world
  const auto add = [&](const Shape<double>& shape, bool drawn_only) {
    nlohmann::json solid = html_solid(shape.geometry);
    if (solid.is_null()) return;
    const auto body = static_cast<std::size_t>(shape.body);
    if (body > 0 && place[body] < 0) {
      place[body] = static_cast<int>(drawn.size());
      drawn.push_back(shape.body);
      names.push_back(film.body_names[body]);
    }
    if (body > 0) solid["colour"] = film_colour(shape.body, bodies);  // the page colours the world's solids, for its light or dark theme
    const Quaternion<double> q = shape.T_BS.quaternion();
    solid.update({{"name", shape.name}, {"body", place[body]}, {"p", numbers_of(shape.T_BS.p)}, {"q", {q.x(), q.y(), q.z(), q.w()}}});
    if (drawn_only) solid["drawn_only"] = true;
    solids.push_back(std::move(solid));
  };
  for (const Shape<double>& shape : film.shapes) add(shape, false);
  for (const Shape<double>& shape : film.drawn_only) add(shape, true);

  std::vector<float> positions;
  std::vector<std::int16_t> rotations;
  for (const BodyArray<Pose<double>>& poses : film.motion.poses) {
    for (const BodyIndex i : drawn) {
      const Quaternion<double> q = poses[i].quaternion();
      for (const double x : poses[i].p) positions.push_back(static_cast<float>(x));
      for (const double x : q.coeffs()) {
        rotations.push_back(static_cast<std::int16_t>(std::isfinite(x) ? std::lround(std::clamp(x, -1.0, 1.0) * 32767) : 0));
      }
    }
  }
  page["times"] = base64<double>(film.motion.times);
  page["positions"] = base64<float>(positions);
  page["rotations"] = base64<std::int16_t>(rotations);
}

/// Writes the contacts: points [m] and forces [N] as float, and how many there are up to each frame.
inline void write_contacts(nlohmann::json& page, const std::vector<std::vector<ContactForce>>& contacts) {
  std::vector<float> arrows;
  std::vector<std::int32_t> ends;
  for (const std::vector<ContactForce>& frame : contacts) {
    for (const ContactForce& contact : frame) {
      for (const Vector3<double>& x : {contact.p, contact.force}) {
        for (const double number : x) arrows.push_back(static_cast<float>(number));
      }
    }
    ends.push_back(static_cast<std::int32_t>(arrows.size() / 6));
  }
  page["arrows"] = base64<float>(arrows);
  page["arrow_ends"] = base64<std::int32_t>(ends);
}

/// Returns whether float resolves everything that is visible in a plot of the numbers.
inline bool float_suffices(std::span<const double> numbers) {
  double low = std::numeric_limits<double>::infinity(), high = -low, largest_error = 0;
  for (const double y : numbers) {
    if (!std::isfinite(y)) continue;
    low = std::min(low, y);
    high = std::max(high, y);
    largest_error =
        std::max(largest_error, std::abs(y) > std::numeric_limits<float>::max() ? std::abs(y) : std::abs(y - static_cast<float>(y)));
  }
  return largest_error <= 1e-6 * std::max(high - low, 0.0);
}

/// Writes the plots; curves with equal x share it. Numbers are float, or double if a curve's range is small compared to its values.
inline void write_plots(nlohmann::json& page, const std::vector<Plot>& plots) {
  auto& all = page["plots"] = nlohmann::json::array();
  auto& shared = page["x"] = nlohmann::json::array();
  std::vector<const std::vector<double>*> seen;
  for (const Plot& plot : plots) {
    nlohmann::json series = nlohmann::json::array();
    for (const PlotSeries& curve : plot.series) {
      const std::size_t points = std::min(curve.x.size(), curve.y.size());
      const auto same = std::find_if(seen.begin(), seen.end(), [&](const std::vector<double>* x) { return *x == curve.x; });
      if (same == seen.end()) shared.push_back(base64<double>(curve.x));
      nlohmann::json entry{{"name", curve.name}, {"x", same - seen.begin()}};
      if (same == seen.end()) seen.push_back(&curve.x);
      const std::span<const double> y(curve.y.data(), points);
      if (float_suffices(y)) {
        std::vector<float> rounded(points);
        std::transform(y.begin(), y.end(), rounded.begin(), [](double x) { return static_cast<float>(x); });
        entry["float"] = base64<float>(rounded);
      } else {
        entry["double"] = base64<double>(y);
      }
      series.push_back(std::move(entry));
    }
    all.push_back({{"title", plot.title}, {"subtitle", plot.subtitle}, {"x_label", plot.x_label}, {"x_unit", plot.x_unit},
                   {"y_label", plot.y_label}, {"y_unit", plot.y_unit}, {"series", std::move(series)}});
  }
}

/// Returns JSON that is safe inside a script element for any text: ASCII without '<', with invalid UTF-8 replaced.
inline std::string json_in_html(const nlohmann::json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  return text;
}

}  // namespace detail

/// Returns the film as the text of an HTML file: self-contained, without network requests; it opens from disk in any current browser.
/// Orbit by dragging or, where the view has the focus, by the arrow keys; pause with the space bar, scrub along the slider or in a plot.
/// The page looks from the front, the side or the top, shows the axes of bodies and the forces of contacts, and saves pictures (PNG) and videos (WebM). Without
/// WebGL 2 the plots remain. The page shows why a run failed and, where there is a ground, hatches solids that contact ignores. Texts of
/// the film come from model files and are never interpreted as markup. Meshes are left out. The size is about 27 B a frame for each body
/// that is drawn and 32 B for each contact, 5 to 11 B a point of a plot, and the page itself.
/// @throws ModelError if there is no frame, times and frames differ in number, a frame has not one pose per name, or a shape has no body.
inline std::string to_html(const Film& film) {
  detail::require_consistent(film);
  nlohmann::json page{{"title", film.title}, {"failure", film.failure}};
  detail::write_motion(page, film);
  detail::write_contacts(page, film.motion.contacts);
  detail::write_plots(page, film.plots);

  std::string html(detail::html_page_begin);
  html += "<script type=\"application/json\" id=\"film\">" + detail::json_in_html(page) + "</script>\n<script>\n'use strict';\n";
  using namespace detail;
  for (const std::string_view script : {html_solids, html_camera, html_view, html_plots, html_motion, html_export, html_player}) {
    html += script;
  }
  return html + "</script>\n</body>\n</html>\n";
}

}  // namespace actio
