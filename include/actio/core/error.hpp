// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exceptions thrown while building models, parsing files and setting options. Steps throw none of them: see core/status.hpp.
#include <stdexcept>
#include <string>

namespace actio {

/// Thrown for an invalid model. The message names the body or joint, the value and what was expected.
class ModelError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Thrown for an option outside its range or a state of the wrong size. The message names the option, the value and the range.
class OptionsError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Thrown for a file that cannot be read. The message names the file, line and element.
class ParseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace actio
