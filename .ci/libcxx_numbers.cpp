// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes random doubles and denormals exactly, and reads a robot, with a standard library that cannot read floating point.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>

#include "actio/core/text.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/io/urdf.hpp"

int main() {
  using namespace actio;
  std::mt19937_64 bits(7);
  const auto survives = [](double number) {
    std::array<char, 32> text;
    const auto written = detail::number_to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 17);
    double read = 0;
    const auto result = detail::number_from_chars(text.data(), written.ptr, read);
    return result.ec == std::errc() && result.ptr == written.ptr &&
           std::bit_cast<std::uint64_t>(read) == std::bit_cast<std::uint64_t>(number);
  };
  for (int k = 0; k < 1'000'000; ++k) {
    const double number = std::bit_cast<double>(bits()), denormal = std::bit_cast<double>(bits() >> 12);
    if (std::isfinite(number) && !survives(number)) return std::printf("%.17g was read differently\n", number), 1;
    if (!survives(denormal)) return std::printf("%.17g was read differently\n", denormal), 1;
  }
  const Model<double> model = parse_urdf<double>(R"(<robot name="arm"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 -0.5"/>
      <mass value="1.5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)", "arm").model;
  VariationalIntegrator integrator(model);
  for (int k = 0; k < 100; ++k) {
    if (!integrator.step({}, 1e-3)) return std::puts("a step failed"), 1;
  }
  return std::puts("numbers are exact, and a robot steps") < 0;
}
