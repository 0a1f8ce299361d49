// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin registry.
#pragma once

#include "NvInferRuntimePlugin.h"

#include "kiln/api/plugin_registry.h"
