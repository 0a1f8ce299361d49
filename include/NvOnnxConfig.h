// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Umbrella header: settings of a program that reads ONNX files, and everything in NvInfer.h.

#include "kiln/api/onnx_config.h"
