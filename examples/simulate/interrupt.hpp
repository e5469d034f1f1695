// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Interruption by signals: the run ends after its present step, and its summary and files are finished.

namespace simulate {

/// Lets SIGINT and SIGTERM end runs; a second one ends the program at once. A broken pipe becomes an error of writing.
void end_runs_on_signals();
/// Returns the signal that asked to end, 0 if none has.
int signal_received() noexcept;

}  // namespace simulate
