// SPDX-License-Identifier: BSD-3-Clause
// The main program of the tests. It is compiled here because the one that Debian has is compiled with libstdc++ and does not link with
// libc++.
#define CATCH_CONFIG_RUNNER  // version 2 is a header only: this file gets its definitions
#include "support/catch.hpp"

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
