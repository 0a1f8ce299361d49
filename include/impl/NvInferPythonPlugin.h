// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The interfaces that implement decorated Python plugins (`tensorrt.plugin`). Most programs do not
// need them.
#pragma once

#include "NvInferRuntime.h"

#include "kiln/api/quick/kernel_launch_params.h"
#include "kiln/api/quick/plugin_creator_quick.h"
#include "kiln/api/quick/plugin_quick_aot_build.h"
#include "kiln/api/quick/plugin_quick_build.h"
#include "kiln/api/quick/plugin_quick_core.h"
#include "kiln/api/quick/plugin_quick_runtime.h"
#include "kiln/api/quick/sym_expr.h"
