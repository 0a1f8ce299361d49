// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/op.h"
#include "target/kernel.h"

namespace kiln::target {

/// Type and extents of an operand of a host operation.
struct HostOperand {
    OperandType type;
    Dims dims{};
};

/// One operation on host memory, run by a kernel of the target cpu that needs no constants of its
/// own. What is computed from weights is computed with it, on every target: the same elements give
/// the same bits whenever they are computed on one machine.
class HostOperation {
public:
    /// Null if the target cpu has no kernel for the operation. Throws kInvalidArgument for extents
    /// that do not fit each other.
    static std::unique_ptr<HostOperation> find(graph::Op const& op, std::string_view layer,
                                               std::span<HostOperand const> inputs,
                                               std::span<HostOperand const> outputs);

    /// The outputs; nullopt if the operation refuses these elements, such as an index outside of
    /// its axis.
    std::optional<std::vector<Bytes>> run(std::span<ByteView const> inputs);

private:
    HostOperation(std::unique_ptr<Kernel> kernel, std::span<HostOperand const> inputs,
                  std::span<HostOperand const> outputs, std::string_view layer);

    std::unique_ptr<Kernel> kernel_;
    std::unique_ptr<KernelInstance> instance_;
    std::vector<std::size_t> outputBytes_;
    std::size_t workspaceBytes_ = 0;
};

} // namespace kiln::target
