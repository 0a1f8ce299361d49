// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of oneDNN: a convolution or a matrix product, alone or as the first operation of a region.
// A primitive is created for each shape and number of threads, and kept while its instance uses a
// few shapes. The weights have the order that the recipe names, for all shapes of an engine.
#include <algorithm>
#include <limits>
#include <list>

#include "base/parallel.h"
#include "graph/op_registry.h"
#include "graph/ops/convolution.h"
#include "graph/ops/region.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/onednn/openmp.h"
#include "targets/cpu/onednn/prepared.h"
#include "targets/cpu/onednn/recipe.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::ConstantOperand;
using target::KernelRecord;
using target::NodeSpec;
using target::Workload;

// oneDNN counts extents, strides and offsets inside of one image as int.
constexpr int64_t kMostExtent = std::numeric_limits<int32_t>::max() / 8;

// Shapes whose primitives an instance keeps.
constexpr std::size_t kMostShapes = 8;

std::unique_ptr<graph::Op> loaded(std::string_view kind, Bytes const& parameters) {
    return graph::OpRegistry::instance().load(kind, parameters);
}

/// Why oneDNN cannot take these shapes; empty if it can.
std::string shapeProblem(graph::Op const& op, Workload const& workload) {
    auto const large = [](Dims const& dims) {
        return std::any_of(dims.d, dims.d + dims.nbDims,
                           [](int64_t extent) { return extent > kMostExtent; });
    };
    if (std::any_of(workload.inputs.begin(), workload.inputs.end(), large) ||
        large(workload.outputs[0])) {
        return fmt::format("expected extents of at most {}", kMostExtent);
    }
    bool const empty = volume(workload.outputs[0], "kernel output") == 0;
    for (std::size_t i = 0; i < workload.inputs.size() && !empty; ++i) {
        if (volume(workload.inputs[i], "kernel input") == 0) {
            return fmt::format("expected elements in input {}, got {}", i,
                               toText(workload.inputs[i]));
        }
    }
    auto const* region = dynamic_cast<graph::Region const*>(&op);
    if (region == nullptr || empty) {
        return {};
    }
    std::vector<graph::Region::KnownValue> inputs;
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        inputs.push_back({workload.inputTypes[i].type, workload.inputs[i]});
    }
    auto const values = region->valuesAt(inputs);
    for (auto value = values.begin() + region->inputCount(); value != values.end(); ++value) {
        if (!sameDims(value->dims, workload.outputs[0]) ||
            value->type != workload.outputTypes[0].type) {
            return fmt::format("expected values of the output's type and shape, {}, got {}",
                               toText(workload.outputs[0]), toText(value->dims));
        }
    }
    return {};
}

/// The window of a convolution has numbers, too.
std::string windowProblem(Fusion const& fusion) {
    auto const* op = dynamic_cast<graph::Convolution const*>(fusion.anchor);
    if (op == nullptr) {
        return {};
    }
    for (Dims const* numbers : {&op->window.size, &op->window.stride, &op->window.dilation,
                                &op->window.prePadding, &op->window.postPadding}) {
        for (int32_t i = 0; i < numbers->nbDims; ++i) {
            if (numbers->d[i] > kMostExtent) {
                return fmt::format("expected a window of numbers up to {}, got {}", kMostExtent,
                                   numbers->d[i]);
            }
        }
    }
    return {};
}

class Instance final : public target::KernelInstance {
public:
    struct Shared {
        graph::Op const& op;
        Fusion const& fusion;
        Recipe const& recipe;
        std::vector<target::OperandType> const& inputs;
        std::vector<target::OperandType> const& outputs;
        std::size_t weightBytes; ///< of a packed constant
    };

    explicit Instance(Shared const& shared) : shared_(shared) {}

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        Workload const workload{shared_.inputs, shared_.outputs, inputs, outputs};
        target::checkWorkload(shared_.op, workload);
        if (std::string const problem = shapeProblem(shared_.op, workload); !problem.empty()) {
            fail(ErrorKind::kUnsupported,
                 "[shape] {}, kernel of oneDNN: {}. Build the engine with a profile for these "
                 "shapes.",
                 shared_.op.kind(), problem);
        }
        inputs_.assign(inputs.begin(), inputs.end());
        outputs_.assign(outputs.begin(), outputs.end());
        empty_ = volume(outputs[0], "kernel output") == 0;
        current_ = empty_ ? nullptr : &prepared(threadCount());
    }

    target::Launch launch() override { return {&run, this}; }

    std::size_t workspaceBytes(std::span<Dims const>, std::span<Dims const>) const override {
        return shared_.recipe.scratchBytes;
    }

    std::string failureText() const override {
        return failure_ == dnnl_out_of_memory
                   ? "[cpu] oneDNN: out of memory"
                   : fmt::format("[cpu] oneDNN: expected success, got status {}", failure_);
    }

private:
    struct Entry {
        std::vector<Dims> inputs;
        Prepared prepared;
    };

    static int32_t run(void* state, target::KernelCall const& call,
                       target::StreamHandle) noexcept {
        auto& self = *static_cast<Instance*>(state);
        if (self.empty_) {
            return 0;
        }
        try {
            self.failure_ = self.runCurrent(call);
        } catch (std::exception const&) { // oneDNN allocates a little in each run
            self.failure_ = dnnl_out_of_memory;
        }
        return self.failure_;
    }

    dnnl_status_t runCurrent(target::KernelCall const& call) {
        // The number of threads may have changed, also by fork: a primitive needs exactly its own.
        if (current_->threads() != threadCount()) [[unlikely]] {
            current_ = &prepared(threadCount());
        }
        Team team(current_->threads());
        if (team.members() == current_->threads()) [[likely]] {
            OnTeam const on(team);
            return current_->run(call);
        }
        Team alone(1);
        OnTeam const on(alone);
        return prepared(1).run(call);
    }

    /// Creates the primitive, unless it is known.
    Prepared& prepared(int32_t threads) {
        auto const found = std::find_if(known_.begin(), known_.end(), [&](Entry const& entry) {
            return entry.prepared.threads() == threads &&
                   std::equal(entry.inputs.begin(), entry.inputs.end(), inputs_.begin(), sameDims);
        });
        if (found != known_.end()) {
            known_.splice(known_.begin(), known_, found); // most recently used
            return known_.front().prepared;
        }
        ForThreads const scope(threads);
        Workload const workload{shared_.inputs, shared_.outputs, inputs_, outputs_};
        Anchor const& anchor = anchorOf(shared_.fusion);
        checkWeights(anchor, workload);
        Blueprint blueprint = anchor.describe(shared_.fusion, workload, shared_.recipe.order);
        known_.push_front({inputs_, Prepared(std::move(blueprint), shared_.recipe.scratchBytes,
                                             threads)});
        if (known_.size() > kMostShapes) {
            known_.pop_back();
        }
        return known_.front().prepared;
    }

    /// The shape of a packed constant decides how many of its bytes are read.
    void checkWeights(Anchor const& anchor, Workload const& workload) const {
        if (shared_.recipe.order.tag == Order::kPlain) {
            return;
        }
        std::size_t const at = anchor.weightsAt(shared_.fusion);
        MemoryDesc const desc =
            anchor.weightsOf(shared_.fusion, workload.inputTypes[at].type, workload.inputs[at])
                .in(shared_.recipe.order);
        std::size_t const needed = Library::instance().memory_desc_get_size(desc.get());
        if (needed != shared_.weightBytes) {
            fail(ErrorKind::kCorruptData,
                 "[plan] weights packed for oneDNN: expected {} bytes for {}, got {}. Build the "
                 "plan again.",
                 needed, toText(workload.inputs[at]), shared_.weightBytes);
        }
    }

    Shared shared_;
    std::vector<Dims> inputs_;
    std::vector<Dims> outputs_;
    std::list<Entry> known_; ///< most recently used first
    Prepared* current_ = nullptr;
    bool empty_ = false;
    dnnl_status_t failure_ = dnnl_success;
};

class FusedKernel final : public target::Kernel {
public:
    FusedKernel(KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(loaded(record.op, record.parameters)), inputs_(record.inputs),
          outputs_(record.outputs), fusion_(fusionOf(*op_, record.inputs.size())),
          recipe_(Recipe::load(record.code)) {
        checkRecord(record);
        static_cast<void>(Library::instance());
        recipe_.expectFit();
        if (recipe_.order.tag == Order::kPlain) {
            return;
        }
        std::size_t const at = anchorOf(fusion_).weightsAt(fusion_);
        if (constants[at].host == nullptr) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel '{}', input {}: expected packed weights, got no constant. Build "
                 "the plan again.",
                 record.kernel, at);
        }
        weightBytes_ = constants[at].bytes;
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(
            Instance::Shared{*op_, fusion_, recipe_, inputs_, outputs_, weightBytes_});
    }

private:
    void checkRecord(KernelRecord const& record) const {
        std::string problem = fusion_.refusal;
        if (problem.empty()) {
            problem = windowProblem(fusion_);
        }
        for (int32_t const input : fusion_.anchorInputs) {
            if (problem.empty() && static_cast<std::size_t>(input) >= inputs_.size()) {
                problem = fmt::format("expected more than {} inputs, got {}", input,
                                      inputs_.size());
            }
        }
        for (PostOp const& op : fusion_.postOps) {
            if (problem.empty() && op.operand >= static_cast<int64_t>(inputs_.size())) {
                problem = fmt::format("expected more than {} inputs, got {}", op.operand,
                                      inputs_.size());
            }
        }
        if (problem.empty() && (fusion_.anchorInputs.size() < 2 || outputs_.size() != 1)) {
            problem = fmt::format("expected 2 or more inputs and an output, got {} and {}",
                                  fusion_.anchorInputs.size(), outputs_.size());
        }
        if (problem.empty()) {
            problem = operandProblem(fusion_, inputs_, outputs_[0]);
        }
        if (!problem.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, problem);
        }
    }

public:
    static std::string operandProblem(Fusion const&,
                                      std::span<target::OperandType const> inputs,
                                      target::OperandType const& output) {
        if (!isFloating(output.type)) {
            return fmt::format("expected float32, float16 or bfloat16, got {}",
                               nameOf(output.type));
        }
        for (target::OperandType const& input : inputs) {
            if (input.type != output.type) {
                return fmt::format("expected inputs of the output's type, {}, got {}",
                                   nameOf(output.type), nameOf(input.type));
            }
        }
        return {};
    }

private:
    std::unique_ptr<graph::Op> op_;
    std::vector<target::OperandType> inputs_;
    std::vector<target::OperandType> outputs_;
    Fusion fusion_;
    Recipe recipe_;
    std::size_t weightBytes_ = 0;
};

/// The op as a plan has it, whose weights are all operands.
std::unique_ptr<graph::Op> asStored(graph::Op const& op) {
    ByteWriter writer;
    op.save(writer);
    return loaded(op.kind(), writer.take());
}

std::vector<target::OperandType> typesOf(std::span<target::OperandSpec const> operands) {
    std::vector<target::OperandType> types;
    for (target::OperandSpec const& operand : operands) {
        types.push_back(operand.type);
    }
    return types;
}

std::vector<Dims> dimsOf(std::span<target::OperandSpec const> operands,
                         Dims target::OperandSpec::* corner) {
    std::vector<Dims> dims;
    for (target::OperandSpec const& operand : operands) {
        dims.push_back(operand.*corner);
    }
    return dims;
}

std::string refuse(NodeSpec const& node) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionOf(*op, node.inputs.size());
    auto const inputs = typesOf(node.inputs);
    auto const outputs = typesOf(node.outputs);
    std::string reason = fusion.refusal;
    reason = reason.empty() ? FusedKernel::operandProblem(fusion, inputs, outputs[0]) : reason;
    reason = reason.empty() ? windowProblem(fusion) : reason;
    for (auto const corner : {&target::OperandSpec::min, &target::OperandSpec::opt,
                              &target::OperandSpec::max}) {
        auto const inputDims = dimsOf(node.inputs, corner);
        auto const outputDims = dimsOf(node.outputs, corner);
        reason = reason.empty() ? shapeProblem(*op, {inputs, outputs, inputDims, outputDims})
                                : reason;
    }
    reason = reason.empty() ? anchorOf(fusion).refuse(fusion, node) : reason;
    if (!reason.empty() || !Library::problem().empty()) {
        return reason; // a missing library is told by lacks()
    }
    return select(fusion, node).refusal;
}

double estimate(NodeSpec const& node) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionOf(*op, node.inputs.size());
    auto const inputs = typesOf(node.inputs);
    auto const outputs = typesOf(node.outputs);
    auto const inputDims = dimsOf(node.inputs, &target::OperandSpec::opt);
    auto const outputDims = dimsOf(node.outputs, &target::OperandSpec::opt);
    // Measured: one core with AVX-512, and the cost of a call.
    return anchorOf(fusion).operations(fusion, {inputs, outputs, inputDims, outputDims}) / 8e10 +
           1e-6;
}

Bytes compile(NodeSpec const& node, std::span<std::string const>) {
    std::unique_ptr<graph::Op> const op = asStored(node.op);
    Fusion const fusion = fusionOf(*op, node.inputs.size());
    Selection const selection = select(fusion, node);
    if (!selection.refusal.empty()) {
        raise(ErrorKind::kUnsupported, selection.refusal);
    }
    return selection.recipe.save();
}

std::vector<target::PackedOperand> packs(KernelRecord const& record) {
    Recipe const recipe = Recipe::load(record.code);
    if (recipe.order.tag == Order::kPlain) {
        return {};
    }
    std::unique_ptr<graph::Op> const op = loaded(record.op, record.parameters);
    Fusion const fusion = fusionOf(*op, record.inputs.size());
    if (!fusion.refusal.empty() || fusion.anchorInputs.size() < 2 ||
        anchorOf(fusion).weightsAt(fusion) >= record.inputs.size()) {
        fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
             record.kernel,
             fusion.refusal.empty() ? "expected weights among its inputs" : fusion.refusal);
    }
    return {{anchorOf(fusion).weightsAt(fusion), recipe.order.tag}};
}

Bytes pack(KernelRecord const& record, std::size_t operand, ConstantOperand const& original) {
    Recipe const recipe = Recipe::load(record.code);
    std::unique_ptr<graph::Op> const op = loaded(record.op, record.parameters);
    Fusion const fusion = fusionOf(*op, record.inputs.size());
    Weights const weights =
        anchorOf(fusion).weightsOf(fusion, record.inputs[operand].type, original.dims);
    return reordered(weights.in({}).get(), original.host, weights.in(recipe.order).get());
}

} // namespace

void addKernel(target::KernelRegistry& registry, std::string_view op, std::string_view name) {
    target::KernelEntry entry;
    entry.op = op;
    entry.name = name;
    entry.refuse = refuse;
    entry.lacks = [] { return Library::problem(); };
    entry.estimate = estimate;
    entry.compile = compile;
    entry.load = [](KernelRecord const& record, std::span<ConstantOperand const> constants)
        -> std::unique_ptr<target::Kernel> {
        return std::make_unique<FusedKernel>(record, constants);
    };
    entry.packs = packs;
    entry.pack = pack;
    registry.add(entry);
}

} // namespace kiln::targets::cpu::onednn
