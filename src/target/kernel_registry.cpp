// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/kernel_registry.h"

#include <algorithm>

namespace kiln::target {

void KernelRegistry::add(KernelEntry entry) {
    entries_[entry.op].push_back(std::move(entry));
}

std::vector<KernelEntry> const& KernelRegistry::forOp(std::string_view op) const {
    static std::vector<KernelEntry> const none;
    auto const found = entries_.find(op);
    return found == entries_.end() ? none : found->second;
}

KernelEntry const* KernelRegistry::find(std::string_view op, std::string_view name) const {
    std::vector<KernelEntry> const& entries = forOp(op);
    auto const found = std::find_if(entries.begin(), entries.end(),
                                    [&](KernelEntry const& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

std::vector<Candidate> KernelRegistry::candidates(
    NodeSpec const& node, double bytesPerSecond, std::span<std::string const> architectures) const {
    std::vector<Candidate> found;
    for (KernelEntry const& entry : forOp(node.op.kind())) {
        Candidate candidate;
        candidate.kernel = entry.name;
        candidate.refusal = entry.refuse(node);
        if (candidate.offered() && entry.lacks != nullptr) {
            candidate.refusal = entry.lacks();
            candidate.missesLibrary = !candidate.offered();
        }
        if (candidate.offered()) {
            candidate.library = entry.library == nullptr ? std::string() : entry.library();
            candidate.estimatedSeconds = entry.estimate != nullptr
                                             ? entry.estimate(node)
                                             : bytesMoved(node) / bytesPerSecond;
            if (entry.compile != nullptr) {
                candidate.compile = [compile = entry.compile, node, architectures] {
                    return compile(node, architectures);
                };
            }
        }
        found.push_back(std::move(candidate));
    }
    return found;
}

KernelEntry const& KernelRegistry::entryFor(std::string_view target,
                                            KernelRecord const& record) const {
    KernelEntry const* entry = find(record.op, record.kernel);
    if (entry == nullptr) {
        fail(ErrorKind::kCorruptData,
             "[plan] kernel '{}' of operation '{}' is unknown to this version's {} target. Build "
             "the plan again.",
             record.kernel, record.op, target);
    }
    return *entry;
}

std::unique_ptr<Kernel> KernelRegistry::load(std::string_view target, KernelRecord const& record,
                                             std::span<ConstantOperand const> constants) const {
    KernelEntry const& entry = entryFor(target, record);
    if (constants.size() != record.inputs.size()) {
        fail(ErrorKind::kInternal, "[{}] kernel '{}': expected {} constant operands, got {}.",
             target, record.kernel, record.inputs.size(), constants.size());
    }
    std::vector<uint16_t> expected(record.inputs.size(), 0);
    for (PackedOperand const& packed : packs(target, record)) {
        expected.at(packed.operand) = packed.tag;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (record.inputs[i].tag != expected[i]) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', input {}: expected elements in the order {}, got {} (0: the "
                 "public format). Build the plan again.",
                 record.kernel, i, expected[i], record.inputs[i].tag);
        }
    }
    return entry.load(record, constants);
}

std::optional<Overwriting> KernelRegistry::overwriting(std::string_view target,
                                                       NodeSpec const& node,
                                                       KernelRecord const& record,
                                                       std::size_t input) const {
    KernelEntry const& entry = entryFor(target, record);
    return entry.overwriting == nullptr ? std::nullopt : entry.overwriting(node, record, input);
}

std::vector<PackedOperand> KernelRegistry::packs(std::string_view target,
                                                 KernelRecord const& record) const {
    KernelEntry const& entry = entryFor(target, record);
    return entry.packs == nullptr ? std::vector<PackedOperand>() : entry.packs(record);
}

Bytes KernelRegistry::pack(std::string_view target, KernelRecord const& record, std::size_t operand,
                           ConstantOperand const& original) const {
    KernelEntry const& entry = entryFor(target, record);
    if (entry.pack == nullptr) {
        fail(ErrorKind::kInternal, "[{}] kernel '{}' packs no constants.", target, record.kernel);
    }
    return entry.pack(record, operand, original);
}

} // namespace kiln::target
