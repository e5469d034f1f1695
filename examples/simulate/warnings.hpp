// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What should make a user doubt a run.
#include <string>
#include <vector>

#include "run.hpp"

namespace simulate {

/// Returns whether about as much energy came from errors as the motion had itself.
bool is_blown_up(const Run& run, const Model& model);
/// Returns what is wrong with a run that did not fail, one sentence each: energy from errors, steps that are too long for the motion.
std::vector<std::string> warnings_of(const Run& run, const Model& model, const Options& options);
/// Returns what the user of the program can do about a step that failed.
std::string explain(actio::Status status);
/// Returns why, where and when a run failed, in one line.
std::string describe_failure(const Run& run, const Model& model);

}  // namespace simulate
