// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_NVINFERLEGACYDIMS_H
#define KILN_NVINFERLEGACYDIMS_H

#include "NvInferRuntimeBase.h"
#include "kiln/api/legacy_dims.h"

#endif // KILN_NVINFERLEGACYDIMS_H
