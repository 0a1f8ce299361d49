// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/kernel_choice.h"
#include "target/candidate.h"

namespace kiln::compiler {

/// Restricts the kernels that steps may have: IAlgorithmSelector. The types and formats of a step
/// are settled before.
class KernelSelector {
public:
    struct Question {
        std::string_view layer;
        std::span<target::OperandSpec const> inputs;
        std::span<target::OperandSpec const> outputs;
        std::span<KernelChoice const> kernels; ///< that work, each with its time
    };

    virtual ~KernelSelector() = default;
    /// The numbers of the kernels that the step may have, the fastest of which is taken; none: any.
    virtual std::vector<std::size_t> select(Question const& question) = 0;
    /// What the last question led to.
    virtual void taken(std::size_t kernel) = 0;
};

/// The number of the kernel that a selector leaves for a step.
std::size_t selectKernel(KernelSelector& selector, KernelSelector::Question const& question);

} // namespace kiln::compiler
