// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the programs of all libraries have in common: peer_NAME FILE ALGORITHM SECONDS prints the time of a call [ns] and a check, and
// peer_NAME --version the library, the compiler and its flags. Exit code 3: the library does not have the algorithm, or not at this size.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tree.hpp"

namespace peers {

/// Thrown by a program for what its library cannot do.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr double time_step = 1e-3;  // s
constexpr int steps_in_a_row = 10;  // then a motion begins anew, so that it does not diverge

/// Returns the processor time of this thread [s].
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the time of call(k), k = 0, 1, ... [ns]: the median over batches of at least a millisecond.
template <class Call>
double nanoseconds(const Call& call, double seconds) {
  int k = 0;
  const auto batch = [&](int calls) {
    const double begin = cpu_seconds();
    for (int j = 0; j < calls; ++j) call(k++);
    return cpu_seconds() - begin;
  };
  int calls = 1;
  while (batch(calls) < 1e-3) calls *= 2;
  std::vector<double> times;
  for (const double end = cpu_seconds() + seconds; times.size() < 5 || cpu_seconds() < end;) times.push_back(1e9 * batch(calls) / calls);
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

inline void print(double nanoseconds, double check) { std::printf("%.6g %.12g\n", nanoseconds, check); }

template <class Library, class = void>
constexpr bool has_step = false;
template <class Library>
constexpr bool has_step<Library, std::void_t<decltype(std::declval<Library&>().step())>> = true;

/// Measures one algorithm of a library. It has the members
///   use(k)                 makes state 0 or 1 that of the next aba() or rnea();
///   aba(), rnea()          compute the accelerations without forces, and the forces of Link::a;
///   restart(), step()      of a motion from state 0 by the semi-implicit Euler method, if it has one: v += h a, then q (+)= h v;
///   accelerations(), forces(), velocities()    their norm, without the linear entries of floating joints, which libraries express
///                                              in different axes.
/// @throws Unsupported
template <class Library>
void measure(Library& library, const std::string& algorithm, double seconds) {
  if (algorithm == "aba") {
    library.use(0);
    library.aba();
    const double check = library.accelerations();
    print(nanoseconds([&](int k) { library.use(k % 2), library.aba(); }, seconds), check);
  } else if (algorithm == "rnea") {
    library.use(0);
    library.rnea();
    const double check = library.forces();
    print(nanoseconds([&](int k) { library.use(k % 2), library.rnea(); }, seconds), check);
  } else {
    if constexpr (has_step<Library>) {
      if (algorithm == "step") {
        library.restart();
        for (int k = 0; k < steps_in_a_row; ++k) library.step();
        const double check = library.velocities();
        const auto call = [&](int k) {
          if (k % steps_in_a_row == 0) library.restart();
          library.step();
        };
        return print(nanoseconds(call, seconds), check);
      }
    }
    throw Unsupported("has no algorithm '" + algorithm + "'");
  }
}

/// The main function of a library's program.  @param version of the library.
template <class Library>
int run(int argc, char** argv, const std::string& version) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::printf("%s; %s\n", version.c_str(), PEER_COMPILER);
    return 0;
  }
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s FILE aba|rnea|step SECONDS, or --version\n", argv[0]);
    return 2;
  }
  try {
    const Tree tree = read(argv[1]);
    Library library(tree);
    measure(library, argv[2], std::stod(argv[3]));
  } catch (const Unsupported& reason) {
    std::fprintf(stderr, "%s: %s\n", argv[0], reason.what());
    return 3;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

}  // namespace peers
