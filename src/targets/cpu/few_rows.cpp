// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// few_rows: x * W for at most 16 rows of x and a constant W, alone or with pointwise operations
// behind it; float32. The time is that of reading W, which is packed in contiguous pieces,
// [columns / 32][inner][32]. Sums are made in blocks of 128 products: the error
// of the last layer of a classifier with 2048 features is a third of that of a plain sum. The
// operations behind the product run in place on its result.
#include "targets/cpu/few_rows.h"

#include "base/parallel.h"
#include "target/workload/matrix_product.h"
#include "targets/cpu/op_kernel.h"
#include "targets/cpu/product_tail.h"
#include "targets/cpu/stream_pieces.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

using graph::MatrixMultiply;
using graph::Region;

constexpr int64_t kMostRows = 16;
constexpr int64_t kWidth = kStreamColumns; ///< columns of a piece of W
constexpr uint16_t kOrder = 1;             ///< OperandType::tag of the packed W

struct Parts {
    MatrixMultiply const* product = nullptr;
    std::size_t left = 0;
    std::size_t right = 1;
    Tail tail;
    std::string refusal;
};

/// `op` must outlive the parts.
Parts partsOf(graph::Op const& op) {
    Parts parts;
    auto const* region = dynamic_cast<Region const*>(&op);
    if (region == nullptr) {
        parts.product = static_cast<MatrixMultiply const*>(&op);
        return parts;
    }
    Region::Node const& first = region->nodes().front();
    parts.product = dynamic_cast<MatrixMultiply const*>(first.op.get());
    bool const reads = std::ranges::all_of(
        first.inputs, [&](int32_t input) { return input >= 0 && input < region->inputCount(); });
    if (parts.product == nullptr || first.inputs.size() != 2 || !reads ||
        region->results().size() != 1) {
        parts.refusal =
            "expected a matrix product of inputs as the first operation, and one result";
        return parts;
    }
    parts.left = static_cast<std::size_t>(first.inputs[0]);
    parts.right = static_cast<std::size_t>(first.inputs[1]);
    parts.tail = tailOf(*region);
    return parts;
}

/// Extents of the product, and the operations behind it.
struct FewRowsState {
    int64_t rows = 0;
    int64_t inner = 0;
    int64_t columns = 0;
    std::size_t left = 0;
    float const* weights = nullptr;
    ProductTail tail;
};

std::size_t packedBytes(int64_t inner, int64_t columns) {
    return static_cast<std::size_t>(tilesOf(columns, kWidth) * kWidth * inner) * sizeof(float);
}

/// Why these operands do not fit; empty if they do. Sets all of `state` but the weights.
std::string workloadProblem(Parts const& parts, Workload const& workload, FewRowsState& state) {
    auto const isPlain = [](OperandType const& type) {
        return type.type == DataType::kFLOAT && type.format == TensorFormat::kLINEAR;
    };
    if (!std::ranges::all_of(workload.inputTypes, isPlain) || !isPlain(workload.outputTypes[0])) {
        return "expected linear operands of float32";
    }
    Dims const& left = workload.inputs[parts.left];
    Dims const& right = workload.inputs[parts.right];
    auto const p = target::matrixWorkload(*parts.product, left, right, workload.outputs[0]);
    int64_t const rows = p.batch.count() * p.rows;
    bool const dense =
        (p.inner <= 1 || p.left.summed == 1) && (p.rows == 1 || p.left.kept == p.inner);
    bool const shared = volume(right, "weights") == p.inner * p.columns;
    if (rows > kMostRows || p.columns < kWidth || !dense || !shared ||
        volume(left, "operand") != rows * p.inner ||
        volume(workload.outputs[0], "output") != rows * p.columns) {
        return fmt::format("expected at most {} rows in memory order and one matrix of {} columns "
                           "or more, got {} and {}",
                           kMostRows, kWidth, toText(left), toText(right));
    }
    if (std::string reason = state.tail.prepare(parts.tail, workload); !reason.empty()) {
        return reason;
    }
    state.rows = rows;
    state.inner = p.inner;
    state.columns = p.columns;
    state.left = parts.left;
    return {};
}

/// Pieces that one core reads side by side. More rows leave no registers for that.
int64_t piecesTogether(int64_t rows) {
    return rows <= 3 ? 4 : rows <= 6 ? 2 : 1;
}

void multiply(FewRowsState const& state, float const* x, float* to) {
    int64_t const together = piecesTogether(state.rows);
    int64_t const tiles = tilesOf(state.columns, kWidth);
    int64_t const size = state.inner * kWidth; // of a piece
    parallelFor(
        tilesOf(tiles, together), grainFor(size * together), [&](int64_t begin, int64_t end) {
            alignas(64) float sums[kMostRows * kWidth];
            for (int64_t task = begin; task < end; ++task) {
                int64_t const tile = task * together;
                int64_t const pieces = std::min(together, tiles - tile);
                float const* const weights = state.weights + tile * size;
                std::fill_n(sums, pieces * state.rows * kWidth, 0.0F);
                for (int64_t k = 0; k < state.inner; k += kTileDepth) {
                    isa().streamProduct(state.rows, pieces, std::min(kTileDepth, state.inner - k),
                                        x + k, state.inner, weights + k * kWidth, size, sums);
                }
                for (int64_t i = 0; i < pieces * state.rows; ++i) {
                    int64_t const column = (tile + i / state.rows) * kWidth;
                    std::copy_n(sums + i * kWidth, std::min(kWidth, state.columns - column),
                                to + i % state.rows * state.columns + column);
                }
            }
        });
}

void runFewRows(FewRowsState const& state, KernelCall const& call) {
    multiply(state, static_cast<float const*>(call.inputs[state.left]),
             static_cast<float*>(call.outputs[0]));
    state.tail.run(call);
}

class FewRowsKernel final : public target::Kernel {
public:
    FewRowsKernel(target::KernelRecord const& record, std::span<ConstantOperand const> constants)
        : op_(graph::OpRegistry::instance().load(record.op, record.parameters)),
          parts_(partsOf(*op_)), inputs_(record.inputs), outputs_(record.outputs) {
        std::string problem = parts_.refusal;
        if (problem.empty() && (parts_.right >= constants.size() || parts_.left >= inputs_.size() ||
                                constants[parts_.right].host == nullptr || outputs_.size() != 1)) {
            problem = "expected packed weights and one output";
        }
        if (!problem.empty()) {
            fail(ErrorKind::kCorruptData, "[plan] kernel '{}': {}. Build the plan again.",
                 record.kernel, problem);
        }
        weights_ = constants[parts_.right];
    }

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(*this);
    }

private:
    class Instance final : public target::KernelInstance {
    public:
        explicit Instance(FewRowsKernel const& kernel) : kernel_(kernel) {}

        void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
            Workload const workload{kernel_.inputs_, kernel_.outputs_, inputs, outputs};
            target::checkWorkload(*kernel_.op_, workload);
            std::string problem = workloadProblem(kernel_.parts_, workload, state_);
            if (problem.empty() &&
                packedBytes(state_.inner, state_.columns) != kernel_.weights_.bytes) {
                problem =
                    fmt::format("expected {} bytes of packed weights, got {}",
                                packedBytes(state_.inner, state_.columns), kernel_.weights_.bytes);
            }
            if (!problem.empty()) {
                fail(ErrorKind::kUnsupported,
                     "[shape] {}, kernel 'few_rows': {}. Build the engine with a profile for these "
                     "shapes.",
                     kernel_.op_->kind(), problem);
            }
            state_.weights = static_cast<float const*>(kernel_.weights_.host);
        }
        target::Launch launch() override { return {launchOf<&runFewRows>, &state_}; }

    private:
        FewRowsKernel const& kernel_;
        FewRowsState state_;
    };

    std::unique_ptr<graph::Op> op_;
    Parts parts_;
    std::vector<OperandType> inputs_;
    std::vector<OperandType> outputs_;
    ConstantOperand weights_;
};

std::string refuse(NodeSpec const& node) {
    Parts const parts = partsOf(node.op);
    if (!parts.refusal.empty()) {
        return parts.refusal;
    }
    if (node.inputs.size() <= std::max(parts.left, parts.right) ||
        !node.inputs[parts.right].constant) {
        return "expected a constant right operand";
    }
    using Point = NodeAt::Point;
    for (Point const point : {Point::kLeast, Point::kOptimum, Point::kMost}) {
        NodeAt const at(node, point);
        FewRowsState state;
        if (std::string reason = workloadProblem(parts, at.workload(), state); !reason.empty()) {
            return reason;
        }
    }
    return {};
}

double estimate(NodeSpec const& node) {
    NodeAt const at(node, NodeAt::Point::kOptimum);
    FewRowsState state;
    static_cast<void>(workloadProblem(partsOf(node.op), at.workload(), state));
    // As oneDNN's: both are timed.
    return 2.0 * static_cast<double>(state.rows * state.inner) *
               static_cast<double>(state.columns) / 8e10 +
           1e-6;
}

std::vector<target::PackedOperand> packs(target::KernelRecord const& record) {
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    return {{partsOf(*op).right, kOrder}};
}

Bytes pack(target::KernelRecord const& record, std::size_t, ConstantOperand const& original) {
    auto const op = graph::OpRegistry::instance().load(record.op, record.parameters);
    MatrixMultiply const& product = *partsOf(*op).product;
    auto const axes = product.axes(1, original.dims.nbDims);
    auto const strides = denseStrides(original.dims);
    int64_t const inner = original.dims.d[axes.summed];
    int64_t const columns = original.dims.d[axes.kept];
    int64_t const stepInner = strides[static_cast<std::size_t>(axes.summed)];
    int64_t const stepColumn = strides[static_cast<std::size_t>(axes.kept)];
    Bytes bytes(packedBytes(inner, columns));
    packPieces({static_cast<float const*>(original.host), inner, columns, stepInner, stepColumn},
               reinterpret_cast<float*>(bytes.data()));
    return bytes;
}

} // namespace

void addFewRows(KernelRegistry& registry, std::string_view op) {
    KernelEntry entry;
    entry.op = op;
    entry.name = op == Region::kKind ? "region_few_rows" : "matrix_multiply_few_rows";
    entry.refuse = refuse;
    entry.estimate = estimate;
    entry.load = [](target::KernelRecord const& record,
                    std::span<ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        return std::make_unique<FewRowsKernel>(record, constants);
    };
    entry.packs = packs;
    entry.pack = pack;
    registry.add(entry);
}

} // namespace kiln::targets::cpu
