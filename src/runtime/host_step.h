// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "plan/document.h"
#include "target/kernel.h"

namespace kiln::runtime {

/// Whether a step writes a shape output. Its operands are in host memory on every target; if
/// kernels cannot read host memory, the host does the work.
bool isHostStep(plan::Document const& document, plan::StepRecord const& step);

/// Whether a plugin reads this input on the host: a shape input, unless the plugin is compiled
/// ahead of time, because its kernels read device memory.
bool isHostOperand(plan::Document const& document, plan::StepRecord const& step, std::size_t input);

/// Whether a tensor's elements are known on the host: values computed from shapes, inputs whose
/// values are read (`valueInputs`, sorted numbers), constants.
bool knownOnHost(plan::TensorRecord const& tensor, std::vector<int32_t> const& valueInputs);

/// Creates such a step: a copy of integers, converted if the types differ. It is done when run()
/// returns, so a stream capture does it once, with the values at that time.
std::unique_ptr<target::KernelInstance> makeHostStep(target::OperandType const& from,
                                                     target::OperandType const& to);

} // namespace kiln::runtime
