// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Robots and reference solutions stored next to the checkout; a clone without them still passes its tests.
#include <filesystem>
#include <optional>
#include <string>

namespace actio::test {

/// Returns a file or folder of the collection, such as "robots/panda.urdf"; nothing if the collection is absent:
///   const auto file = shared_file("robots/panda.urdf");
///   if (!file) ACTIO_SKIP("no collection of robots");
/// @throws std::runtime_error if the collection exists but the file does not, which is a mistake in the test.
std::optional<std::filesystem::path> shared_file(const std::string& name);

}  // namespace actio::test
