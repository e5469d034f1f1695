# SPDX-License-Identifier: BSD-3-Clause
# The version stands in include/actio/version.hpp; what cannot read it there must agree with it.
function(expect place found)
  if(NOT found STREQUAL VERSION)
    message(SEND_ERROR "${place} says version ${found}, include/actio/version.hpp ${VERSION}")
  endif()
endfunction()

file(STRINGS "${SOURCE}/CHANGELOG.md" newest REGEX "^## " LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" newest "${newest}")
expect(CHANGELOG.md "${newest}")

file(READ "${SOURCE}/cmake/packaging/vcpkg/ports/actio/vcpkg.json" manifest)
string(JSON in_port GET "${manifest}" version)
expect(vcpkg.json "${in_port}")
