// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The base class of the readers: values and remarks, the model under construction, and how reading ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/io/xml/element_reader.hpp"
#include "actio/io/xml/read_options.hpp"

namespace actio::detail {

template <Scalar S>
class ModelReader {
 public:
  /// Returns the model with all that was read beside it.
  Loaded<S> with(Model<S> model) {
    return {std::move(model), std::move(reader_.report), std::move(actuators_), std::move(keyframes_), time_step_};
  }

 protected:
  ModelReader(const XmlDocument& document, const ReadOptions& options, const std::string& name)
      : reader_(document, options.strict,
                elementary::cbrt(static_cast<double>(std::numeric_limits<ValueOf<S>>::max()))),  // m d^2 remains finite
        root_(document.root()),
        options_(options),
        builder_(name) {
    builder_.inertia_check(options.strict ? InertiaCheck::refuse : InertiaCheck::warn);
  }

  /// Builds the model.  @throws ParseError with all errors.
  Model<S> build() {
    try {
      Model<S> model = builder_.build();
      if (!reader_.problems.empty()) refuse();
      for (const std::string& warning : builder_.warnings()) add_warning(warning);
      return model;
    } catch (const ModelError& error) {
      refuse(error.what());
    }
  }

  /// Throws the errors found here and by the builder, truncated to a readable length.
  [[noreturn]] void refuse(const std::string& of_builder = {}) const {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    for (const Finding& finding : reader_.problems) text << finding << '\n';
    text << of_builder;
    std::string all = text.str();
    while (!all.empty() && all.back() == '\n') all.pop_back();
    constexpr std::size_t longest = 20'000;
    if (all.size() > longest) all = all.substr(0, std::min(all.rfind('\n', longest), longest)) + "\n... and more";
    throw ParseError(all);
  }

  ElementReader reader_;
  pugi::xml_node root_;
  const ReadOptions options_;
  ModelBuilder<S> builder_;
  std::vector<Actuator<S>> actuators_;
  std::vector<Keyframe<S>> keyframes_;
  std::optional<double> time_step_;

 private:
  void add_warning(const std::string& text) {  // "file:line: what", the builder's form
    const std::size_t colon = text.find(": ");
    reader_.report.warnings.push_back({"inertia.triangle", text.substr(0, colon), text.substr(std::min(colon + 2, text.size()))});
  }
};

/// Runs a reader and returns what it has read.
template <Scalar S, class Reader>
Loaded<S> load(Reader reader) {
  Model<S> model = reader.read();
  return reader.with(std::move(model));
}

}  // namespace actio::detail
