# SPDX-License-Identifier: BSD-3-Clause
# What comments of a header mean, in Doxygen's words and line for line.
#  * Behind the licence and `#pragma once` stand lines that say what the header is: its @file.
#  * Lines of /// that are indented by three spaces are formulas or code: kept as they stand.
function put(line) { if (NR > 1) print held; held = line }

NR == 1 { put("/// @file"); next }
NR == 2 { put("///"); about = 1; next }
about && /^\/\/( |$)/ { gsub(/</, "\\<"); put("/" $0); next }
{ about = 0 }

/^ *\/\/\/   [^ ]/ {
  sub(/   +\[/, "   [")
  sub(/\/\/\/   /, formula ? "///" : "/// @code{.unparsed}")
  put($0)
  formula = 1
  next
}
formula { held = held " @endcode"; formula = 0 }
{ put($0) }
END { print held }
