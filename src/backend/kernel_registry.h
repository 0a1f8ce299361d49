// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/candidate.h"
#include "backend/kernel.h"

namespace kiln::backend {

/// One kernel of a target. `refuse` answers with the reason, or empty; `load` makes it.
struct KernelEntry {
    std::string op;   ///< Op::kind()
    std::string name; ///< "softmax_reference"
    std::string (*refuse)(NodeSpec const& node) = nullptr;
    /// Why a library that it needs is not here; empty if it is. Null: it needs none.
    std::string (*lacks)() = nullptr;
    /// Seconds at the optimum shapes; null: bytes moved over a plain copy's speed.
    double (*estimate)(NodeSpec const& node) = nullptr;
    /// Machine code for each of the architectures; null for kernels that are linked in.
    Bytes (*compile)(NodeSpec const& node, std::span<std::string const> architectures) = nullptr;
    std::unique_ptr<Kernel> (*load)(KernelRecord const& record,
                                    std::span<ConstantOperand const> constants) = nullptr;
};

/// The kernels of one target by op, best first: a file of ops/ adds its fast kernels before its
/// reference.
class KernelRegistry {
public:
    void add(KernelEntry entry);
    std::vector<KernelEntry> const& forOp(std::string_view op) const;
    KernelEntry const* find(std::string_view op, std::string_view name) const;

    /// All kernels for a node. `bytesPerSecond` of a plain copy makes the estimate of those that
    /// have no cost model of their own. `architectures` must outlive the candidates.
    std::vector<Candidate> candidates(NodeSpec const& node, double bytesPerSecond,
                                      std::span<std::string const> architectures) const;
    /// Throws kCorruptData for a kernel that `target` does not have.
    std::unique_ptr<Kernel> load(std::string_view target, KernelRecord const& record,
                                 std::span<ConstantOperand const> constants) const;

private:
    std::map<std::string, std::vector<KernelEntry>, std::less<>> entries_;
};

} // namespace kiln::backend
