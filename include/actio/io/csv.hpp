// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Writes trajectories as comma-separated values, independently of the locale.
#include <array>
#include <charconv>
#include <ostream>
#include <string>

#include "actio/core/text.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer that writes one line for each node. The columns are time, "q." and Model::q_name(k) for each entry of q, "v." and
/// Model::v_name(k) for each entry of v, kinetic, potential and energy; a name with a comma or a quote is quoted.
/// The potential energy includes gravity and springs (Energy::elastic); the energy is kinetic + potential. Numbers have 17 digits, so that
/// reading them back gives the same bits. SI units.
class CsvWriter {
 public:
  /// Writes the header.  @param out must outlive the writer; its state tells whether writing succeeded.
  template <Scalar S, class Joints>
  CsvWriter(std::ostream& out, const Model<S, Joints>& model) : out_(&out) {
    line_ = "time";
    for (Eigen::Index k = 0; k < model.nq(); ++k) line_ += ',' + quoted("q." + model.q_name(k));
    for (Eigen::Index k = 0; k < model.nv(); ++k) line_ += ',' + quoted("v." + model.v_name(k));
    line_ += ",kinetic,potential,energy";
    end_line();
  }

  /// Writes a line with the time, state and energy of the node.
  template <class N>
  void operator()(N& node) { write(node.time(), node.state(), node.energy()); }

  /// Writes a line.  @param time [s], written instead of the state's time.  @param state (nq), (nv) of the header's model.
  /// @param energy [J] of that state.
  template <Scalar S>
  void write(const S& time, const State<S>& state, const Energy<S>& energy) {
    add(value_of(time), "");
    for (Eigen::Index k = 0; k < state.q.size(); ++k) add(value_of(state.q[k]));
    for (Eigen::Index k = 0; k < state.v.size(); ++k) add(value_of(state.v[k]));
    for (const S& joules : {energy.kinetic, S(energy.potential + energy.elastic), energy.total()}) add(value_of(joules));
    end_line();
  }

 private:
  /// Returns a text as a field, in quotes if it needs them.                                                        [RFC 4180]
  static std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
    return field + '"';
  }
  void add(double number, const char* separator = ",") {
    std::array<char, 32> text;
    const auto [end, error] = detail::number_to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 17);
    (line_ += separator).append(text.data(), end);
  }
  void end_line() {
    line_ += '\n';
    out_->write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  std::ostream* out_;
  std::string line_;
};

}  // namespace actio
