// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Types that all plugin interfaces share.
#pragma once

#include "NvInferRuntimeBase.h"

#include "kiln/api/plugin_capability.h"
#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_resource.h"
#include "kiln/api/plugin_v3.h"
