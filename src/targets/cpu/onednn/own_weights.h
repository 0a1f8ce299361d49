// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "targets/cpu/onednn/handles.h"

namespace kiln::target {
class CopyBudget;
}

namespace kiln::targets::cpu::onednn {

/// Copies of the constant weights of a kernel in the orders that its primitives ask for. Such an
/// order depends on the processor, on shapes and on threads, and may have sums of the weights
/// behind them, so it is no part of a plan, and known only with the shapes of a context:
/// target/constant_copies.h has the copies that a plan alone decides, and the budget of both, which
/// an engine sets while it makes the kernel. Thread-safe.
class OwnWeights {
public:
    OwnWeights();

    /// The copy in this order, which `make` makes if there is none yet; null if the budget is used
    /// up.
    std::shared_ptr<Bytes const> in(const_dnnl_memory_desc_t order,
                                    std::function<Bytes()> const& make);

private:
    struct Copy {
        MemoryDesc order;
        std::shared_ptr<Bytes const> bytes;
    };

    std::shared_ptr<target::CopyBudget> budget_; ///< null: no limit
    std::mutex mutex_;
    std::vector<Copy> copies_;
};

/// int8 weights, in the plain order, times the scale of their output channel, or the only scale.
std::vector<float> widened(ByteView weights, ByteView scale, int64_t channels);

} // namespace kiln::targets::cpu::onednn
