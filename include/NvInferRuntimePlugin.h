// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The IPluginV2 interfaces for fixed shapes, and their creator.
#pragma once

#include "NvInferPluginBase.h"

#include "kiln/api/plugin_creator.h"
#include "kiln/api/plugin_tensor_desc.h"
#include "kiln/api/plugin_v2.h"
#include "kiln/api/plugin_v2_ext.h"
#include "kiln/api/plugin_v2_io_ext.h"
#include "kiln/api/plugin_versions.h"
#include "kiln/api/tensor_format.h"
