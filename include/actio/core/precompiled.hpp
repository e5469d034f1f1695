// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// With ACTIO_PRECOMPILED a header declares at its foot what actio::precompiled holds, in double and for the joints every
// model knows. One list for both sides: in the sources of actio::precompiled the word means `template` instead.
#ifndef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE extern template
#endif
