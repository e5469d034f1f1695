// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exceptions of building, parsing and setting options. Stepping throws none of them: see core/status.hpp.
#include <stdexcept>
#include <string>

namespace actio {

/// A model that cannot be: names the body or joint, the value and what was expected.
class ModelError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An option outside its range, or a state of the wrong size: names the option, the value and the range.
class OptionsError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A file that cannot be read: names file, line and element.
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace actio
