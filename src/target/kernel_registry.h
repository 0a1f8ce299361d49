// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/candidate.h"
#include "target/kernel.h"

namespace kiln::target {

/// One kernel of a target. `refuse` returns the reason for a refusal, or empty; `load` creates it.
struct KernelEntry {
    std::string op;   ///< Op::kind()
    std::string name; ///< "softmax_reference"
    std::string (*refuse)(NodeSpec const& node) = nullptr;
    /// Why a library that the kernel needs is missing; empty if it is present. Null: it needs none.
    std::string (*lacks)() = nullptr;
    /// Name and version of that library, once it is present: timings depend on it. Null: none.
    std::string (*library)() = nullptr;
    /// Seconds at the optimum shapes; null: bytes moved divided by the bandwidth of a plain copy.
    double (*estimate)(NodeSpec const& node) = nullptr;
    /// Compiles machine code for each architecture; null for kernels that are linked in.
    Bytes (*compile)(NodeSpec const& node, std::span<std::string const> architectures) = nullptr;
    std::unique_ptr<Kernel> (*load)(KernelRecord const& record,
                                    std::span<ConstantOperand const> constants) = nullptr;
    /// See Backend::overwriting(); null: never.
    std::optional<Overwriting> (*overwriting)(NodeSpec const& node, KernelRecord const& record,
                                              std::size_t input) = nullptr;
    /// Whether operands that are not constant may have layouts of the target's own. refuse() and
    /// the kernel check which.
    bool ownLayouts = false;
    /// See Backend::ownForms(); null: none.
    std::vector<Form> (*ownForms)(NodeSpec const& node) = nullptr;
    /// Which constants load() expects packed; null: none. The record has its code from compile(),
    /// and its operands may have their tags already. Throws kCorruptData for invalid code.
    std::vector<PackedOperand> (*packs)(KernelRecord const& record) = nullptr;
    /// The packed bytes of one of these operands. A pure function of record and constant, so that
    /// new weights can be packed later for a plan that exists.
    Bytes (*pack)(KernelRecord const& record, std::size_t operand,
                  ConstantOperand const& original) = nullptr;
};

/// The kernels of one target by op, best first: each file of ops/ adds its fast kernels before its
/// reference.
class KernelRegistry {
public:
    void add(KernelEntry entry);
    std::vector<KernelEntry> const& forOp(std::string_view op) const;
    KernelEntry const* find(std::string_view op, std::string_view name) const;

    /// All kernels for a node. `bytesPerSecond` of a plain copy gives the estimate for kernels
    /// without a cost model. `architectures` must outlive the candidates.
    std::vector<Candidate> candidates(NodeSpec const& node, double bytesPerSecond,
                                      std::span<std::string const> architectures) const;
    /// Those of all kernels, each once.
    std::vector<Form> ownForms(NodeSpec const& node) const;
    /// Throws kCorruptData for a kernel that `target` does not have, and for operands with
    /// other tags than the kernel packs or takes.
    std::unique_ptr<Kernel> load(std::string_view target, KernelRecord const& record,
                                 std::span<ConstantOperand const> constants) const;
    std::optional<Overwriting> overwriting(std::string_view target, NodeSpec const& node,
                                           KernelRecord const& record, std::size_t input) const;
    /// See Backend::packs() and Backend::pack().
    std::vector<PackedOperand> packs(std::string_view target, KernelRecord const& record) const;
    Bytes pack(std::string_view target, KernelRecord const& record, std::size_t operand,
               ConstantOperand const& original) const;

private:
    KernelEntry const& entryFor(std::string_view target, KernelRecord const& record) const;

    std::map<std::string, std::vector<KernelEntry>, std::less<>> entries_;
};

} // namespace kiln::target
