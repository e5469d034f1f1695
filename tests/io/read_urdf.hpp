// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The reader for double; it is compiled once, in urdf_test.cpp.
#include "actio/io/urdf.hpp"

namespace actio {
extern template Loaded<double> parse_urdf<double>(std::string_view text, const std::string& name, const ReadOptions& options);
extern template Loaded<double> read_urdf<double>(const std::string& path, const ReadOptions& options);
}  // namespace actio
