// SPDX-License-Identifier: BSD-3-Clause
#define ACTIO_ANY_CONTACTS template
#include "support/any_contacts.hpp"
