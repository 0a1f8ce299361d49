// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// KernelRecord::code: the name of the anchor's kernel, its code with its length, the chain's code.
#include "targets/cuda/anchor/parts_kernel.h"

#include <algorithm>

#include "graph/ops/convolution.h"
#include "targets/cuda/anchor/anchored_region.h"
#include "targets/cuda/chain/chain_kernel.h"
#include "targets/cuda/kernels.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using target::KernelRecord;
using target::OperandSpec;

Bytes parametersOf(graph::Op const& op) {
    ByteWriter writer;
    op.save(writer);
    return writer.take();
}

std::string_view textOf(Bytes const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// The anchor of a region and the chain behind it, as nodes of their own. The anchor's value has
/// type, format and extents of the result.
class PartSpecs {
public:
    explicit PartSpecs(NodeSpec const& node)
        : region(static_cast<Region const&>(node.op)), chain_(behindAnchor(region)),
          anchorInputs_(anchorOperands(region, node.inputs)),
          chainInputs_(node.inputs.begin(), node.inputs.end()),
          anchor{*region.nodes().front().op, node.layer, anchorInputs_, node.outputs},
          chain{*chain_, node.layer, chainInputs_, node.outputs} {
        chainInputs_.push_back(node.outputs[0]);
        chainInputs_.back().constant = false;
        chain.inputs = chainInputs_;
        forgetUnused();
    }
    PartSpecs(PartSpecs const&) = delete;
    PartSpecs& operator=(PartSpecs const&) = delete;

    Region const& chainRegion() const { return *chain_; }

    Region const& region;

private:
    std::unique_ptr<Region> chain_;
    std::vector<OperandSpec> anchorInputs_;
    std::vector<OperandSpec> chainInputs_;

    /// Operands of the anchor alone do not restrict the chain: their format becomes the result's.
    void forgetUnused() {
        for (std::size_t i = 0; i < chainInputs_.size(); ++i) {
            if (chain_->readersOf(static_cast<int32_t>(i)) == 0) {
                chainInputs_[i] = chainInputs_.back();
            }
        }
    }

public:
    NodeSpec anchor;
    NodeSpec chain;
};

std::string refuse(NodeSpec const& node) {
    auto const& region = static_cast<Region const&>(node.op);
    std::string reason = refuseUnlessAnchored(region);
    reason = reason.empty() ? refuseUnlessUniform(region, node) : reason;
    if (!reason.empty()) {
        return reason;
    }
    PartSpecs const parts(node);
    reason = refuseMixedOrders(parts.chain);
    reason = reason.empty() ? refuseChain(parts.chainRegion(), parts.chain) : reason;
    if (!reason.empty()) {
        return reason;
    }
    for (target::Candidate const& candidate :
         kernels().candidates(parts.anchor, kBytesPerSecond, {})) {
        if (candidate.offered()) {
            return {};
        }
        reason = fmt::format("{}: {}", candidate.kernel, candidate.refusal);
    }
    return reason.empty() ? "no kernel for the first operation" : reason;
}

KernelRecord recordOf(NodeSpec const& node, std::string const& kernel) {
    KernelRecord record{kernel, std::string(node.op.kind()), parametersOf(node.op), {}, {}, {}};
    for (OperandSpec const& input : node.inputs) {
        record.inputs.push_back(input.type);
    }
    for (OperandSpec const& output : node.outputs) {
        record.outputs.push_back(output.type);
    }
    return record;
}

/// Loads the kernel as an engine will, at the optimum shapes; throws what goes wrong.
void tryOut(NodeSpec const& node, KernelRecord record) {
    std::vector<ConstantOperand> constants(node.inputs.size());
    std::vector<Dims> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        OperandSpec const& input = node.inputs[i];
        if (input.constant) {
            constants[i] = {input.data.data(), nullptr, input.data.size(), input.opt};
        }
        inputs.push_back(input.opt);
    }
    std::vector<Bytes> packed; // what some elements of `constants` point to
    for (target::PackedOperand const& own : kernels().packs("cuda", record)) {
        ConstantOperand& constant = constants.at(own.operand);
        packed.push_back(kernels().pack("cuda", record, own.operand, constant));
        constant.host = packed.back().data();
        constant.bytes = packed.back().size();
        record.inputs.at(own.operand).tag = own.tag;
    }
    auto const kernel = kernels().load("cuda", record, constants);
    kernel->instantiate()->reshape(inputs, std::span(&node.outputs[0].opt, 1));
}

/// The record of the anchor's best kernel that works here.
KernelRecord anchorRecord(NodeSpec const& node, std::span<std::string const> architectures) {
    std::string reason = "there is none";
    for (target::Candidate const& candidate :
         kernels().candidates(node, kBytesPerSecond, architectures)) {
        if (!candidate.offered()) {
            reason = candidate.refusal;
            continue;
        }
        try {
            KernelRecord record = recordOf(node, candidate.kernel);
            if (candidate.compile) {
                record.code = candidate.compile();
            }
            if (deviceRuns(architectures)) {
                tryOut(node, record);
            }
            return record;
        } catch (Error const& error) {
            if (error.kind() == ErrorKind::kOutOfMemory) {
                throw;
            }
            reason = error.what();
        }
    }
    fail(ErrorKind::kUnsupported, "expected a kernel for {}, got none: {}", node.op.kind(), reason);
}

Bytes compile(NodeSpec const& node, std::span<std::string const> architectures) {
    PartSpecs const parts(node);
    KernelRecord const anchor = anchorRecord(parts.anchor, architectures);
    for (target::PackedOperand const& own : kernels().packs("cuda", anchor)) {
        if (parts.chainRegion().readersOf(parts.region.nodes().front().inputs[own.operand]) > 0) {
            fail(ErrorKind::kUnsupported, "a constant that is packed has other readers");
        }
    }
    ByteWriter writer;
    writer.putText(anchor.kernel);
    writer.putText(textOf(anchor.code));
    Bytes code = writer.take();
    Bytes const chain = compileFor(chainSource(parts.chainRegion(), parts.chain), architectures);
    code.insert(code.end(), chain.begin(), chain.end());
    return code;
}

/// The record of the anchor in that of the region; `rest` becomes the code of the chain.
KernelRecord anchorIn(KernelRecord const& record, Region const& region, ByteView& rest) {
    if (std::string const problem = refuseUnlessAnchored(region); !problem.empty()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
             record.kernel, problem);
    }
    ByteReader reader(record.code, "code of a region");
    std::string const name = reader.getText();
    ByteView const code = reader.take(reader.get<uint32_t>());
    rest = ByteView(record.code).subspan(2 * sizeof(uint32_t) + name.size() + code.size());
    graph::Op const& first = *region.nodes().front().op;
    return {name,
            std::string(first.kind()),
            parametersOf(first),
            {code.begin(), code.end()},
            anchorOperands(region, std::span<OperandType const>(record.inputs)),
            record.outputs};
}

std::unique_ptr<graph::Op> opOf(KernelRecord const& record) {
    return graph::OpRegistry::instance().load(Region::kKind, record.parameters);
}

/// The constants that the anchor packs, by their numbers as operands of the region.
std::vector<target::PackedOperand> packs(KernelRecord const& record) {
    auto const op = opOf(record);
    auto const& region = static_cast<Region const&>(*op);
    ByteView rest;
    std::vector<target::PackedOperand> all =
        kernels().packs("cuda", anchorIn(record, region, rest));
    for (target::PackedOperand& own : all) {
        own.operand = static_cast<std::size_t>(region.nodes().front().inputs.at(own.operand));
    }
    return all;
}

Bytes pack(KernelRecord const& record, std::size_t operand, ConstantOperand const& original) {
    auto const op = opOf(record);
    auto const& region = static_cast<Region const&>(*op);
    std::vector<int32_t> const& inputs = region.nodes().front().inputs;
    auto const at = std::find(inputs.begin(), inputs.end(), static_cast<int32_t>(operand));
    ByteView rest;
    return kernels().pack("cuda", anchorIn(record, region, rest),
                          static_cast<std::size_t>(at - inputs.begin()), original);
}

class PartsInstance final : public target::KernelInstance {
public:
    PartsInstance(Region const& region, target::Kernel const& anchor, target::Kernel const& chain)
        : region_(region), anchor_(anchor.instantiate()), chain_(chain.instantiate()) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        anchor_->reshape(anchorOperands(region_, inputs), outputs);
        std::vector<Dims> all(inputs.begin(), inputs.end());
        all.push_back(outputs[0]);
        chain_->reshape(all, outputs);
        anchorLaunch_ = anchor_->launch();
        chainLaunch_ = chain_->launch();
        anchorPointers_.assign(region_.nodes().front().inputs.size(), nullptr);
        chainPointers_.assign(all.size(), nullptr);
    }

    target::Launch launch() override { return {&run, this}; }

    std::size_t workspaceBytes(std::span<Dims const> inputs,
                               std::span<Dims const> outputs) const override {
        return anchor_->workspaceBytes(anchorOperands(region_, inputs), outputs);
    }

    bool faulted() const noexcept override { return anchor_->faulted(); }
    std::string failureText() const override {
        return anchorFailed_ ? anchor_->failureText() : chain_->failureText();
    }

private:
    static int32_t run(void* state, KernelCall const& call, target::StreamHandle stream) noexcept {
        auto& self = *static_cast<PartsInstance*>(state);
        std::vector<int32_t> const& operands = self.region_.nodes().front().inputs;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            self.anchorPointers_[i] = call.inputs[operands[i]];
        }
        std::copy_n(call.inputs, self.chainPointers_.size() - 1, self.chainPointers_.begin());
        self.chainPointers_.back() = call.outputs[0];
        self.anchorFailed_ =
            self.anchorLaunch_.run(self.anchorLaunch_.state,
                                   {self.anchorPointers_.data(), call.outputs, call.workspace},
                                   stream) != 0;
        return self.anchorFailed_
                   ? 1
                   : self.chainLaunch_.run(self.chainLaunch_.state,
                                           {self.chainPointers_.data(), call.outputs, nullptr},
                                           stream);
    }

    Region const& region_;
    std::unique_ptr<target::KernelInstance> anchor_;
    std::unique_ptr<target::KernelInstance> chain_;
    target::Launch anchorLaunch_;
    target::Launch chainLaunch_;
    std::vector<void const*> anchorPointers_;
    std::vector<void const*> chainPointers_;
    bool anchorFailed_ = true;
};

class PartsKernel final : public target::Kernel {
public:
    PartsKernel(KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(opOf(record)) {
        ByteView rest;
        KernelRecord const anchor = anchorIn(record, region(), rest);
        anchor_ = kernels().load("cuda", anchor, anchorOperands(region(), constants));
        KernelRecord chain{"region_chain",
                           std::string(Region::kKind),
                           parametersOf(*behindAnchor(region())),
                           {rest.begin(), rest.end()},
                           record.inputs,
                           record.outputs};
        chain.inputs.push_back(record.outputs.at(0));
        for (int32_t i = 0; i < region().inputCount(); ++i) { // those of the anchor alone
            bool const read =
                std::any_of(region().nodes().begin() + 1, region().nodes().end(),
                            [&](Region::Node const& node) {
                                return std::find(node.inputs.begin(), node.inputs.end(), i) !=
                                       node.inputs.end();
                            });
            if (!read) {
                chain.inputs.at(static_cast<std::size_t>(i)) = record.outputs.at(0);
            }
        }
        chain_ = std::make_unique<OpKernel<ChainKernel>>(chain);
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<PartsInstance>(region(), *anchor_, *chain_);
    }

private:
    Region const& region() const { return static_cast<Region const&>(*op_); }

    std::unique_ptr<graph::Op> op_;
    std::unique_ptr<target::Kernel> anchor_;
    std::unique_ptr<target::Kernel> chain_;
};

double estimate(NodeSpec const& node) {
    PartSpecs const parts(node);
    double best = 0.0;
    for (target::Candidate const& candidate :
         kernels().candidates(parts.anchor, kBytesPerSecond, {})) {
        if (candidate.offered() && (best == 0.0 || candidate.estimatedSeconds < best)) {
            best = candidate.estimatedSeconds;
        }
    }
    // Never measured where a fused kernel works, if engines would be searched for the anchor alone,
    // which takes long.
    bool const searches = parts.anchor.op.kind() == graph::Convolution::kKind;
    return (searches ? 4.0 : 1.0) * best + bytesMoved(node) / kBytesPerSecond;
}

} // namespace

target::KernelEntry regionParts() {
    target::KernelEntry entry;
    entry.op = Region::kKind;
    entry.name = "region_parts";
    entry.refuse = &refuse;
    entry.estimate = &estimate;
    entry.compile = &compile;
    entry.load = [](KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<PartsKernel>(record, constants);
    };
    entry.packs = &packs;
    entry.pack = &pack;
    return entry;
}

} // namespace kiln::targets::cuda
