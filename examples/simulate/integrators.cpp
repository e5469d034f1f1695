// SPDX-License-Identifier: BSD-3-Clause
#include "integrators.hpp"

#include <algorithm>
#include <vector>

namespace simulate {

std::span<const IntegratorEntry> integrators() {
  static const std::vector<IntegratorEntry> all = [] {
    std::vector<IntegratorEntry> entries{euler(), heun(), rk4()};
    const auto variants = root_finders();
    entries.insert(entries.end(), variants.begin(), variants.end());
    entries.insert(entries.end(),
                   {variational(), variational4(), variational6(), extrapolation6(), reversible(), maximal(), compliant(), srm()});
    return entries;
  }();
  return all;
}

const IntegratorEntry* find_integrator(std::string_view name) {
  const auto all = integrators();
  const auto found = std::find_if(all.begin(), all.end(), [&](const IntegratorEntry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace simulate
