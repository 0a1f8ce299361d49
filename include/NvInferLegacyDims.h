// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes with a fixed number of dimensions.
#pragma once

#include "NvInferRuntimeBase.h"

#include "kiln/api/legacy_dims.h"
