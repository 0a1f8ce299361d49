// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of oneDNN: a convolution or a matrix product, alone or as the first operation of a
// region. The weights have the order that the recipe names, for all shapes of an engine.
#include <algorithm>

#include "graph/op_registry.h"
#include "graph/ops/convolution.h"
#include "target/workload/node_at.h"
#include "targets/cpu/onednn/instance.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/onednn/padded_source.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::ConstantOperand;
using target::KernelRecord;
using target::NodeAt;
using target::NodeSpec;

std::unique_ptr<graph::Op> loaded(std::string_view kind, Bytes const& parameters) {
    return graph::OpRegistry::instance().load(kind, parameters);
}

/// The same for an anchor that multiplies int8, or widens its weights: all else is float32.
std::string quantizedTypeProblem(Fusion const& fusion, std::span<target::OperandType const> inputs,
                                 target::OperandType const& output) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        bool const narrow =
            i == fusion.inputOfAnchor(1) || (fusion.quantized && i == fusion.inputOfAnchor(0));
        DataType const wanted = narrow ? DataType::kINT8 : DataType::kFLOAT;
        if (inputs[i].type != wanted) {
            return fmt::format("expected input {} of a quantized product of {}, got {}", i,
                               nameOf(wanted), nameOf(inputs[i].type));
        }
    }
    DataType const wanted = fusion.quantizes ? DataType::kINT8 : DataType::kFLOAT;
    return output.type == wanted ? std::string()
                                 : fmt::format("expected an output of {}, got {}", nameOf(wanted),
                                               nameOf(output.type));
}

/// Why the element types are not those of oneDNN; empty if they are.
std::string operandProblem(Fusion const& fusion, std::span<target::OperandType const> inputs,
                           target::OperandType const& output) {
    if (fusion.quantized || fusion.widens) {
        return quantizedTypeProblem(fusion, inputs, output);
    }
    if (!isFloating(output.type)) {
        return fmt::format("expected float32, float16 or bfloat16, got {}", nameOf(output.type));
    }
    for (target::OperandType const& input : inputs) {
        if (input.type != output.type) {
            return fmt::format("expected inputs of the output's type, {}, got {}",
                               nameOf(output.type), nameOf(input.type));
        }
    }
    return {};
}

class FusedKernel final : public target::Kernel {
public:
    FusedKernel(KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(loaded(record.op, record.parameters)), inputs_(record.inputs),
          outputs_(record.outputs), fusion_(fusionOf(*op_, record.inputs.size())),
          recipe_(Recipe::load(record.code)) {
        fusion_.overwritten = recipe_.overwritten;
        takeScale(record);
        checkRecord(record);
        Library::expectFile();
        std::size_t const at = anchorOf(fusion_).weightsAt(fusion_);
        if (recipe_.order.tag != Order::kPlain) {
            expectConstant(record, constants, at);
        }
        if (fusion_.widens) {
            std::size_t const scale = fusion_.scaleOfWeights();
            expectConstant(record, constants, scale);
            scale_ = {static_cast<std::byte const*>(constants[scale].host), constants[scale].bytes};
        }
        weights_ = {static_cast<std::byte const*>(constants[at].host), constants[at].bytes};
        if (recipe_.scale >= 0 &&
            (weights_.size() != recipe_.scaledBytes ||
             weights_.size() / sizeof(float) % static_cast<std::size_t>(recipe_.runs.run) != 0)) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', input {}: expected whole runs of {} weights, {} bytes, got "
                 "{}. "
                 "Build the plan again.",
                 record.kernel, at, recipe_.runs.run, recipe_.scaledBytes, weights_.size());
        }
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(
            KernelParts{*op_, fusion_, recipe_, inputs_, outputs_, weights_, scale_, own_});
    }

private:
    static void expectConstant(KernelRecord const& record,
                               std::span<ConstantOperand const> constants, std::size_t at) {
        if (constants[at].host == nullptr) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', input {}: expected packed weights, got no constant. Build "
                 "the plan again.",
                 record.kernel, at);
        }
    }

    /// The recipe knows which factor of a product in front is the scale.
    void takeScale(KernelRecord const& record) {
        auto const& product = fusion_.product;
        bool const is = std::find(product.begin(), product.end(), recipe_.scale) != product.end();
        if (is != (recipe_.scale >= 0) || product.empty() != (recipe_.scale < 0)) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}': expected a factor of the product in front as its scale, got "
                 "input {}. Build the plan again.",
                 record.kernel, recipe_.scale);
        }
        if (is) {
            fusion_.setScale(recipe_.scale);
        }
    }

    void checkRecord(KernelRecord const& record) const {
        std::string problem = fusion_.refusal;
        if (problem.empty()) {
            problem = windowProblem(fusion_);
        }
        if (problem.empty() && outputs_.size() != 1) {
            problem = fmt::format("expected one output, got {}", outputs_.size());
        }
        if (problem.empty()) {
            problem = operandProblem(fusion_, inputs_, outputs_[0]);
        }
        if (problem.empty()) {
            problem = layoutProblem(fusion_, inputs_, outputs_[0]);
        }
        if (problem.empty() && !recipe_.order.isPacked() && hasPaddedSource(fusion_, inputs_)) {
            problem = "expected packed weights for padded channels";
        }
        if (problem.empty() && fusion_.widens && recipe_.order.tag != Order::kOwn) {
            problem = "expected weights that the kernel widens";
        }
        if (!problem.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, problem);
        }
    }

    std::unique_ptr<graph::Op> op_;
    std::vector<target::OperandType> inputs_;
    std::vector<target::OperandType> outputs_;
    Fusion fusion_;
    Recipe recipe_;
    ByteView weights_;       ///< if constant; else empty
    ByteView scale_;         ///< of weights that are widened; else empty
    mutable OwnWeights own_; ///< of all instances
};

/// The op as a plan has it, whose weights are all operands.
std::unique_ptr<graph::Op> asStored(graph::Op const& op) {
    ByteWriter writer;
    op.save(writer);
    return loaded(op.kind(), writer.take());
}

/// The fusion of a node; `op` is as in a plan.
Fusion fusionFor(graph::Op const& op, NodeSpec const& node) {
    Fusion fusion = fusionOf(op, node.inputs.size());
    if (fusion.refusal.empty()) {
        findScale(fusion, node);
    }
    return fusion;
}

/// Other kernels are faster with few channels in a group, and then the weights are few as well.
std::string wideningIsSlow(Fusion const& fusion) {
    auto const* convolution = dynamic_cast<graph::Convolution const*>(fusion.anchor);
    return fusion.widens && convolution != nullptr && convolution->groups != 1
               ? fmt::format("expected one group of channels with weights of int8, got {}",
                             convolution->groups)
               : std::string();
}

std::string refuse(NodeSpec const& node) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionFor(*op, node);
    auto const inputs = target::typesOf(node.inputs);
    auto const outputs = target::typesOf(node.outputs);
    std::string reason = fusion.refusal;
    reason = reason.empty() ? operandProblem(fusion, inputs, outputs[0]) : reason;
    reason = reason.empty() ? layoutProblem(fusion, inputs, outputs[0]) : reason;
    reason = reason.empty() ? windowProblem(fusion) : reason;
    reason = reason.empty() ? scaleIsSlow(fusion, node) : reason;
    reason = reason.empty() ? wideningIsSlow(fusion) : reason;
    for (NodeAt::Point const point : NodeAt::kPoints) {
        NodeAt const at(node, point);
        reason = reason.empty() ? shapeProblem(*op, fusion, at.workload()) : reason;
        reason = reason.empty() ? anchorOf(fusion).refuse(fusion, at.workload()) : reason;
    }
    if (!reason.empty() || !Library::problem().empty()) {
        return reason; // a missing library is told by lacks()
    }
    if (fusion.quantized && !Library::instance().multipliesInt8()) {
        return "expected a processor with VNNI for products of int8";
    }
    return select(fusion, node).refusal;
}

double estimate(NodeSpec const& node) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionFor(*op, node);
    NodeAt const optimum(node, NodeAt::Point::kOptimum);
    // Measured: one core with AVX-512, and the cost of a call.
    double const perSecond = fusion.quantized ? 4e11 : 8e10;
    return anchorOf(fusion).operations(fusion, optimum.workload()) / perSecond + 1e-6;
}

Bytes compile(NodeSpec const& node, std::span<std::string const>) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionFor(*op, node);
    Selection const selection = select(fusion, node);
    if (!selection.refusal.empty()) {
        raise(ErrorKind::kUnsupported, selection.refusal);
    }
    return selection.recipe.save();
}

std::optional<target::Overwriting> overwritingKernel(NodeSpec const& node,
                                                     KernelRecord const& record,
                                                     std::size_t input) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionFor(*op, node);
    auto const recipe = overwriting(fusion, node, Recipe::load(record.code), input);
    return recipe ? std::optional<target::Overwriting>({recipe->save(), recipe->workspaceBytes()})
                  : std::nullopt;
}

std::vector<target::PackedOperand> packs(KernelRecord const& record) {
    Recipe const recipe = Recipe::load(record.code);
    if (!recipe.order.isPacked()) {
        return {};
    }
    std::unique_ptr<graph::Op> const op = loaded(record.op, record.parameters);
    Fusion const fusion = fusionOf(*op, record.inputs.size());
    if (!fusion.refusal.empty()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
             record.kernel, fusion.refusal);
    }
    return {{anchorOf(fusion).weightsAt(fusion), recipe.order.tag}};
}

Bytes pack(KernelRecord const& record, std::size_t, ConstantOperand const& original) {
    Recipe const recipe = Recipe::load(record.code);
    std::unique_ptr<graph::Op> const op = loaded(record.op, record.parameters);
    Fusion const fusion = fusionOf(*op, record.inputs.size());
    Weights const weights = anchorOf(fusion).weightsOf(fusion, record.inputs, original.dims);
    Bytes padded;
    if (hasPaddedSource(fusion, record.inputs)) {
        padded = paddedWeights(original, weights.type, weights.extents[1]);
    }
    return reordered(weights.in({}).get(), padded.empty() ? original.host : padded.data(),
                     weights.in(recipe.order).get());
}

} // namespace

void addKernel(target::KernelRegistry& registry, std::string_view op, std::string_view name) {
    target::KernelEntry entry;
    entry.op = op;
    entry.name = name;
    entry.refuse = refuse;
    entry.lacks = [] { return Library::problem(); };
    entry.library = [] {
        target::LibraryStatus const own = status();
        return fmt::format("{} {}", own.name, own.version);
    };
    entry.estimate = estimate;
    entry.compile = compile;
    entry.load = [](KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<FusedKernel>(record, constants);
    };
    entry.overwriting = overwritingKernel;
    entry.ownLayouts = true;
    entry.ownForms = [](NodeSpec const& node) {
        if (!hasFewChannels(node)) {
            return std::vector<target::Form>();
        }
        std::unique_ptr<graph::Op> const own = asStored(node.op);
        return paddedForms(fusionFor(*own, node), node);
    };
    entry.packs = packs;
    entry.pack = pack;
    registry.add(entry);
}

} // namespace kiln::targets::cpu::onednn
