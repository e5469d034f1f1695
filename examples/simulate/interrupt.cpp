// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <csignal>

namespace simulate {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note_signal(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void end_runs_on_signals() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

int signal_received() noexcept { return received; }

}  // namespace simulate
