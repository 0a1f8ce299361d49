// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/onednn/instance.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/parallel.h"
#include "base/tensor_layout.h"
#include "graph/ops/convolution.h"
#include "graph/ops/region.h"
#include "targets/cpu/onednn/openmp.h"

namespace kiln::targets::cpu::onednn {
namespace {

using target::Workload;

// oneDNN counts extents, strides and offsets inside of one image as int.
constexpr int64_t kMostExtent = std::numeric_limits<int32_t>::max() / 8;

// Shapes whose primitives an instance keeps.
constexpr std::size_t kMostShapes = 8;

} // namespace

std::string shapeProblem(graph::Op const& op, Fusion const& fusion, Workload const& workload) {
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
    if (std::string problem = quantizedProblem(fusion, workload); !problem.empty()) {
        return problem;
    }
    std::vector<graph::Region::KnownValue> inputs;
    for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
        inputs.push_back({workload.inputTypes[i].type, workload.inputs[i]});
    }
    auto const values = region->valuesAt(inputs);
    auto const first = region->inputCount() + fusion.nodesAhead();
    DataType const between = fusion.quantized ? DataType::kFLOAT : workload.outputTypes[0].type;
    for (auto value = values.begin() + first; value != values.end(); ++value) {
        bool const last = value + 1 == values.end();
        if (!sameDims(value->dims, workload.outputs[0]) ||
            value->type != (last ? workload.outputTypes[0].type : between)) {
            return fmt::format("expected values of the output's type and shape, {}, got {}",
                               toText(workload.outputs[0]), toText(value->dims));
        }
    }
    return {};
}

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

void Instance::reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) {
    Workload const workload{parts_.inputs, parts_.outputs, inputs, outputs};
    target::checkWorkload(parts_.op, workload);
    std::string problem = shapeProblem(parts_.op, parts_.fusion, workload);
    problem = problem.empty() ? anchorOf(parts_.fusion).refuse(parts_.fusion, workload) : problem;
    problem = problem.empty() ? overwriteProblem(parts_.fusion, workload) : problem;
    if (!problem.empty()) {
        fail(ErrorKind::kUnsupported,
             "[shape] {}, kernel of oneDNN: {}. Build the engine with a profile for these "
             "shapes.",
             parts_.op.kind(), problem);
    }
    inputs_.assign(inputs.begin(), inputs.end());
    outputs_.assign(outputs.begin(), outputs.end());
    operands_.resize(inputs.size());
    empty_ = volume(outputs[0], "kernel output") == 0;
    outputBytes_ =
        storageBytes(parts_.outputs[0].type, parts_.outputs[0].format, outputs[0], "kernel output");
    current_ = empty_ ? nullptr : &prepared(threadCount());
}

std::string Instance::failureText() const {
    return failure_ == dnnl_out_of_memory
               ? "[cpu] oneDNN: out of memory"
               : fmt::format("[cpu] oneDNN: expected success, got status {}", failure_);
}

int32_t Instance::run(void* state, target::KernelCall const& call, target::StreamHandle) noexcept {
    auto& self = *static_cast<Instance*>(state);
    if (self.empty_) {
        return 0;
    }
    try {
        self.failure_ = self.runCurrent(call);
    } catch (std::exception const&) { // oneDNN allocates in first runs
        self.failure_ = dnnl_out_of_memory;
    }
    return self.failure_;
}

dnnl_status_t Instance::runCurrent(target::KernelCall const& call) {
    if (int32_t const input = parts_.fusion.overwritten; input >= 0) {
        void const* const term = call.inputs[input];
        if (term != call.outputs[0]) [[unlikely]] { // the compiler gave them one place
            std::memmove(call.outputs[0], term, outputBytes_);
        }
    }
    if (parts_.fusion.scale >= 0) {
        return runPrimitive(withScaledWeights(call));
    }
    return runPrimitive(call);
}

target::KernelCall Instance::withScaledWeights(target::KernelCall const& call) {
    auto* const scaled = reinterpret_cast<float*>(static_cast<std::byte*>(call.workspace) +
                                                  parts_.recipe.scaledAt());
    auto const scale = static_cast<std::size_t>(parts_.fusion.scale);
    scaleWeights(parts_.recipe.runs, parts_.weights, static_cast<float const*>(call.inputs[scale]),
                 inputs_[scale].d[1], scaled);
    std::copy_n(call.inputs, operands_.size(), operands_.begin());
    operands_[anchorOf(parts_.fusion).weightsAt(parts_.fusion)] = scaled;
    return {operands_.data(), call.outputs, call.workspace};
}

dnnl_status_t Instance::runPrimitive(target::KernelCall const& call) {
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
Prepared& Instance::prepared(int32_t threads) {
    auto const found = std::find_if(known_.begin(), known_.end(), [&](Entry const& entry) {
        return entry.prepared.threads() == threads &&
               std::equal(entry.inputs.begin(), entry.inputs.end(), inputs_.begin(), sameDims);
    });
    if (found != known_.end()) {
        known_.splice(known_.begin(), known_, found); // most recently used
        return known_.front().prepared;
    }
    known_.push_front({inputs_, made(threads)});
    if (known_.size() > kMostShapes) {
        known_.pop_back();
    }
    return known_.front().prepared;
}

/// The order of the weights was chosen for the optimum shapes and the threads of the build. With
/// other ones, oneDNN may have only a reference for it. Then the weights are copied into the order
/// that it wants now.
Prepared Instance::made(int32_t threads) const {
    ForThreads const scope(threads);
    Workload const workload{parts_.inputs, parts_.outputs, inputs_, outputs_};
    Anchor const& anchor = anchorOf(parts_.fusion);
    Order const order = parts_.recipe.order;
    if (parts_.fusion.quantized && !Library::instance().multipliesInt8()) {
        fail(ErrorKind::kUnsupported,
             "[cpu] {}, a product of int8: expected a processor with VNNI, as the one that built "
             "the plan, got one without. Build the plan again on this processor.",
             parts_.op.kind());
    }
    checkWeights(anchor, workload);
    Blueprint blueprint = anchor.describe(parts_.fusion, workload, order);
    if (order.tag == Order::kOwn) {
        auto weights = ownWeights(blueprint, anchor, workload);
        if (weights == nullptr) {
            fail(ErrorKind::kCorruptData,
                 "[plan] weights of a kernel of oneDNN, {}: expected copies of constants that are "
                 "not much larger than the plan, got more. Build the plan again.",
                 parts_.op.kind());
        }
        return {std::move(blueprint), parts_.recipe.scratchBytes, threads, std::move(weights)};
    }
    if (!parts_.weights.empty() && parts_.fusion.scale < 0 && blueprint.isReference() &&
        anchor.takesOrder(parts_.fusion, workload)) {
        Blueprint other = anchor.describe(parts_.fusion, workload, {Order::kAny});
        if (!other.isReference()) {
            if (auto weights = ownWeights(other, anchor, workload)) {
                return {std::move(other), parts_.recipe.scratchBytes, threads, std::move(weights)};
            }
        }
    }
    return {std::move(blueprint), parts_.recipe.scratchBytes, threads};
}

/// A copy of the constant weights as this primitive asks for them; null if the budget of the engine
/// is used up.
std::shared_ptr<Bytes const> Instance::ownWeights(Blueprint const& blueprint, Anchor const& anchor,
                                                  Workload const& workload) const {
    Fusion const& fusion = parts_.fusion;
    Dims const& dims = workload.inputs[anchor.weightsAt(fusion)];
    Weights const weights = anchor.weightsOf(fusion, workload.inputTypes, dims);
    return parts_.own.in(blueprint.weights(), [&] {
        if (fusion.widens) {
            std::vector<float> const wide = widened(parts_.weights, parts_.scale, dims.d[0]);
            return reordered(weights.in({}).get(), wide.data(), blueprint.weights());
        }
        Order const order = parts_.recipe.order.isPacked() ? parts_.recipe.order : Order{};
        return reordered(weights.in(order).get(), parts_.weights.data(), blueprint.weights());
    });
}

/// The shape of a constant decides how many of its bytes are read.
void Instance::checkWeights(Anchor const& anchor, Workload const& workload) const {
    if (parts_.weights.empty()) {
        return;
    }
    std::size_t const at = anchor.weightsAt(parts_.fusion);
    // In the plain order there may be many matrices, of which the descriptor has one.
    std::size_t const needed =
        parts_.recipe.order.isPacked()
            ? Library::instance().memory_desc_get_size(
                  anchor.weightsOf(parts_.fusion, workload.inputTypes, workload.inputs[at])
                      .in(parts_.recipe.order)
                      .get())
            : bytesFor(workload.inputTypes[at].type, volume(workload.inputs[at], "weights"));
    if (needed != parts_.weights.size()) {
        fail(ErrorKind::kCorruptData,
             "[plan] weights of a kernel of oneDNN: expected {} bytes for {}, got {}. Build the "
             "plan again.",
             needed, toText(workload.inputs[at]), parts_.weights.size());
    }
    if (!parts_.fusion.widens) {
        return;
    }
    Dims const& scales = workload.inputs[parts_.fusion.scaleOfWeights()];
    std::size_t const scaleBytes = bytesFor(DataType::kFLOAT, volume(scales, "scale"));
    if (scaleBytes != parts_.scale.size()) {
        fail(ErrorKind::kCorruptData,
             "[plan] scale of the weights of a kernel of oneDNN: expected {} bytes for {}, got {}. "
             "Build the plan again.",
             scaleBytes, toText(scales), parts_.scale.size());
    }
}

} // namespace kiln::targets::cpu::onednn
