// SPDX-License-Identifier: BSD-3-Clause
#include <actio/actio.hpp>
int main() {}
