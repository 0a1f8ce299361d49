// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/candidate.h"
#include "backend/kernel.h"

namespace kiln::backends::cpu {

/// One kernel of the cpu target. `refuse` answers with the reason, or empty; `load` makes it.
struct KernelEntry {
    std::string op;   ///< Op::kind()
    std::string name; ///< "softmax_reference"
    std::string (*refuse)(backend::NodeSpec const& node) = nullptr;
    /// Seconds at the optimum shapes; null: bytes moved over a plain copy's speed.
    double (*estimate)(backend::NodeSpec const& node) = nullptr;
    std::unique_ptr<backend::Kernel> (*load)(backend::KernelRecord const& record,
                                             std::span<backend::ConstantOperand const> constants) =
        nullptr;
};

/// Kernels by op, best first: a file of ops/ adds its fast kernels before its reference.
class KernelRegistry {
public:
    static KernelRegistry const& instance();

    void add(KernelEntry entry);
    std::vector<KernelEntry> const& forOp(std::string_view op) const;
    KernelEntry const* find(std::string_view op, std::string_view name) const;

private:
    std::map<std::string, std::vector<KernelEntry>, std::less<>> entries_;
};

} // namespace kiln::backends::cpu
