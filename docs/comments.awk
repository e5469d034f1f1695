# SPDX-License-Identifier: BSD-3-Clause
# What comments of a header mean, in Doxygen's words and line for line.
#  * After the licence and `#pragma once` come lines that say what the header is: its @file.
#  * Lines of /// that are indented by three spaces are formulas or code: kept as they stand.
#  * A citation of the theory, [vi_math.md, section 7.2], links to that section, which has the anchor vi_math_7_2.
function put(line) { if (NR > 1) print held; held = line }

function anchor(page, number) { gsub(/\./, "_", number); return page "_" number }
function cite(line, before, text, page, number) {
  before = ""
  while (match(line, /((vi|compliant|srm)_math|variational_contact)\.md,( sections?)? [0-9]+(\.[0-9]+)?/)) {
    text = number = page = substr(line, RSTART, RLENGTH)
    sub(/.* /, "", number)
    sub(/\.md.*/, "", page)
    before = before substr(line, 1, RSTART - 1) "@ref " anchor(page, number) " \"" text "\""
    line = substr(line, RSTART + RLENGTH)
    while (match(line, /^(, and |, | and |-)[0-9]+(\.[0-9]+)?/)) {
      text = number = substr(line, 1, RLENGTH)
      sub(/^[^0-9]*/, "", number)
      before = before substr(text, 1, length(text) - length(number)) "@ref " anchor(page, number) " \"" number "\""
      line = substr(line, RLENGTH + 1)
    }
  }
  return before line
}

NR == 1 { put("/// @file"); next }
NR == 2 { put("///"); about = 1; next }
about && /^\/\/( |$)/ { gsub(/</, "\\<"); put("/" cite($0)); next }
{ about = 0 }

/^ *\/\/\/   [^ ]/ {
  sub(/   +\[/, "   [")
  sub(/\/\/\/   /, formula ? "///" : "/// @code{.unparsed}")
  put($0)
  formula = 1
  next
}
formula { held = held " @endcode"; formula = 0 }
/\/\/\// { put(cite($0)); next }
{ put($0) }
END { print held }
