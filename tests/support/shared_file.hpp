// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Robots and reference solutions that lie beside the checkout; a clone without them still passes its tests.
#include <filesystem>
#include <optional>
#include <string>

namespace actio::test {

/// A file or folder of the collection, such as "robots/panda.urdf"; nothing where the collection is absent:
///   const auto file = shared_file("robots/panda.urdf");
///   if (!file) ACTIO_SKIP("no collection of robots");
/// @throws std::runtime_error when the collection is there but the file is not: that is a mistake in the test.
std::optional<std::filesystem::path> shared_file(const std::string& name);

}  // namespace actio::test
