// SPDX-License-Identifier: BSD-3-Clause
// Random models, states, options and steps through the integrators, on the bytes of a fuzzer.
#include "fuzz/laws.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choices choices(data, size);
  const int group = choices.below(8), kind = choices.below(256);
  const std::optional<fuzz::Chosen> chosen = fuzz::choose_model(choices);
  if (!chosen) return 0;
  switch (group) {
    case 0: fuzz::maximal(*chosen, kind, choices); break;
    case 1:
    case 2: fuzz::compliant(*chosen, kind, choices); break;
    case 3: fuzz::others(*chosen, kind, choices); break;
    case 4: fuzz::rollouts_and_lanes(*chosen, kind, choices); break;
    default: fuzz::variational(*chosen, kind, choices); break;
  }
  return 0;
}
