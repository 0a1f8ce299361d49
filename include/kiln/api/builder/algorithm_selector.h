// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvinfer1 {

namespace v_1_0 {

//! User-supplied choice among candidate algorithms. Declared by name only.
class IAlgorithmSelector;

} // namespace v_1_0

using IAlgorithmSelector = v_1_0::IAlgorithmSelector;

} // namespace nvinfer1
