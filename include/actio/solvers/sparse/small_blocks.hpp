// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Products and inverses of small dense blocks, the kernels of BlockLdu: up to six unknowns in vector registers.
// Blocks are stored by columns, which for doubles and up to six rows are padded with zeros to whole packets; the padding stays zero.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "actio/math/invert.hpp"
#include "actio/math/packet.hpp"

namespace actio::detail {

/// Whether blocks of this scalar are computed in vector registers; all other scalars are computed one by one, in another order. A
/// reproducible build has one order for all processors, whose registers may be narrower.
template <class S>
#ifdef ACTIO_REPRODUCIBLE
inline constexpr bool in_registers = std::is_same_v<S, double>;
#else
inline constexpr bool in_registers = !std::is_class_v<typename Packet4<S>::Register>;
#endif

/// Returns the distance between the columns of a block. It is the same with and without vector registers, so that code built for either can
/// share a block.
template <class S>
constexpr int leading(int rows) { return std::is_same_v<S, double> && rows <= 6 ? (rows <= 4 ? 4 : 8) : rows; }

/// Calls f(0), f(1), ... f(n - 1) with arguments known at compile time.
template <int n, class F>
ACTIO_INLINE void unrolled(const F& f) {
  [&]<int... k>(std::integer_sequence<int, k...>) ACTIO_INLINE_LAMBDA { (f(std::integral_constant<int, k>()), ...); }
  (std::make_integer_sequence<int, n>());
}
/// Calls f(n) with its argument known at compile time; does nothing unless 1 <= n <= 6.
template <class F>
ACTIO_INLINE void with_size(int n, const F& f) {
  switch (n) {
    case 1: return f(std::integral_constant<int, 1>());
    case 2: return f(std::integral_constant<int, 2>());
    case 3: return f(std::integral_constant<int, 3>());
    case 4: return f(std::integral_constant<int, 4>());
    case 5: return f(std::integral_constant<int, 5>());
    case 6: return f(std::integral_constant<int, 6>());
  }
}

/// The columns of a block in registers.
template <class S, int packets, int columns>
struct Columns {
  std::array<std::array<Packet4<S>, static_cast<std::size_t>(packets)>, static_cast<std::size_t>(columns)> of;
  ACTIO_INLINE auto& operator[](std::size_t c) { return of[c]; }
  ACTIO_INLINE void set_zero() {
    unrolled<columns>([&](auto c) ACTIO_INLINE_LAMBDA { of[c].fill(Packet4<S>(S(0))); });
  }
  ACTIO_INLINE void load(const S* A) {
    unrolled<columns>([&](auto c) ACTIO_INLINE_LAMBDA {
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA { of[c][p] = Packet4<S>::load(A + 4 * (packets * c + p)); });
    });
  }
  ACTIO_INLINE void store(S* A) const {
    unrolled<columns>([&](auto c) ACTIO_INLINE_LAMBDA {
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA { of[c][p].store(A + 4 * (packets * c + p)); });
    });
  }
};

enum class Product { replace, subtract };

/// Computes T := A B, or T := T - A B. T stays in registers until the end, and may be stored where B is.
template <Product what, int packets, int columns, class S>
void product(S* T, const S* A, const S* B, int inner) noexcept {
  const int leading_B = leading<S>(inner);
  Columns<S, packets, columns> t;
  Columns<S, packets, 1> a;
  if constexpr (what == Product::replace) t.set_zero();
  else t.load(T);
  for (int k = 0; k < inner; ++k) {
    a.load(A + 4 * packets * k);
    unrolled<columns>([&](auto c) ACTIO_INLINE_LAMBDA {
      const Packet4<S> b(B[k + leading_B * c]);
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA {
        t[c][p] = what == Product::replace ? plus_product(t[c][p], a[0][p], b) : minus_product(t[c][p], a[0][p], b);
      });
    });
  }
  t.store(T);
}

/// The same for one column, with two alternating sums, because consecutive additions to one sum would wait for each other.
template <Product what, int packets, int inner, class S>
ACTIO_INLINE void column_product(S* t, const S* A, const S* b) noexcept {
  Columns<S, packets, 2> sums;
  sums.set_zero();
  if constexpr (what == Product::subtract) unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA { sums[0][p] = Packet4<S>::load(t + 4 * p); });
  Columns<S, packets, 1> a;
  unrolled<inner>([&](auto k) ACTIO_INLINE_LAMBDA {
    a.load(A + 4 * packets * k);
    unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA {
      Packet4<S>& sum = sums[(k + 1) % 2][p];
      sum = what == Product::replace ? plus_product(sum, a[0][p], Packet4<S>(b[k])) : minus_product(sum, a[0][p], Packet4<S>(b[k]));
    });
  });
  unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA { (sums[0][p] + sums[1][p]).store(t + 4 * p); });
}

/// Exchanges row k of a block with the row below that has the largest entry in column k.  @returns that row.
/// Rarely called: it works in memory.
template <int packets, int columns, class S>
[[gnu::noinline]] int exchange_rows(S* A, int k) noexcept {
  constexpr int ld = 4 * packets;
  int best = k;
  for (int r = k + 1; r < columns; ++r) {
    if (std::abs(A[best + ld * k]) < std::abs(A[r + ld * k])) best = r;
  }
  for (int c = 0; c < columns; ++c) std::swap(A[k + ld * c], A[best + ld * c]);
  return best;
}

/// Replaces A by A^-1, by Gauss-Jordan elimination. Rows are exchanged if a multiplier would exceed 8, which is rare: the branch is
/// predicted and costs no time.  @returns false if a pivot is zero or not finite; A is then meaningless.
template <int n, class S>
bool invert_in_registers(S* A) noexcept {
  constexpr int packets = (n + 3) / 4;
  Columns<S, packets, n> a;
  a.load(A);
  std::array<int, static_cast<std::size_t>(n)> row;  // the row of A that is now the k-th
  unrolled<n>([&](auto k) ACTIO_INLINE_LAMBDA { row[k] = k; });
  S check(0), next(0);
  unrolled<n>([&](auto k) ACTIO_INLINE_LAMBDA {
    constexpr int own = k / 4, lane = k % 4;
    constexpr bool first_of_two = k % 2 == 0 && k + 1 < n;
    S scale = next;
    std::array<Packet4<S>, static_cast<std::size_t>(packets)> g;  // column k divided by the pivot, with -1 in the place of the pivot
    const auto prepare = [&](bool divide) ACTIO_INLINE_LAMBDA {
      const S pivot = a[k][own][lane];
      if (divide) scale = S(1) / pivot;
      // The reciprocal of the next pivot is computed now: two divisions overlap, and each takes as long as the rest of a step.
      if constexpr (first_of_two) next = pivot / (pivot * a[k + 1][own][lane + 1] - a[k][own][lane + 1] * a[k + 1][own][lane]);
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA {
        g[p] = (p == own ? a[k][p].template with<lane>(Packet4<S>(S(-1))) : a[k][p]) * Packet4<S>(scale);
      });
    };
    prepare(k % 2 == 0);
    if constexpr (k + 1 < n) {
      int large = 0;
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA {
        if constexpr (p >= own) large |= bits((g[p] * g[p] > Packet4<S>(S(64))).m) >> (p == own ? lane + 1 : 0);
      });
      if (large != 0) [[unlikely]] {
        std::array<S, static_cast<std::size_t>(4 * packets * n)> copy;
        a.store(copy.data());
        std::swap(row[k], row[static_cast<std::size_t>(exchange_rows<packets, n>(copy.data(), k))]);
        a.load(copy.data());
        prepare(true);
      }
    }
    check += (a[k][own][lane] - a[k][own][lane]) + (scale - scale);
    unrolled<n>([&](auto c) ACTIO_INLINE_LAMBDA {
      const Packet4<S> f = a[c][own].template spread<lane>();
      unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA {
        if constexpr (c == k) a[c][p] = -g[p];
        else a[c][p] = minus_product(p == own ? a[c][p].template with<lane>(Packet4<S>(S(0))) : a[c][p], g[p], f);
      });
    });
  });
  unrolled<n>([&](auto c) ACTIO_INLINE_LAMBDA {
    unrolled<packets>([&](auto p) ACTIO_INLINE_LAMBDA { a[c][p].store(A + 4 * (packets * row[c] + p)); });
  });
  return check == S(0);
}

/// Computes t (rows) -= A b, entry by entry.
template <int rows, class S>
void subtract_entries(S* t, const S* A, const S* b, int inner) noexcept {
  std::array<S, static_cast<std::size_t>(rows)> sum;
  for (int r = 0; r < rows; ++r) sum[static_cast<std::size_t>(r)] = t[r];
  for (int k = 0; k < inner; ++k) {
    for (int r = 0; r < rows; ++r) sum[static_cast<std::size_t>(r)] -= A[r + leading<S>(rows) * k] * b[k];
  }
  for (int r = 0; r < rows; ++r) t[r] = sum[static_cast<std::size_t>(r)];
}
template <class S>
ACTIO_INLINE void subtract_entries(S* t, const S* A, const S* b, int rows, int inner) noexcept {
  if (rows <= 6) return with_size(rows, [&](auto n) ACTIO_INLINE_LAMBDA { subtract_entries<n>(t, A, b, inner); });
  for (int k = 0; k < inner; ++k) {
    for (int r = 0; r < rows; ++r) t[r] -= A[r + rows * k] * b[k];
  }
}

/// Computes t (rows) -= A (rows x inner) b, or t := A t.  @param work (rows), for the latter.
template <Product what, class S>
ACTIO_INLINE void multiply_column(S* t, const S* A, const S* b, int rows, int inner, S* work) noexcept {
  if constexpr (in_registers<S>) {
    if (std::max(rows, inner) <= 6) {
      if (rows <= 4) with_size(inner, [&](auto n) ACTIO_INLINE_LAMBDA { column_product<what, 1, n>(t, A, b); });
      else with_size(inner, [&](auto n) ACTIO_INLINE_LAMBDA { column_product<what, 2, n>(t, A, b); });
      return;
    }
    if (rows <= 6) return rows <= 4 ? product<what, 1, 1>(t, A, b, inner) : product<what, 2, 1>(t, A, b, inner);
  }
  if constexpr (what == Product::replace) {
    for (int k = 0; k < inner; ++k) work[k] = -std::exchange(t[k], S(0));
    b = work;
  }
  subtract_entries(t, A, b, rows, inner);
}
template <Product what, class S>
void multiply(S* T, const S* A, const S* B, int rows, int inner, int columns, S* work) noexcept {
  const int leading_T = leading<S>(rows), leading_B = leading<S>(inner);
  if constexpr (in_registers<S>) {
    if (rows <= 6) {
      for (; columns > 0; columns -= 6, T += 6 * leading_T, B += 6 * leading_B) {
        with_size(std::min(columns, 6), [&](auto n) ACTIO_INLINE_LAMBDA {
          rows <= 4 ? product<what, 1, n>(T, A, B, inner) : product<what, 2, n>(T, A, B, inner);
        });
      }
      return;
    }
  }
  for (int c = 0; c < columns; ++c, T += leading_T, B += leading_B) multiply_column<what>(T, A, B, rows, inner, work);
}

/// Computes T (rows x columns) -= A (rows x inner) B, and t (rows) -= A b.
template <class S>
void subtract_product(S* T, const S* A, const S* B, int rows, int inner, int columns) noexcept {
  multiply<Product::subtract, S>(T, A, B, rows, inner, columns, nullptr);
}
template <class S>
ACTIO_INLINE void subtract_product(S* t, const S* A, const S* b, int rows, int inner) noexcept {
  multiply_column<Product::subtract, S>(t, A, b, rows, inner, nullptr);
}
/// Computes T (n x columns) := A (n x n) T, and t (n) := A t.  @param work (n).
template <class S>
void premultiply(S* T, const S* A, int n, int columns, S* work) noexcept {
  multiply<Product::replace>(T, A, T, n, n, columns, work);
}
template <class S>
ACTIO_INLINE void premultiply(S* t, const S* A, int n, S* work) noexcept {
  multiply_column<Product::replace>(t, A, t, n, n, work);
}

template <int n, class S>
bool invert_entries(S* A, int* exchanged) noexcept {
  if constexpr (leading<S>(n) == n) {
    return invert_in_place(A, n, exchanged);
  } else {
    std::array<S, static_cast<std::size_t>(n * n)> tight;
    const auto columns = [&](const auto& copy) {
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) copy(tight[static_cast<std::size_t>(r + n * c)], A[r + leading<S>(n) * c]);
      }
    };
    columns([](S& to, S& from) { to = from; });
    const bool regular = invert_in_place(tight.data(), n, exchanged);
    columns([](S& from, S& to) { to = from; });
    return regular;
  }
}

/// Replaces A (n x n) by A^-1, with rows exchanged as needed.  @param exchanged (n) storage.
/// @returns false if a pivot is zero or not finite; A is then meaningless.
template <class S>
bool invert_block(S* A, int n, int* exchanged) noexcept {
  if (n > 6) return invert_in_place(A, n, exchanged);
  bool regular = true;
  with_size(n, [&](auto size) ACTIO_INLINE_LAMBDA {
    if constexpr (in_registers<S>) regular = invert_in_registers<size>(A);
    else regular = invert_entries<size>(A, exchanged);
  });
  return regular;
}

}  // namespace actio::detail
