// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter with a reduction: a copy of the data combined with updates at indices; see
// kernels/scatter_reduce.cuh.
#include "graph/ops/scatter.h"
#include "target/workload/scatter_data.h"
#include "targets/cuda/indexed_axes.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Scatter;

char const* functionName(ScatterReduction how, bool truth) {
    switch (how) {
    case ScatterReduction::kSUM: return truth ? "Maximum" : "Sum";
    case ScatterReduction::kPROD: return truth ? "Minimum" : "Product";
    case ScatterReduction::kMAX: return "Maximum";
    default: return "Minimum";
    }
}

struct ScatterReduce {
    using Op = Scatter;
    struct Arguments {
        int64_t count = 0; ///< elements of the data
        int64_t size = 0;  ///< of the updates
        int64_t owners = 0;
        FastDivide inner;
        IndexedAxes indexed;
        FastDivide innerWords{0};
        int64_t narrow = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const&) {
        return op.reduction == ScatterReduction::kNONE ? "expected a reduction, got none" : "";
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        bool const truth = type == DataType::kBOOL;
        return sourceOf(
            "scatter_reduce",
            {{"KILN_ELEMENT", truth ? "uint8_t" : kernelTypeName(type)},
             {"KILN_INDEX", kernelTypeName(node.inputs[1].type.type)},
             {"KILN_FUNCTION", functionName(op.reduction, truth)},
             {"KILN_ATOMIC", bitsOf(type) > 8 ? "1" : "0"},
             {"KILN_ADDS", adds(op, type) ? "1" : "0"},
             {"KILN_PAIR", type == DataType::kBF16 ? "\"bf16x2\"" : "\"f16x2\""},
             {"KILN_ELEMENTWISE", op.mode == nvinfer1::ScatterMode::kELEMENT ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[Scatter::kData];
        Dims const& indices = workload.inputs[Scatter::kIndices];
        arguments.count = volume(data, "scatter");
        arguments.size = volume(workload.inputs[Scatter::kUpdates], "scatter updates");
        auto const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        bool const narrow = fitsNarrow(arguments.count) && fitsNarrow(arguments.size) &&
                            fitsNarrow(volume(indices, "scatter indices"));
        arguments.narrow = narrow ? 1 : 0;
        if (op.mode == nvinfer1::ScatterMode::kELEMENT) {
            arguments.indexed.setElements(data, indices, op.axisFor(data.nbDims));
        } else {
            auto const tuple = static_cast<int32_t>(indices.d[indices.nbDims - 1]);
            arguments.indexed.setTuples(data, 0, tuple);
            int64_t const inner = extentOf(data, tuple, data.nbDims);
            arguments.inner = fastDivide(inner);
            if (arguments.narrow != 0 && inner * bytes % 16 == 0) {
                arguments.innerWords = fastDivide(inner * bytes / 16);
            }
        }
        constexpr int64_t kMostOwners = 1 << 16;
        bool const atomic = bitsOf(workload.type()) > 8;
        arguments.owners = std::min(arguments.count, kMostOwners);
        bool const empty = arguments.count == 0 || arguments.size == 0;
        bool const words = adds(op, workload.type()) && arguments.innerWords.divisor != 0;
        int64_t const updates = words ? arguments.size * bytes / 16 : arguments.size;
        int64_t const threads = empty ? 0 : atomic ? updates : arguments.owners;
        constexpr int64_t kCopied = 4 * 16; // bytes of a thread
        return {launchOver("copy_data",
                           arguments.count * bytes / kCopied + (arguments.count > 0 ? 1 : 0)),
                launchOver("combine_updates", threads)};
    }

private:
    /// Whether parts may be added by words.
    static bool adds(Op const& op, DataType type) {
        return op.reduction == ScatterReduction::kSUM &&
               op.mode != nvinfer1::ScatterMode::kELEMENT &&
               (type == DataType::kFLOAT || type == DataType::kHALF || type == DataType::kBF16);
    }
};

} // namespace

void registerKernel_scatter_reduce(KernelRegistry& registry) {
    KernelEntry entry = entryOf<ScatterReduce>("scatter_reduce");
    entry.overwriting = target::overScatterData;
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cuda
