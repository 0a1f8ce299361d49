// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/kernel_registry.h"

#include <algorithm>

namespace kiln::target {
namespace {

bool hasOwnLayout(NodeSpec const& node) {
    auto const isOwn = [](OperandSpec const& operand) { return operand.type.tag != 0; };
    return std::any_of(node.inputs.begin(), node.inputs.end(), isOwn) ||
           std::any_of(node.outputs.begin(), node.outputs.end(), isOwn);
}

/// Throws kCorruptData for operands with other tags than the kernel packs or takes.
void checkTags(KernelEntry const& entry, KernelRecord const& record,
               std::span<PackedOperand const> packed, std::span<ConstantOperand const> constants) {
    std::vector<uint16_t> expected(record.inputs.size(), 0);
    for (PackedOperand const& own : packed) {
        if (own.operand >= expected.size()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}': expected {} inputs or more, got {}. Build the plan again.",
                 record.kernel, own.operand + 1, expected.size());
        }
        expected[own.operand] = own.tag;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        bool const constant = constants[i].host != nullptr || constants[i].device != nullptr;
        bool const free = entry.ownLayouts && !constant && expected[i] == 0;
        if (record.inputs[i].tag != expected[i] && !free) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', input {}: expected elements in the order {}, got {} (0: the "
                 "public format). Build the plan again.",
                 record.kernel, i, expected[i], record.inputs[i].tag);
        }
    }
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
        if (record.outputs[i].tag != 0 && !entry.ownLayouts) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', output {}: expected elements in the public format, got order "
                 "{}. Build the plan again.",
                 record.kernel, i, record.outputs[i].tag);
        }
    }
}

} // namespace

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
        candidate.refusal = entry.ownLayouts || !hasOwnLayout(node)
                                ? entry.refuse(node)
                                : "expected operands in public formats, got a layout of the "
                                  "target's own";
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

std::vector<Form> KernelRegistry::ownForms(NodeSpec const& node) const {
    std::vector<Form> forms;
    for (KernelEntry const& entry : forOp(node.op.kind())) {
        for (Form& form : entry.ownForms == nullptr ? std::vector<Form>() : entry.ownForms(node)) {
            if (std::find(forms.begin(), forms.end(), form) == forms.end()) {
                forms.push_back(std::move(form));
            }
        }
    }
    return forms;
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
    checkTags(entry, record, packs(target, record), constants);
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
