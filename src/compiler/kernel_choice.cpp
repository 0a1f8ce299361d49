// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/kernel_choice.h"

#include <algorithm>

#include "base/hash.h"
#include "compiler/timing.h"
#include "compiler/timing_cache.h"

namespace kiln::compiler {
namespace {

// Candidates whose estimate is above this multiple of the best estimate are not measured.
constexpr double kWorthMeasuring = 3.0;

// Candidates come best first: what is as fast as an earlier one, or seems faster by noise, is worse
// in another way, for example less accurate.
constexpr double kClearlyFaster = 0.9;

std::string keyOf(graph::Op const& op, std::span<target::OperandSpec const> inputs,
                  std::span<target::OperandSpec const> outputs) {
    ByteWriter writer;
    op.save(writer);
    Bytes const parameters = writer.take();
    std::string key(op.kind());
    key.append(reinterpret_cast<char const*>(parameters.data()), parameters.size());
    appendOperands(key, inputs);
    appendOperands(key, outputs);
    return key;
}

std::vector<target::OperandType> typesOf(std::span<target::OperandSpec const> operands) {
    std::vector<target::OperandType> types;
    for (target::OperandSpec const& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

std::vector<target::ConstantOperand> constantsOf(std::span<target::OperandSpec const> operands,
                                                 bool readsHostMemory) {
    std::vector<target::ConstantOperand> constants;
    for (target::OperandSpec const& operand : operands) {
        constants.push_back(constantOf(operand, readsHostMemory));
    }
    return constants;
}

target::KernelRecord recordOf(target::NodeSpec const& node, std::string const& kernel) {
    ByteWriter writer;
    node.op.save(writer);
    return {kernel, std::string(node.op.kind()), writer.take(),
            {},     typesOf(node.inputs),        typesOf(node.outputs)};
}

} // namespace

target::ConstantOperand constantOf(target::OperandSpec const& operand, bool readsHostMemory) {
    if (!operand.constant) {
        return {};
    }
    return {operand.data.data(), readsHostMemory ? operand.data.data() : nullptr,
            operand.data.size(), operand.opt};
}

void appendOperands(std::string& key, std::span<target::OperandSpec const> operands) {
    for (target::OperandSpec const& operand : operands) {
        key += fmt::format("|{}:{}:{}{}{}{}", static_cast<int32_t>(operand.type.type),
                           static_cast<int32_t>(operand.type.format), toText(operand.min),
                           toText(operand.opt), toText(operand.max), operand.constant ? "c" : "");
    }
}

KernelChoice const& KernelChooser::choose(graph::Op const& op, std::string_view layer,
                                          std::span<target::OperandSpec const> inputs,
                                          std::span<target::OperandSpec const> outputs,
                                          Timing timing) {
    std::string const key = keyOf(op, inputs, outputs);
    auto const found = known_.find(key);
    if (found != known_.end()) {
        return found->second;
    }
    return known_.emplace(key, decide({op, layer, inputs, outputs}, key, timing)).first->second;
}

void KernelChooser::measure(target::NodeSpec const& node, KernelChoice& choice, bool time) const {
    bool const readsHostMemory = program_.backend.readsHostMemory();
    std::vector<target::OperandSpec> inputs(node.inputs.begin(), node.inputs.end());
    std::vector<Bytes> packed; // what some elements of `inputs` point to
    for (target::PackedOperand const& own : program_.backend.packs(choice.record)) {
        target::OperandSpec& operand = inputs.at(own.operand);
        packed.push_back(program_.backend.pack(choice.record, own.operand,
                                               constantOf(operand, readsHostMemory)));
        choice.packedBytes.push_back(packed.back().size());
        operand.data = packed.back();
        operand.type.tag = own.tag;
        choice.record.inputs.at(own.operand).tag = own.tag;
    }
    std::unique_ptr<target::Kernel> const kernel =
        program_.backend.load(choice.record, constantsOf(inputs, readsHostMemory));
    std::unique_ptr<target::KernelInstance> const instance = kernel->instantiate();
    choice.workspaceBytes =
        instance->workspaceBytes(dimsOf(node.inputs, &target::OperandSpec::max),
                                 dimsOf(node.outputs, &target::OperandSpec::max));
    if (choice.workspaceBytes > program_.options.workspaceLimit) {
        fail(ErrorKind::kUnsupported, "needs {} bytes of workspace, the limit is {}",
             choice.workspaceBytes, program_.options.workspaceLimit);
    }
    if (time) {
        choice.seconds =
            timeInstance(program_, *instance, inputs, node.outputs, choice.workspaceBytes);
    }
}

uint64_t KernelChooser::hashOf(std::string const& kernel) {
    return hashBytes({reinterpret_cast<std::byte const*>(kernel.data()), kernel.size()});
}

KernelChoice KernelChooser::decide(target::NodeSpec const& node, std::string const& key,
                                   Timing timing) {
    std::vector<target::Candidate> const candidates = program_.backend.candidates(node);
    KernelChoice best;
    std::vector<std::string> reasons;
    double least = 0.0;
    for (target::Candidate const& candidate : candidates) {
        if (candidate.offered() && (least == 0.0 || candidate.estimatedSeconds < least)) {
            least = candidate.estimatedSeconds;
        }
    }
    auto const worthwhile = std::count_if(
        candidates.begin(), candidates.end(), [&](target::Candidate const& candidate) {
            return candidate.offered() && candidate.estimatedSeconds <= kWorthMeasuring * least;
        });
    bool const timed = program_.device != nullptr && (timing == Timing::kAll || worthwhile > 1);
    std::string const codeKey = program_.device != nullptr ? program_.backend.codeKey() : "";
    // What is not timed has an estimate in the cache, and another key for it.
    TimingCache* const cache = timed || !codeKey.empty() ? program_.options.timingCache : nullptr;
    // The key lists the offered candidates: with other candidates, another kernel may be faster.
    std::string cacheKey = fmt::format("{}|{}|{}|{}", timed ? "kernel" : "code", codeKey,
                                       program_.backend.timingFacts(), key);
    for (target::Candidate const& candidate : candidates) {
        if (candidate.offered()) {
            cacheKey += fmt::format("|{} {}", candidate.kernel, candidate.library);
        }
    }
    std::optional<TimingCache::Entry> const known =
        cache == nullptr ? std::nullopt : cache->find(cacheKey);
    if (timed && !known.has_value()) {
        failOnMiss(program_, node.layer);
    }
    auto const refuse = [&](std::string const& kernel, std::string const& why) {
        reasons.push_back(fmt::format("{}: {}", kernel, why));
        program_.options.log.verbose("[select] layer '{}': {}/{} refused: {}", node.layer,
                                     program_.backend.name(), kernel, why);
    };
    auto const take = [&](target::Candidate const& candidate) {
        KernelChoice choice;
        bool const cached = known.has_value() && known->tactic == hashOf(candidate.kernel);
        choice.seconds = cached ? known->milliseconds / 1e3 : candidate.estimatedSeconds;
        choice.record = recordOf(node, candidate.kernel);
        try {
            if (cached && !known->code.empty()) {
                choice.record.code = known->code;
            } else if (candidate.compile) {
                choice.record.code = candidate.compile();
            }
            measure(node, choice, timed && !known.has_value());
        } catch (Error const& error) {
            if (error.kind() == ErrorKind::kOutOfMemory && program_.options.memory != nullptr) {
                throw; // the user's allocator refused: not a property of the kernel
            }
            refuse(candidate.kernel, error.what());
            return;
        }
        program_.options.log.verbose("[select] layer '{}': {}/{} takes {:.2f} us", node.layer,
                                     program_.backend.name(), candidate.kernel,
                                     choice.seconds * 1e6);
        if (!best.found || choice.seconds < kClearlyFaster * best.seconds) {
            choice.found = true;
            best = std::move(choice);
        }
    };
    std::vector<target::Candidate const*> passedOver; // tried if no other candidate works
    for (target::Candidate const& candidate : candidates) {
        if (!candidate.offered()) {
            refuse(candidate.kernel, candidate.refusal);
            if (candidate.missesLibrary && told_.insert(candidate.refusal).second) {
                program_.options.log.warning("[select] layer '{}': {}. It takes a slower kernel.",
                                             node.layer, candidate.refusal);
            }
        } else if (candidate.estimatedSeconds > kWorthMeasuring * least) {
            refuse(candidate.kernel, "estimated to be far slower than the best candidate");
            passedOver.push_back(&candidate);
        } else if (known.has_value() && known->tactic != hashOf(candidate.kernel)) {
            refuse(candidate.kernel, "the timing cache knows a faster one");
            passedOver.push_back(&candidate);
        } else {
            take(candidate);
        }
    }
    for (std::size_t i = 0; i < passedOver.size() && !best.found; ++i) {
        take(*passedOver[i]);
    }
    if (cache != nullptr && !known.has_value() && best.found) {
        cache->store(cacheKey, {hashOf(best.record.kernel), static_cast<float>(best.seconds * 1e3),
                                codeKey.empty() ? Bytes{} : best.record.code});
    }
    best.reasons = std::move(reasons);
    return best;
}

} // namespace kiln::compiler
