// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// With ACTIO_PRECOMPILED a header declares at its foot what actio::precompiled holds, in double and for the joints every
// model knows. One list for both sides: in the sources of actio::precompiled the word means `template` instead. What is long stands outside of
// its class there: in a class it is inline, which everyone compiles again.
#ifndef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE extern template  ///< before an instantiation for double: `extern template`, or `template` in actio::precompiled
#endif
