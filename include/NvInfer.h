// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Umbrella header: networks, builders and everything in NvInferRuntime.h.

#include "NvInferLegacyDims.h"
#include "NvInferRuntime.h"
#include "kiln/api/builder/builder.h"
