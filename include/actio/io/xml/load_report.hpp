// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a reader did to a file besides reading it.
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace actio {

/// One remark on a file.
struct Finding {
  std::string code;    ///< stable, for programs: "joint.limit"
  std::string origin;  ///< "file:line"
  std::string text;    ///< "joint 'j2': revolute without <limit>, taken as unlimited"

  /// "origin: text [code]".
  friend std::ostream& operator<<(std::ostream& out, const Finding& finding) {
    return out << finding.origin << ": " << finding.text << " [" << finding.code << ']';
  }
  friend bool operator==(const Finding&, const Finding&) = default;  ///< the same remark at the same place
};

/// What was found while a file was read: nothing is repaired, doubted or left out in silence.
struct LoadReport {
  std::vector<Finding> repairs;        ///< rules the file breaks and what was assumed instead; strict mode refuses them
  std::vector<Finding> warnings;       ///< doubtful, but taken as written
  std::map<std::string, int> ignored;  ///< elements ("link/visual") and attributes ("mesh@scale") that say nothing to us, counted
  int links = 0;                       ///< as the file declares them
  std::map<std::string, int> joints;   ///< as the file declares them, by type, fixed ones included
  int dof = 0;                         ///< freedoms of the tree, mimic followers left out, floating bases held; of URDF's joint types only
                                       ///< its own and balls: the count that all programs agree on; Model::dof() counts the dialects' too
  int floating = 0;                    ///< bases that float; of URDF only what ReadOptions::base lets float

  /// Repairs and warnings, one a line, and in one more what was ignored.
  friend std::ostream& operator<<(std::ostream& out, const LoadReport& report) {
    for (const Finding& finding : report.repairs) out << "repaired: " << finding << '\n';
    for (const Finding& finding : report.warnings) out << "warning: " << finding << '\n';
    if (!report.ignored.empty()) out << "ignored:";
    for (const auto& [what, count] : report.ignored) out << ' ' << what << " x" << count;
    return report.ignored.empty() ? out : out << '\n';
  }
};

}  // namespace actio
