// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Exceptions thrown while building models, parsing files and setting options. Steps throw none of them: see core/status.hpp.
#include <stdexcept>
#include <string>
#include <utility>

namespace actio {

/// Thrown for an invalid model. The message names the body or joint, the value and what was expected.
class ModelError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Thrown by an integrator that does not support something that is active in a model.
class Unsupported : public ModelError {
 public:
  /// @param integrator its name.  @param item what it does not support, with its name in the model.  @param remedy what to do in C++.
  Unsupported(const std::string& integrator, std::string item, const std::string& remedy)
      : ModelError(integrator + " does not support " + item + "; " + remedy), item_(std::move(item)) {}
  const std::string& item() const noexcept { return item_; }  ///< "loop 'closure'", "the damping of joint 'elbow'"

 private:
  std::string item_;
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
