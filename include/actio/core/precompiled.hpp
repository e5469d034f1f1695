// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Explicit instantiation. With ACTIO_PRECOMPILED a header declares at its end what actio::precompiled contains, for double and the default
// joints. The same list defines it: in the sources of actio::precompiled, ACTIO_INSTANTIATE means `template`. Such a header defines long
// functions outside of their class: inside it they would be inline, and every user would compile them again.
#ifndef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE extern template  ///< before an instantiation for double: `extern template`, or `template` in actio::precompiled
#endif
