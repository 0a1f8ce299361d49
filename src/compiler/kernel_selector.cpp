// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernel_selector.h"

namespace kiln::compiler {

std::size_t selectKernel(KernelSelector& selector, KernelSelector::Question const& question) {
    std::vector<std::size_t> allowed = selector.select(question);
    for (std::size_t i = 0; allowed.empty() && i < question.kernels.size(); ++i) {
        allowed.push_back(i);
    }
    std::size_t best = allowed.front();
    for (std::size_t const kernel : allowed) {
        if (question.kernels[kernel].seconds < question.kernels[best].seconds) {
            best = kernel;
        }
    }
    selector.taken(best);
    return best;
}

} // namespace kiln::compiler
