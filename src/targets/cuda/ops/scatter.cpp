// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter: a copy of the data with updates at indices; see kernels/scatter.cuh. Any type of whole
// bytes; int32 and int64 indices.
#include "graph/ops/scatter.h"

#include "targets/cuda/element_rows.h"
#include "targets/cuda/indexed_axes.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Scatter;
using nvinfer1::ScatterMode;

constexpr int64_t kPerThread = 4; ///< words that a thread copies

struct ScatterWrite {
    using Op = Scatter;
    struct Arguments {
        int64_t bytes = 0;
        int64_t size = 0;
        FastDivide inner;
        FastDivide innerWords{0};
        IndexedAxes indexed;
        int64_t updates = 0;
        ElementRows rows;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        return op.reduction == ScatterReduction::kNONE ? refuseSubByte(node.inputs[0].type.type)
                                                       : "expected no reduction, got one";
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("scatter", {{"WIDE", needsWide(node) ? "1" : "0"},
                                    {"T", moverTypeName(node.inputs[0].type.type)},
                                    {"INDEX", kernelTypeName(node.inputs[1].type.type)},
                                    {"ELEMENTWISE", op.mode == ScatterMode::kELEMENT ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[Scatter::kData];
        Dims const& indices = workload.inputs[Scatter::kIndices];
        int64_t const total = volume(data, "scatter");
        int64_t const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        arguments.bytes = total * bytes;
        arguments.size = volume(workload.inputs[Scatter::kUpdates], "scatter updates");
        if (op.mode == ScatterMode::kELEMENT) {
            GridLaunch const rows = arguments.rows.launch("scatter_rows", data, indices,
                                                          op.axisFor(data.nbDims), bytes, false);
            if (rows.gridX > 0) {
                return {rows};
            }
            arguments.indexed.setElements(data, indices, op.axisFor(data.nbDims));
        } else {
            prepareTuples(data, indices, bytes, arguments);
        }
        bool const wide = !fitsNarrow(total) || !fitsNarrow(arguments.size) ||
                          !fitsNarrow(volume(indices, "scatter indices"));
        if (!wide && isMerged(total, bytes, arguments)) {
            return {launchOver("mark_parts", arguments.updates),
                    launchBlocks("merge_parts", arguments.bytes / 16, 256 * kPerThread)};
        }
        bool const words = arguments.innerWords.divisor != 0;
        int64_t const units = words ? arguments.size * bytes / 16 : arguments.size;
        return {launchOver("copy_data", arguments.bytes / (16 * kPerThread) + (total > 0 ? 1 : 0)),
                launchOver(wide ? "write_updates_wide" : "write_updates", units)};
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        return markBytes(op, workload.type(), workload.inputs[Scatter::kData]);
    }

    /// A mark for each part.
    static std::size_t markBytes(Op const& op, DataType type, Dims const& data) {
        return op.mode == ScatterMode::kELEMENT
                   ? 0
                   : bytesFor(type, volume(data, "scatter")) / kLeastMergedBytes * sizeof(int32_t);
    }

private:
    static constexpr int64_t kLeastMergedBytes = 128; ///< of a part

    /// Whether so many parts are updated that it is better to write each part once.
    static bool isMerged(int64_t total, int64_t bytes, Arguments const& arguments) {
        return arguments.innerWords.divisor != 0 && arguments.updates > 0 &&
               arguments.inner.divisor * bytes >= kLeastMergedBytes && arguments.size >= total / 8;
    }

    static void prepareTuples(Dims const& data, Dims const& indices, int64_t bytes,
                              Arguments& arguments) {
        auto const count = static_cast<int32_t>(indices.d[indices.nbDims - 1]);
        arguments.indexed.setTuples(data, 0, count);
        int64_t const inner = extentOf(data, count, data.nbDims);
        arguments.inner = fastDivide(inner);
        arguments.updates = extentOf(indices, 0, indices.nbDims - 1);
        if (inner * bytes % 16 == 0) {
            arguments.innerWords = fastDivide(inner * bytes / 16);
        }
    }
};

/// The updates may be written over data that nothing else reads: then nothing is copied.
std::optional<target::Overwriting> overData(NodeSpec const& node,
                                            target::KernelRecord const& record, std::size_t input) {
    if (input != Scatter::kData) {
        return std::nullopt;
    }
    target::OperandSpec const& data = node.inputs[input];
    return target::Overwriting{
        record.code,
        ScatterWrite::markBytes(static_cast<Scatter const&>(node.op), data.type.type, data.max)};
}

} // namespace

void registerKernel_scatter(KernelRegistry& registry) {
    KernelEntry entry = entryOf<ScatterWrite>("scatter_write");
    entry.overwriting = overData;
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cuda
