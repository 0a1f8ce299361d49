// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// concatenation: joins the inputs along one axis. Each input is [rows, part], where a part covers
// the joined axis and all axes inside it; an output row is the inputs' rows one after the other.
// Any type of whole bytes; one launch for all inputs.
#include "graph/ops/concatenation.h"

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

// The launch parameters hold a pointer and a start for each input, within a limit of 32764 bytes.
constexpr std::size_t kMaxInputs = 1024;

struct ConcatenationMove {
    using Op = graph::Concatenation;
    static constexpr bool kInputArray = true;
    static constexpr bool kDenseOrder = true;
    /// Long enough for kMaxInputs; the kernel's own struct ends after the starts of its inputs.
    struct Arguments {
        int64_t rows = 1;
        FastDivide row;
        int64_t starts[kMaxInputs + 1] = {};
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        if (node.inputs.size() > kMaxInputs) {
            return fmt::format("expected at most {} inputs, got {}", kMaxInputs,
                               node.inputs.size());
        }
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("concatenation", {{"T", moverTypeName(node.inputs[0].type.type)},
                                          {"INPUTS", std::to_string(node.inputs.size())}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        if (workload.inputs.size() > kMaxInputs) {
            fail(ErrorKind::kInvalidArgument,
                 "[concatenation] expected at most {} inputs, got {}. Build the plan again.",
                 kMaxInputs, workload.inputs.size());
        }
        Dims const& output = workload.outputs[0];
        int32_t const axis =
            placeInMemory(op.axisFor(output.nbDims), output.nbDims, workload.outputTypes[0].format);
        int64_t inner = 1;
        for (int32_t i = axis + 1; i < output.nbDims; ++i) {
            inner *= output.d[i];
        }
        for (int32_t i = 0; i < axis; ++i) {
            arguments.rows *= output.d[i];
        }
        for (std::size_t i = 0; i < workload.inputs.size(); ++i) {
            arguments.starts[i + 1] = arguments.starts[i] + workload.inputs[i].d[axis] * inner;
        }
        arguments.row = fastDivide(arguments.starts[workload.inputs.size()]);
        int64_t const count = volume(output, "concatenation");
        return {launchWords(fitsNarrow(count) ? "concatenation" : "concatenation_wide", count,
                            static_cast<int64_t>(bytesFor(workload.type(), 1)))};
    }
};

} // namespace

void registerKernel_concatenation(KernelRegistry& registry) {
    registry.add(entryOf<ConcatenationMove>("concatenation_words"));
}

} // namespace kiln::targets::cuda
