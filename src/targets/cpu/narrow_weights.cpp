// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// region_narrow_weights: x * dequantize(W) for a constant W of int4, int8 or uint8 with one scale,
// one for each column, or one for each column and each block of terms, and pointwise operations
// behind it; float32. Both numbers and scales are packed in pieces of 32 columns
// (narrow_matrix.h), and multiplied by narrow_product.cpp.
#include "targets/cpu/narrow_weights.h"

#include <algorithm>

#include "graph/ops/region.h"
#include "target/workload/matrix_product.h"
#include "target/workload/node_at.h"
#include "targets/cpu/narrow_product.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/product_tail.h"

namespace kiln::targets::cpu {
namespace {

using graph::Dequantize;
using graph::MatrixMultiply;
using graph::Region;
using target::NodeAt;

constexpr int64_t kMostRows = 128;   ///< at the optimum: of more, the arithmetic is the time
constexpr uint16_t kNumberOrder = 1; ///< OperandType::tag of packed operands
constexpr uint16_t kScaleOrder = 2;

struct Parts {
    Dequantize const* source = nullptr;
    MatrixMultiply const* product = nullptr;
    std::size_t left = 0; ///< inputs of the region
    std::size_t right = 0;
    std::size_t scale = 0;
    Tail tail;
    std::string refusal;
};

/// `op` must outlive the parts.
Parts partsOf(graph::Op const& op) {
    Parts parts;
    parts.refusal = "expected a dequantization of weights that a matrix product reads";
    auto const& region = static_cast<Region const&>(op);
    if (region.nodes().size() < 2 || region.results().size() != 1) {
        return parts;
    }
    Region::Node const& first = region.nodes()[0];
    Region::Node const& second = region.nodes()[1];
    parts.source = dynamic_cast<Dequantize const*>(first.op.get());
    parts.product = dynamic_cast<MatrixMultiply const*>(second.op.get());
    auto const isInput = [&](int32_t value) { return value >= 0 && value < region.inputCount(); };
    int32_t const wide = region.firstOutput(0);
    bool const fits = parts.source != nullptr && parts.product != nullptr &&
                      first.inputs.size() == 2 && std::ranges::all_of(first.inputs, isInput) &&
                      second.inputs.size() == 2 && isInput(second.inputs[0]) &&
                      second.inputs[1] == wide && region.readersOf(wide) == 1 &&
                      region.results()[0] != wide;
    if (fits) {
        parts.refusal.clear();
        parts.left = static_cast<std::size_t>(second.inputs[0]);
        parts.right = static_cast<std::size_t>(first.inputs[0]);
        parts.scale = static_cast<std::size_t>(first.inputs[1]);
        parts.tail = tailOf(region, 1);
    }
    return parts;
}

struct NarrowState {
    NarrowProduct product;
    std::size_t left = 0;
    ProductTail tail;
};

std::string typesProblem(Parts const& parts, Workload const& workload) {
    for (std::size_t i = 0; i < workload.inputTypes.size(); ++i) {
        OperandType const& type = workload.inputTypes[i];
        bool const fits = i == parts.right   ? isNarrow(type.type)
                          : i == parts.scale ? isFloating(type.type)
                                             : type.type == DataType::kFLOAT;
        if (!fits || type.format != TensorFormat::kLINEAR) {
            return fmt::format("expected linear operands: weights of int4, int8 or uint8, their "
                               "scales, and others of float32, got {} of {}",
                               i, nameOf(type.type));
        }
    }
    OperandType const& output = workload.outputTypes[0];
    return output.type == DataType::kFLOAT && output.format == TensorFormat::kLINEAR
               ? std::string()
               : "expected a linear output of float32";
}

/// Why these operands do not fit; empty if they do. Sets all of `state` but the pointers.
std::string workloadProblem(Parts const& parts, Workload const& workload, NarrowState& state) {
    if (std::string reason = typesProblem(parts, workload); !reason.empty()) {
        return reason;
    }
    Dims const& left = workload.inputs[parts.left];
    Dims const& right = workload.inputs[parts.right];
    Dims const& result = workload.outputs[0];
    auto const p = target::matrixWorkload(*parts.product, left, right, result);
    state.product.rows = p.batch.count() * p.rows;
    bool const dense =
        (p.inner <= 1 || p.left.summed == 1) && (p.rows == 1 || p.left.kept == p.inner);
    if (!dense || parts.product->axes(1, right.nbDims).kept < 0 ||
        volume(right, "weights") != p.inner * p.columns ||
        volume(left, "operand") != state.product.rows * p.inner ||
        volume(result, "output") != state.product.rows * p.columns) {
        return fmt::format("expected rows in memory order by one matrix, got {} and {}",
                           toText(left), toText(right));
    }
    state.product.matrix =
        narrowNumbers(*parts.product, workload.inputTypes[parts.right].type, right);
    state.left = parts.left;
    std::string reason = addScales(state.product.matrix, *parts.source, *parts.product, right,
                                   workload.inputs[parts.scale]);
    return reason.empty() ? state.tail.prepare(parts.tail, workload) : reason;
}

void runNarrow(NarrowState const& state, KernelCall const& call) {
    multiplyNarrow(state.product, static_cast<float const*>(call.inputs[state.left]),
                   static_cast<float*>(call.outputs[0]));
    state.tail.run(call);
}

class NarrowKernel final : public target::Kernel {
public:
    NarrowKernel(target::KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(graph::OpRegistry::instance().load(record.op, record.parameters)),
          parts_(partsOf(*op_)), inputs_(record.inputs), outputs_(record.outputs) {
        std::string problem = parts_.refusal;
        auto const isThere = [&](std::size_t operand) {
            return operand < constants.size() && constants[operand].host != nullptr;
        };
        if (problem.empty() &&
            (!isThere(parts_.right) || !isThere(parts_.scale) || parts_.left >= inputs_.size() ||
             outputs_.size() != 1 || inputs_.size() != constants.size())) {
            problem = "expected packed weights with scales, and one output";
        }
        if (!problem.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, problem);
        }
        numbers_ = constants[parts_.right];
        scales_ = constants[parts_.scale];
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }

private:
    class Instance final : public target::KernelInstance {
    public:
        explicit Instance(NarrowKernel const& kernel) : kernel_(kernel) {}

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Workload const workload{kernel_.inputs_, kernel_.outputs_, inputs, outputs};
            target::checkWorkload(*kernel_.op_, workload);
            std::string problem = workloadProblem(kernel_.parts_, workload, state_);
            NarrowMatrix const& matrix = state_.product.matrix;
            if (problem.empty() && (matrix.packedBytes() != kernel_.numbers_.bytes ||
                                    matrix.scales.packedBytes() != kernel_.scales_.bytes)) {
                problem = fmt::format("expected {} and {} bytes of packed weights, got {} and {}",
                                      matrix.packedBytes(), matrix.scales.packedBytes(),
                                      kernel_.numbers_.bytes, kernel_.scales_.bytes);
            }
            if (!problem.empty()) {
                fail(ErrorKind::kUnsupported,
                     "[shape] {}, kernel 'narrow_weights': {}. Build the engine with a profile for "
                     "these shapes.",
                     kernel_.op_->kind(), problem);
            }
            state_.product.numbers = kernel_.numbers_.host;
            state_.product.scales = kernel_.scales_.host;
        }
        target::Launch launch() override { return {launchOf<&runNarrow>, &state_}; }

    private:
        NarrowKernel const& kernel_;
        NarrowState state_;
    };

    std::unique_ptr<graph::Op> op_;
    Parts parts_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    ConstantOperand numbers_;
    ConstantOperand scales_;
};

std::string refuse(NodeSpec const& node) {
    Parts const parts = partsOf(node.op);
    if (!parts.refusal.empty()) {
        return parts.refusal;
    }
    if (!node.inputs[parts.right].constant || !node.inputs[parts.scale].constant) {
        return "expected constant weights and scales";
    }
    for (NodeAt::Point const point : NodeAt::kPoints) {
        NodeAt const at(node, point);
        NarrowState state;
        if (std::string reason = workloadProblem(parts, at.workload(), state); !reason.empty()) {
            return reason;
        }
        if (point == NodeAt::Point::kOptimum && state.product.rows > kMostRows) {
            return fmt::format(
                "expected at most {} rows at the optimum, got {}: of more, a product "
                "by float32 is faster",
                kMostRows, state.product.rows);
        }
    }
    return {};
}

double estimate(NodeSpec const& node) {
    NodeAt const at(node, NodeAt::Point::kOptimum);
    NarrowState state;
    static_cast<void>(workloadProblem(partsOf(node.op), at.workload(), state));
    // Measured on one core: reading numbers of a few rows, and tileProduct() of many.
    double const bytes = static_cast<double>(state.product.matrix.packedBytes());
    double const operations =
        2.0 * static_cast<double>(state.product.rows * state.product.matrix.inner *
                                  state.product.matrix.columns);
    return std::max(bytes / 8e9, operations / 6e10) + 1e-6;
}

std::vector<target::PackedOperand> packs(target::KernelRecord const& record) {
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    Parts const parts = partsOf(*op);
    return {{parts.right, kNumberOrder}, {parts.scale, kScaleOrder}};
}

Bytes pack(target::KernelRecord const& record, std::size_t operand,
           ConstantOperand const& original) {
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    Parts const parts = partsOf(*op);
    DataType const type = record.inputs.at(operand).type;
    if (operand == parts.right) {
        return packNumbers(narrowNumbers(*parts.product, type, original.dims), original.host);
    }
    return packScales(narrowScales(*parts.source, *parts.product, original.dims, 0), original.host,
                      type);
}

} // namespace

void addNarrowWeights(KernelRegistry& registry) {
    KernelEntry entry;
    entry.op = Region::kKind;
    entry.name = "region_narrow_weights";
    entry.refuse = refuse;
    entry.estimate = estimate;
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<NarrowKernel>(record, constants);
    };
    entry.packs = packs;
    entry.pack = pack;
    registry.add(entry);
}

} // namespace kiln::targets::cpu
