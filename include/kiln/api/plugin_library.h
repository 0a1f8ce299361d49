// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_PLUGIN_LIBRARY_H
#define KILN_API_PLUGIN_LIBRARY_H

#include "kiln/api/macros.h"

#pragma GCC visibility push(default)

extern "C" TENSORRTAPI bool initLibNvInferPlugins(void* logger, char const* libNamespace);

#pragma GCC visibility pop

#endif // KILN_API_PLUGIN_LIBRARY_H
