// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_NVINFERPLUGINUTILS_H
#define KILN_NVINFERPLUGINUTILS_H

#include "NvInferRuntimeCommon.h"
#include "kiln/api/plugin_params.h"

#endif // KILN_NVINFERPLUGINUTILS_H
