// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parameter structs of the detection plugins.
#pragma once

#include "NvInferRuntimeCommon.h"

#include "kiln/api/plugin_params.h"
