// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// LoadReport: what a reader repaired, doubted or ignored in a file.
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace actio {

/// A remark on a file.
struct Finding {
  std::string code;    ///< stable, for programs: "joint.limit"
  std::string origin;  ///< "file:line"
  std::string text;    ///< "joint 'j2': a revolute joint needs a <limit>, treated as unlimited"

  /// "origin: text [code]".
  friend std::ostream& operator<<(std::ostream& out, const Finding& finding) {
    return out << finding.origin << ": " << finding.text << " [" << finding.code << ']';
  }
  friend bool operator==(const Finding&, const Finding&) = default;  ///< the same remark at the same place
};

/// The findings of a reader: every repair, doubt and ignored element is listed.
struct LoadReport {
  std::vector<Finding> repairs;        ///< rules that the file breaks, and the assumption made instead; strict mode refuses them
  std::vector<Finding> warnings;       ///< doubtful, but accepted as written
  std::map<std::string, int> ignored;  ///< elements ("link/visual") and attributes ("axis@unit") without meaning for a model, counted
  int links = 0;                       ///< as declared in the file
  std::map<std::string, int> joints;   ///< as declared in the file, by type, including fixed joints
  int dof = 0;                         ///< degrees of freedom without mimic followers and with floating bases fixed; for URDF only those of
                                       ///< URDF's joint types and balls, on which all programs agree; Model::dof() includes all joint types
  std::vector<std::pair<std::string, std::string>> passing;  ///< links that pass through each other: `exclude` of MJCF
  int floating = 0;                    ///< number of floating bases; for URDF only one that ReadOptions::base requests

  /// Writes repairs and warnings, one a line, and what was ignored in one more line.
  friend std::ostream& operator<<(std::ostream& out, const LoadReport& report) {
    for (const Finding& finding : report.repairs) out << "repaired: " << finding << '\n';
    for (const Finding& finding : report.warnings) out << "warning: " << finding << '\n';
    if (!report.ignored.empty()) out << "ignored:";
    for (const auto& [what, count] : report.ignored) out << ' ' << what << " x" << count;
    return report.ignored.empty() ? out : out << '\n';
  }
};

}  // namespace actio
