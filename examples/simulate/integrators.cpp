// SPDX-License-Identifier: BSD-3-Clause
#include "integrators.hpp"

#include <algorithm>
#include <array>

namespace simulate {

std::span<const IntegratorEntry> integrators() {
  static const std::array all{euler(), heun(), rk4(), riqn(), variational(), variational4(), variational6()};
  return all;
}

const IntegratorEntry* find_integrator(std::string_view name) {
  const auto all = integrators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const IntegratorEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace simulate
