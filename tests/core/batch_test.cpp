// SPDX-License-Identifier: BSD-3-Clause
// Batches against the same operations on single numbers.
#include "actio/core/batch.hpp"

#include <array>
#include <limits>
#include <vector>

#include "actio/core/text.hpp"
#include "support/catch.hpp"

namespace batch_test {

using namespace actio;

using Quad = Batch<double, 4>;
static_assert(Scalar<Quad> && Scalar<Batch<double, 8>> && Scalar<Batch<float, 16>>);
static_assert(has_lanes<Quad> && !has_lanes<double> && !has_derivatives<Quad>);
static_assert(!std::is_convertible_v<Quad::Mask, bool> && !std::is_constructible_v<bool, Quad::Mask>);
static_assert(sizeof(Batch<double, 8>) == 64 && sizeof(Batch<float, 8>) == 32);

/// Numbers of both signs, zeros, an infinity and a NaN, as far as there are lanes.
template <class B>
B numbers(double shift) {
  using V = ValueOf<B>;
  const std::array<double, 8> some{1.5, -2.25, 0.0, 7.0, -0.0, 1e-3, std::numeric_limits<double>::infinity(), std::nan("")};
  return B::of([&](int k) { return static_cast<V>(some[static_cast<std::size_t>(k % 8)] + (k % 3 == 0 ? shift : 0)); });
}
template <class V>
bool same(V a, V b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Checks that f of batches is f of the numbers in each lane.
template <class B, class F>
void check_lanes(F f) {
  using V = ValueOf<B>;
  for (const double shift : {0.0, 0.75, -3.0}) {
    const B x = numbers<B>(shift), y = numbers<B>(1 - shift), result = f(x, y);
    for (int k = 0; k < B::lanes; ++k) {
      CAPTURE(k, x[k], y[k]);
      CHECK(same<V>(result[k], f(x[k], y[k])));
    }
  }
}

TEMPLATE_TEST_CASE("batch: every lane computes what a single number does", "[core][batch][fast]", (Batch<double, 2>), Quad, (Batch<double, 8>),
                   (Batch<float, 8>), (Batch<float, 16>)) {
  using B = TestType;
  using V = ValueOf<B>;
  using std::abs, std::atan2, std::sqrt;
  check_lanes<B>([](const auto& a, const auto& b) { return a + b; });
  check_lanes<B>([](const auto& a, const auto& b) { return a - b; });
  check_lanes<B>([](const auto& a, const auto& b) { return a * b; });
  check_lanes<B>([](const auto& a, const auto& b) { return a / b; });
  check_lanes<B>([](const auto& a, const auto&) { return -a; });
  check_lanes<B>([](auto a, const auto& b) { return a += b; });
  check_lanes<B>([](auto a, const auto& b) { return a -= b; });
  check_lanes<B>([](auto a, const auto& b) { return a *= b; });
  check_lanes<B>([](auto a, const auto& b) { return a /= b; });
  check_lanes<B>([](const auto& a, const auto&) { return abs(a); });
  check_lanes<B>([](const auto& a, const auto&) { return sqrt(a); });
  check_lanes<B>([](const auto& a, const auto& b) { return atan2(a, b); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a < b, a, b)); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a <= b, a, b)); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a > b, a, b)); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a >= b, a, b)); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a == b, T(V(1)), T(V(2)))); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(a != b, T(V(1)), T(V(2)))); });
  check_lanes<B>([]<class T>(const T& a, const T& b) { return T(select(is_finite(a), b, a)); });
  const B x = numbers<B>(0.5), y = numbers<B>(-2);
  for (int k = 0; k < B::lanes; ++k) {
    CHECK(same<V>(min(x, y)[k], x[k] < y[k] ? x[k] : y[k]));
    CHECK(same<V>(max(x, y)[k], y[k] < x[k] ? x[k] : y[k]));
  }
}

TEMPLATE_TEST_CASE("batch: sine and cosine", "[core][batch][fast]", Quad, (Batch<double, 8>), (Batch<float, 8>)) {
  using B = TestType;
  using V = ValueOf<B>;
  for (const double scale : {1e-9, 1e-3, 0.1, 1.0, 10.0, 1e3, 0.9e5, 1e7}) {
    for (int i = -60; i <= 60; ++i) {
      const B x = B::of([&](int k) { return static_cast<V>(scale * (i + 0.37 * k) / 20); }), s = sin(x), c = cos(x);
      for (int k = 0; k < B::lanes; ++k) {
        CAPTURE(x[k]);
        // ours err by 1 ulp at most, as elementary_test measures, and those of the C library by less
        CHECK(std::abs(s[k] - std::sin(x[k])) <= 2 * epsilon<V> * std::abs(std::sin(x[k])));
        CHECK(std::abs(c[k] - std::cos(x[k])) <= 2 * epsilon<V> * std::abs(std::cos(x[k])));
      }
    }
  }
  B x(V(0.5));
  x.set(1, std::numeric_limits<V>::infinity());  // a lane by itself: the others keep their bits
  CHECK((std::isnan(sin(x)[1]) && std::isnan(cos(x)[1]) && sin(x)[0] == sin(B(V(0.5)))[0] && cos(x)[2] == cos(B(V(0.5)))[2]));
}

TEMPLATE_TEST_CASE("batch: masks", "[core][batch][fast]", (Batch<double, 2>), Quad, (Batch<double, 8>), (Batch<float, 8>), (Batch<float, 16>)) {
  using B = TestType;
  using Mask = typename B::Mask;
  using V = ValueOf<B>;
  const Mask none = Mask::of([](int) { return false; }), every = !none, odd = Mask::of([](int k) { return k % 2 == 1; });
  CHECK((!any(none) && !all(none) && any(every) && all(every) && any(odd) && !all(odd)));
  CHECK((none.bits() == 0 && every.bits() == (1U << B::lanes) - 1));
  for (int k = 0; k < B::lanes; ++k) {
    CHECK((odd[k] == (k % 2 == 1) && (!odd)[k] == (k % 2 == 0) && (odd & every)[k] == odd[k] && (odd | every)[k]));
    CHECK(Mask::of([k](int j) { return j == k; }).bits() == 1U << k);
  }
  B x(V(1));
  x.set(1, std::numeric_limits<V>::quiet_NaN());
  CHECK(select(odd, B(V(2)), x)[0] == V(1));
  CHECK(select(odd, B(V(2)), x)[1] == V(2));  // a NaN that is not selected does not spread
  CHECK(is_finite(x).bits() == (((1U << B::lanes) - 1) & ~2U));
}

TEST_CASE("batch: matrices of Eigen, and text", "[core][batch][fast]") {
  std::vector<Eigen::Matrix<Quad, 3, 3>> kept(5, Eigen::Matrix<Quad, 3, 3>::Identity());
  Eigen::Matrix<Quad, Eigen::Dynamic, 1> x = Eigen::Matrix<Quad, Eigen::Dynamic, 1>::Constant(3, Quad::of([](int k) { return k; }));
  const Eigen::Matrix<Quad, 3, 1> y = (kept[3] * Quad(2.0)) * x;
  for (int k = 0; k < 4; ++k) CHECK((y[1][k] == 2 * k && y.dot(x)[k] == 6 * k * k && (x.segment<2>(1) + x.head<2>())[0][k] == 2 * k));
  CHECK(detail::to_text(x[0]) == "0 1 2 3");
}

}  // namespace batch_test
