// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_NVINFERRUNTIMECOMMON_H
#define KILN_NVINFERRUNTIMECOMMON_H

#include "NvInferRuntimePlugin.h"
#include "kiln/api/plugin_registry.h"

#endif // KILN_NVINFERRUNTIMECOMMON_H
