// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Umbrella header: the ONNX parser and all that NvInfer.h offers.

#include "kiln/api/onnx_parser.h"
