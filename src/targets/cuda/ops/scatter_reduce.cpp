// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter with a reduction: a copy of the data combined with updates at indices; see
// kernels/scatter_reduce.cuh.
#include "graph/ops/scatter.h"
#include "target/workload/scatter_data.h"
#include "targets/cuda/indexed_axes.h"
#include "targets/cuda/op_kernel.h"

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
             {"KILN_ELEMENTWISE", op.mode == nvinfer1::ScatterMode::kELEMENT ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& data = workload.inputs[Scatter::kData];
        Dims const& indices = workload.inputs[Scatter::kIndices];
        arguments.count = volume(data, "scatter");
        arguments.size = volume(workload.inputs[Scatter::kUpdates], "scatter updates");
        if (op.mode == nvinfer1::ScatterMode::kELEMENT) {
            arguments.indexed.setElements(data, indices, op.axisFor(data.nbDims));
        } else {
            auto const tuple = static_cast<int32_t>(indices.d[indices.nbDims - 1]);
            arguments.indexed.setTuples(data, 0, tuple);
            arguments.inner = fastDivide(extentOf(data, tuple, data.nbDims));
        }
        constexpr int64_t kMostOwners = 1 << 16;
        bool const atomic = bitsOf(workload.type()) > 8;
        arguments.owners = std::min(arguments.count, kMostOwners);
        bool const empty = arguments.count == 0 || arguments.size == 0;
        int64_t const threads = empty ? 0 : atomic ? arguments.size : arguments.owners;
        return {launchOver("copy_data", arguments.count), launchOver("combine_updates", threads)};
    }
};

} // namespace

void registerKernel_scatter_reduce(KernelRegistry& registry) {
    KernelEntry entry = entryOf<ScatterReduce>("scatter_reduce");
    entry.overwriting = target::overScatterData;
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cuda
