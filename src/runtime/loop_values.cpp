// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop_values.h"

#include <algorithm>

namespace kiln::runtime {

LoopValues::~LoopValues() {
    if (areExchanged_) {
        exchange();
    }
}

bool LoopValues::isExchanged(std::size_t output) const {
    std::vector<plan::TensorId> const& results = loop_.control->bodies[0].outputs;
    auto const carried = results.begin() + loop_.control->carried;
    plan::TensorId const next = results[output];
    plan::TensorRecord const& from = document_.tensors[next];
    plan::TensorRecord const& to = document_.tensors[loop_.outputs[output]];
    return from.role == plan::TensorRole::kInternal && from.sharesWith.isNone() &&
           to.sharesWith.isNone() && from.shape == to.shape &&
           std::count(results.begin(), carried, next) == 1 &&
           std::count(loop_.outputs.begin(), loop_.outputs.end(), next) == 0;
}

void LoopValues::exchange() {
    areExchanged_ = !areExchanged_;
    for (std::size_t i = 0; i < static_cast<std::size_t>(loop_.control->carried); ++i) {
        if (isExchanged(i)) {
            plan::TensorId const next = loop_.control->bodies[0].outputs[i];
            void* const memory = bindings_.address(next);
            bindings_.set(next, bindings_.address(loop_.outputs[i]));
            bindings_.set(loop_.outputs[i], memory);
        }
    }
}

} // namespace kiln::runtime
