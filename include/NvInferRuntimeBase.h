// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Basic types used by all other headers: types, shapes, errors.
#pragma once

#include "NvInferVersion.h"

#include "kiln/api/cuda_types.h"
#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/enum_max.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/library_version.h"
#include "kiln/api/macros.h"
#include "kiln/api/versioned_interface.h"
