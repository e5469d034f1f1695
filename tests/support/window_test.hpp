// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tests whether an error that fluctuates has a trend.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

namespace actio::test {

inline constexpr std::size_t windows = 10;

/// The result of window_test(). Only the worst pair of windows is stored.
struct WindowTest {
  std::array<double, windows> means{}, standard_errors{};
  double band = 0;              ///< largest minus smallest value of the run
  double root_mean_square = 0;  ///< of the values themselves, not of their distance from the mean
  double correlation = 0;       ///< correlation time, in samples
  double block = 0;             ///< of the bootstrap, in samples
  std::size_t first = 0, second = 0;
  double ratio = 0;             ///< difference of their means relative to what is allowed
  bool passed() const { return ratio < 1; }
};

namespace windowing {

/// Means of consecutive groups of `group` values.
inline std::vector<double> grouped(std::span<const double> values, std::size_t group) {
  std::vector<double> means(values.size() / group);
  for (std::size_t k = 0; k < means.size(); ++k) {
    for (const double value : values.subspan(k * group, group)) means[k] += value;
    means[k] /= static_cast<double>(group);
  }
  return means;
}

inline double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// Returns the first lag from which on the autocorrelation within the windows stays below 1/e, at most a quarter of a window.
inline std::size_t correlation_time(const std::vector<double>& cells, std::size_t window) {
  std::vector<double> centred = cells;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::span<double> part(centred.data() + w * window, window);
    const double middle = mean(part);
    for (double& value : part) value -= middle;
  }
  const auto correlation = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t w = 0; w < windows; ++w) {
      const double* part = centred.data() + w * window;
      for (std::size_t k = 0; k + lag < window; ++k) sum += part[k] * part[k + lag];
    }
    return sum / static_cast<double>(window - lag);
  };
  const double variance = correlation(0);
  std::size_t longest = window / 4;
  while (longest > 0 && !(std::abs(correlation(longest)) > variance / std::exp(1.0))) --longest;
  return std::min(longest + 1, window / 4);
}

/// Returns the standard error of a window's mean, by the moving-block bootstrap, corrected for the bias of few blocks.
inline double standard_error(std::span<const double> cells, std::size_t block, std::mt19937_64& bits) {
  constexpr int resamples = 400;
  const double blocks = static_cast<double>(cells.size()) / static_cast<double>(block);
  std::vector<double> sums(cells.size() - block + 1);  // of the block that begins at each cell
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = mean(cells.subspan(k, block));
  const double middle = mean(sums);
  double square = 0;
  for (int r = 0; r < resamples; ++r) {
    double sum = 0;
    const int drawn = static_cast<int>(blocks);
    for (int b = 0; b < drawn; ++b) sum += sums[bits() % sums.size()] - middle;  // the library's distributions differ, its engines do not
    square += sum * sum / (drawn * drawn);
  }
  return std::sqrt(square / resamples * blocks / (blocks - 1));
}

}  // namespace windowing

/// Tests that the energy error of a run has no trend: its means over ten equal windows differ pairwise by less than a tenth of its
/// band or than three standard errors, by a bootstrap over blocks longer than its correlation time.
/// A trend of the size of the band fails; one below a tenth of the band, or hidden in the noise, does not. Pure noise in
/// which three standard errors exceed a tenth of the band fails about once in twelve, by the definition of the test.
/// @param error at equal distances in time, at least 400 values; the values after the last full window are ignored.
/// @throws std::invalid_argument if there are fewer, or one is not finite.
inline WindowTest window_test(std::span<const double> error, std::uint64_t seed = 1) {
  constexpr std::size_t fewest = 40, most = 1000;  // cells in a window
  if (error.size() < windows * fewest) throw std::invalid_argument("window_test: fewer than 400 values");
  if (!std::all_of(error.begin(), error.end(), [](double x) { return std::isfinite(x); })) {
    throw std::invalid_argument("window_test: a value is not finite");
  }
  const auto [low, high] = std::minmax_element(error.begin(), error.end());
  WindowTest result;
  result.band = *high - *low;
  double square = 0;
  for (const double x : error) square += x * x;
  result.root_mean_square = std::sqrt(square / static_cast<double>(error.size()));

  const std::size_t group = (error.size() / windows + most - 1) / most, window = error.size() / windows / group;
  const std::vector<double> cells = windowing::grouped(error, group);  // long runs cost no more than short ones
  const std::size_t correlation = windowing::correlation_time(cells, window), block = std::min(2 * correlation, window / 4);
  result.correlation = static_cast<double>(correlation * group);
  result.block = static_cast<double>(block * group);
  std::mt19937_64 bits(seed);
  for (std::size_t w = 0; w < windows; ++w) {
    const std::span<const double> part(cells.data() + w * window, window);
    result.means[w] = windowing::mean(part);
    result.standard_errors[w] = windowing::standard_error(part, block, bits);
  }
  for (std::size_t a = 0; a < windows; ++a) {
    for (std::size_t b = a + 1; b < windows; ++b) {
      const double noise = std::hypot(result.standard_errors[a], result.standard_errors[b]);
      const double allowed = std::max(result.band / 10, 3 * noise), difference = std::abs(result.means[a] - result.means[b]);
      const double ratio = difference == 0 ? 0 : difference / allowed;
      if (ratio < result.ratio) continue;
      result.ratio = ratio;
      result.first = a;
      result.second = b;
    }
  }
  return result;
}

inline std::ostream& operator<<(std::ostream& out, const WindowTest& t) {
  out << (t.passed() ? "no trend" : "TREND") << ": windows " << t.first + 1 << " and " << t.second + 1 << " differ by " << t.ratio
      << " of what is allowed; band " << t.band << ", rms " << t.root_mean_square << ", correlation " << t.correlation
      << " samples, blocks of " << t.block << "; means";
  for (const double mean : t.means) out << ' ' << mean;
  out << "; standard errors";
  for (const double error : t.standard_errors) out << ' ' << error;
  return out;
}

}  // namespace actio::test
