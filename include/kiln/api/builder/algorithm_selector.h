// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nvinfer1 {

namespace v_1_0 {
class IAlgorithmSelector;
}
using IAlgorithmSelector = v_1_0::IAlgorithmSelector;

} // namespace nvinfer1
