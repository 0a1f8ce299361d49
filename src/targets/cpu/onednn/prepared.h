// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>

#include "base/bytes.h"
#include "target/kernel.h"
#include "targets/cpu/onednn/blueprint.h"

namespace kiln::targets::cpu::onednn {

/// A primitive with its arguments, for known shapes and a number of threads.
class Prepared {
public:
    /// `workspaceBytes` is what run() gets; a primitive that needs more has its own memory.
    /// `ownWeights` take the place of the operand if they are not null.
    Prepared(Blueprint blueprint, std::size_t workspaceBytes, int32_t threads,
             std::shared_ptr<Bytes const> ownWeights = nullptr);

    int32_t threads() const noexcept { return threads_; }
    /// Needs a Team of threads() members around it. Allocates in the first call only.
    dnnl_status_t run(target::KernelCall const& call);

private:
    struct Binding {
        Memory memory;
        std::size_t operand = 0;
        bool output = false;
    };
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };

    Primitive primitive_;
    Stream stream_;
    std::vector<Binding> bindings_; ///< operands that run() binds
    std::shared_ptr<Bytes const> ownWeights_;
    Memory ownWeightsMemory_;
    Memory scratchpad_;
    std::unique_ptr<void, Free> ownScratch_;
    std::vector<dnnl_exec_arg_t> arguments_;
    int32_t threads_;
    bool hasRun_ = false;
};

/// Copies a constant into the order of `to`.
Bytes reordered(const_dnnl_memory_desc_t from, void const* data, const_dnnl_memory_desc_t to);

} // namespace kiln::targets::cpu::onednn
