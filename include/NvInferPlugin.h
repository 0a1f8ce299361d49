// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the plugin library.
#pragma once

#include "NvInfer.h"
#include "NvInferPluginUtils.h"

#include "kiln/api/plugin_library.h"
