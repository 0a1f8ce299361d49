// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_NVINFERPLUGIN_H
#define KILN_NVINFERPLUGIN_H

#include "NvInferPluginUtils.h"
#include "NvInferRuntime.h"
#include "kiln/api/plugin_library.h"

#endif // KILN_NVINFERPLUGIN_H
