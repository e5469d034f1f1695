// SPDX-License-Identifier: BSD-3-Clause
#include "support/shared_file.hpp"

#include <stdexcept>

std::optional<std::filesystem::path> actio::test::shared_file(const std::string& name) {
  const std::filesystem::path collection = ACTIO_SHARED_DIR;
  if (!std::filesystem::exists(collection)) return std::nullopt;
  const std::filesystem::path file = collection / name;
  if (!std::filesystem::exists(file)) throw std::runtime_error("no '" + name + "' in " + collection.string());
  return file;
}
