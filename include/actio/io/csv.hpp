// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Trajectories as comma-separated values, the same under every locale.
#include <array>
#include <charconv>
#include <ostream>
#include <string>

#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer that writes a line for each node it is shown. Columns: time, q0 ... (nq), v0 ... (nv), kinetic, potential, energy;
/// potential is gravity and springs (Energy::elastic), energy is kinetic + potential. 17 digits: read back, the numbers are the same bits.
/// SI units; entry k of q is the one Model::q_name(k) names, that of v the one Model::v_name(k) names.
class CsvWriter {
 public:
  /// Writes the header.  @param out outlives the writer; its state tells whether writing succeeded.
  template <Scalar S, class Joints>
  CsvWriter(std::ostream& out, const Model<S, Joints>& model) : out_(&out) {
    line_ = "time";
    for (Eigen::Index k = 0; k < model.nq(); ++k) line_ += ",q" + std::to_string(k);
    for (Eigen::Index k = 0; k < model.nv(); ++k) line_ += ",v" + std::to_string(k);
    line_ += ",kinetic,potential,energy";
    end_line();
  }

  /// Writes a line for what is at the node: time, state and energy.
  template <class N>
  void operator()(N& node) { write(node.time(), node.state(), node.energy()); }

  /// Writes a line.  @param time [s]; that of the state is not looked at.  @param state (nq), (nv) of the header's model.
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
  void add(double number, const char* separator = ",") {
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 17);
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
