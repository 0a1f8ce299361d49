// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of the kernels that run a step in other profiles than the first. Contexts then select one
// without checks.
#include <algorithm>

#include "plan/check.h"

namespace kiln::plan {
namespace {

/// Whether each profile has a kernel, the first one its own, and each kernel a profile.
bool haveProfiles(StepRecord const& step, std::size_t profiles) {
    std::vector<bool> used(step.kernelCount(), false);
    for (int32_t const number : step.profileKernels) {
        if (number < 0 || static_cast<std::size_t>(number) >= used.size()) {
            return false;
        }
        used[static_cast<std::size_t>(number)] = true;
    }
    return step.profileKernels.size() == profiles && profiles > 0 &&
           step.profileKernels.front() == 0 &&
           std::find(used.begin(), used.end(), false) == used.end();
}

/// Whether a kernel may read `other` where that of the step reads `own`.
bool mayReplace(Document const& document, TensorId own, TensorId other) {
    if (own == other) {
        return true;
    }
    if (own == kAbsent || !document.tensors.has(other)) {
        return false;
    }
    TensorRecord const& a = document.tensors[own];
    TensorRecord const& b = document.tensors[other];
    return a.role == TensorRole::kConstant && b.role == TensorRole::kConstant &&
           a.shape == b.shape && a.type.type == b.type.type && a.type.format == b.type.format;
}

bool isSound(Document const& document, StepRecord const& step, OtherKernel const& other) {
    return !other.kernel.kernel.empty() && other.kernel.op == step.kernel.op &&
           other.kernel.parameters == step.kernel.parameters &&
           std::ranges::equal(step.inputs, other.inputs, [&](TensorId own, TensorId replaced) {
               return mayReplace(document, own, replaced);
           });
}

} // namespace

void checkOtherKernels(Document const& document, StepRecord const& step, ErrorKind kind) {
    if (step.otherKernels.empty() && step.profileKernels.empty()) {
        return;
    }
    bool const onHost = std::any_of(step.outputs.begin(), step.outputs.end(), [&](TensorId output) {
        return document.tensors[output].shapeOutput;
    });
    if (!step.isKernel() || onHost || step.otherKernels.empty() ||
        !haveProfiles(step, document.profiles.size())) {
        fail(kind,
             "[plan] step '{}': expected the number of a kernel for each of {} profiles, 0 for the "
             "first one, and no kernel without a profile, got {} numbers for {} kernels. Build the "
             "plan again.",
             step.name, document.profiles.size(), step.profileKernels.size(), step.kernelCount());
    }
    for (OtherKernel const& other : step.otherKernels) {
        if (!isSound(document, step, other)) {
            fail(kind,
                 "[plan] step '{}', kernel '{}' of another profile: expected the operation and the "
                 "inputs of the step, but for the order of constants, got others. Build the plan "
                 "again.",
                 step.name, other.kernel.kernel);
        }
    }
}

} // namespace kiln::plan
