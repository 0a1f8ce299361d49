// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/kernel.h"
#include "plan/document.h"

namespace kiln::runtime {

/// Whether a step writes an output that users ask by value: its operands are in host memory on
/// every target, and where kernels can not read that, the host itself does the work.
bool isHostStep(plan::Document const& document, plan::StepRecord const& step);

/// Whether a plugin reads this input on the host: a shape input, unless the plugin is compiled, for
/// its kernels get what all kernels get.
bool isHostOperand(plan::Document const& document, plan::StepRecord const& step, std::size_t input);

/// Whether a tensor's elements are known on the host: values that follow from shapes, inputs that
/// are read by value (`valueInputs`, sorted numbers), constants.
bool knownOnHost(plan::TensorRecord const& tensor, std::vector<int32_t> const& valueInputs);

/// The work of such a step: a copy of integers, perhaps of another type. It is done when run()
/// returns, so in a stream capture it is done once, with the values that the shapes give then.
std::unique_ptr<backend::KernelInstance> makeHostStep(backend::OperandType const& from,
                                                      backend::OperandType const& to);

} // namespace kiln::runtime
