// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combines all elements along some axes; see kernels/reduce.cuh.
#include "graph/ops/reduce.h"

#include <algorithm>
#include <bit>

#include "targets/cuda/dense_order.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using nvinfer1::ReduceOperation;

struct ReduceLoops {
    int32_t rank;
    int64_t extent[4];
    int64_t stride[4];

    void addOutside(int64_t count, int64_t step) {
        std::copy_backward(extent, extent + rank, extent + rank + 1);
        std::copy_backward(stride, stride + rank, stride + rank + 1);
        extent[0] = count;
        stride[0] = step;
        ++rank;
    }
};

struct ReduceArguments {
    int64_t results;
    int64_t inner;
    int64_t count;
    int32_t lanes;
    int32_t partials;
    ReduceLoops kept;
    ReduceLoops combined;
    int64_t combinedCount;
};

/// One of the loops over the tensor, which alternate between kept and combined, outermost first.
struct AlternatingLoop {
    bool combined = false;
    int64_t extent = 1;
};

std::vector<AlternatingLoop> alternatingLoops(uint32_t axes, Dims const& dims) {
    std::vector<AlternatingLoop> loops;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] == 1) {
            continue;
        }
        bool const combined = (axes >> axis & 1U) != 0;
        if (loops.empty() || loops.back().combined != combined) {
            loops.push_back({combined, 1});
        }
        loops.back().extent *= dims.d[axis];
    }
    return loops;
}

/// The type that elements are combined in.
DataType numberType(DataType type) {
    return type == DataType::kHALF || type == DataType::kBF16 ? DataType::kFLOAT : type;
}

bool combinesInDouble(ReduceOperation operation, DataType type) {
    return type == DataType::kFLOAT && operation != ReduceOperation::kMAX &&
           operation != ReduceOperation::kMIN;
}

/// The axes in the order of memory; bit i of the result selects the i-th of them.
uint32_t axesInMemory(graph::Reduce const& op, int32_t rank, TensorFormat format) {
    uint32_t axes = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
        axes |= op.reduces(axis) ? 1U << placeInMemory(axis, rank, format) : 0U;
    }
    return axes;
}

/// Why the result's format does not follow from the input's; empty if it does. What is left of
/// channels last keeps that order, or is linear if no order is left.
std::string orderProblem(graph::Reduce const& op, OperandType const& input,
                         OperandType const& output, int32_t rank) {
    if (input.format == TensorFormat::kLINEAR && output.format == TensorFormat::kLINEAR) {
        return {};
    }
    bool const last = (input.format == TensorFormat::kHWC && rank == 4) ||
                      (input.format == TensorFormat::kDHWC && rank == 5);
    bool spatial = true;
    for (int32_t axis = 2; axis < rank; ++axis) {
        spatial = spatial && op.reduces(axis);
    }
    bool const linear = spatial || op.reduces(1); // the channels have no axis left behind them
    bool const follows = op.keepsAxes ? output.format == input.format ||
                                            (linear && output.format == TensorFormat::kLINEAR)
                                      : linear && output.format == TensorFormat::kLINEAR;
    return last && follows ? std::string()
                           : fmt::format("expected linear operands or channels last, got {} and {}",
                                         nameOf(input.format), nameOf(output.format));
}

struct ReduceKernel {
    using Op = graph::Reduce;
    using Arguments = ReduceArguments;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        std::string const problem =
            orderProblem(op, node.inputs[0].type, node.outputs[0].type, node.inputs[0].opt.nbDims);
        if (!problem.empty()) {
            return problem;
        }
        DataType const type = node.inputs[0].type.type;
        return type == DataType::kINT32 || type == DataType::kINT64 ? std::string()
                                                                    : refuseUnlessFloat(node);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        DataType const number = numberType(type);
        bool const isFloat = number == DataType::kFLOAT;
        bool const isInt32 = number == DataType::kINT32;
        return sourceOf(
            "reduce", {{"KILN_ELEMENT", kernelTypeName(type)},
                       {"KILN_NUMBER",
                        combinesInDouble(op.operation, type) ? "double" : kernelTypeName(number)},
                       {"KILN_LOWEST", isFloat   ? "-infinity()"
                                       : isInt32 ? "(-2147483647-1)"
                                                 : "(-9223372036854775807LL-1)"},
                       {"KILN_HIGHEST", isFloat   ? "infinity()"
                                        : isInt32 ? "2147483647"
                                                  : "9223372036854775807LL"},
                       {"KILN_OPERATION", fmt::format("{}", static_cast<int32_t>(op.operation))}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        int32_t const rank = workload.inputs[0].nbDims;
        TensorFormat const format = workload.inputTypes[0].format;
        if (std::string const problem =
                orderProblem(op, workload.inputTypes[0], workload.outputTypes[0], rank);
            !problem.empty()) {
            fail(ErrorKind::kUnsupported, "[shape] Reduce: {}. Build the plan again.", problem);
        }
        std::vector<AlternatingLoop> loops = alternatingLoops(
            axesInMemory(op, rank, format), inMemoryOrder(workload.inputs[0], format));
        arguments.results = volume(workload.outputs[0], "reduced tensor");
        if (arguments.results == 0) {
            return {};
        }
        bool const rows = loops.empty() || loops.back().combined;
        arguments.inner = 1;
        arguments.count = 1;
        arguments.combinedCount = 1;
        int64_t stride = 1;
        for (std::size_t i = loops.size(); i-- > 0; stride *= loops[i].extent) {
            arguments.count *= loops[i].combined ? loops[i].extent : 1;
            if (i + 1 == loops.size()) {
                arguments.inner = loops[i].extent;
            } else if (loops[i].combined) {
                arguments.combined.addOutside(loops[i].extent, stride);
                arguments.combinedCount *= loops[i].extent;
            } else {
                arguments.kept.addOutside(loops[i].extent, stride);
            }
        }
        int64_t const vector = 128 / bitsOf(workload.type());
        std::vector<GridLaunch> launches{rows ? overRows(vector, arguments)
                                              : overColumns(vector, arguments)};
        if (int64_t const partials = launches[0].gridY; partials > 1) {
            arguments.partials = static_cast<int32_t>(partials);
            int64_t const width = std::min<int64_t>(powerOfTwo(arguments.results), 32);
            launches.push_back(launchBlocks("finish", arguments.results, width, kBlock));
        }
        for (GridLaunch& launch : launches) {
            launch.overlaps = true;
        }
        return launches;
    }

    /// Partial results: one per 64 elements or more, and at most one column for each thread of the
    /// wanted blocks.
    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        int64_t const elements = volume(workload.inputs[0], "reduced tensor");
        int64_t const vector = 128 / bitsOf(workload.type());
        int64_t const numbers = std::min(elements / kLeastShare, kBlocksWanted * kBlock * vector);
        bool const isWide = combinesInDouble(op.operation, workload.type());
        return static_cast<std::size_t>(numbers) *
               (isWide ? sizeof(double) : bytesFor(numberType(workload.type()), 1));
    }

private:
    static constexpr int32_t kBlock = 256;
    static constexpr int64_t kBlocksWanted = 1024; ///< several per multiprocessor
    static constexpr int64_t kColumnBlocks =
        396; ///< the same, at most three: they have many registers
    static constexpr int64_t kLeastShare = 64; ///< minimum of elements per partial result

    static int64_t powerOfTwo(int64_t value) {
        return static_cast<int64_t>(
            std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(value, 1))));
    }

    static int64_t blocksFor(int64_t items, int64_t perBlock) {
        return items / perBlock + (items % perBlock != 0 ? 1 : 0);
    }

    static GridLaunch overRows(int64_t vector, Arguments& arguments) {
        int64_t const width = arguments.inner % vector == 0 ? vector : 1;
        int64_t const packs = arguments.inner / width * arguments.combinedCount;
        constexpr int64_t kPacksOfLane = 16; // maximum per lane before a whole block takes a row
        if (packs <= 32 * kPacksOfLane) {
            arguments.lanes = static_cast<int32_t>(std::min<int64_t>(powerOfTwo(packs), 32));
            return launchBlocks("rows_lanes", arguments.results, kBlock / arguments.lanes, kBlock);
        }
        GridLaunch launch = launchBlocks("rows_block", arguments.results, 1, kBlock);
        launch.gridY = std::clamp<int64_t>(kBlocksWanted / arguments.results, 1,
                                           std::max<int64_t>(1, packs / (8 * kBlock)));
        return launch;
    }

    static GridLaunch overColumns(int64_t vector, Arguments& arguments) {
        // A block is 32 packs wide; narrower if the rows are, wider if there are few rows.
        int64_t const width = arguments.inner % vector == 0 ? vector : 1;
        int64_t const across = arguments.inner / width;
        int64_t const most = kBlock / std::min<int64_t>(powerOfTwo(across), 32);
        arguments.lanes =
            static_cast<int32_t>(std::min(powerOfTwo(arguments.combinedCount / 4), most));
        int64_t const tasks =
            blocksFor(across, kBlock / arguments.lanes) * (arguments.results / arguments.inner);
        GridLaunch launch = launchBlocks(width == 1 ? "columns" : "columns_wide", tasks, 1, kBlock);
        int64_t const rowsOfBlock = std::max<int64_t>(16 * arguments.lanes, kLeastShare);
        launch.gridY = std::clamp<int64_t>(
            kColumnBlocks / tasks, 1, std::max<int64_t>(1, arguments.combinedCount / rowsOfBlock));
        return launch;
    }
};

} // namespace

void registerKernel_reduce(KernelRegistry& registry) {
    registry.add(entryOf<ReduceKernel>("reduce_reference"));
}

} // namespace kiln::targets::cuda
