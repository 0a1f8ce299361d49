// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Umbrella header: the ONNX parser and everything in NvInfer.h.

#include "kiln/api/onnx_parser.h"
