// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reverse-sequence: reverses the beginning of each sequence; see kernels/reverse_sequence.cuh. Any
// type of whole bytes; lengths of int32 and int64.
#include "graph/ops/reverse_sequence.h"

#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

struct ReverseSequenceMove {
    using Op = graph::ReverseSequence;
    struct Arguments {
        int64_t size = 0;
        int64_t step = 0;
        int64_t extent = 0;
        FastDivide inner;
        FastDivide second;
        FastDivide middle;
        FastDivide first;
        int32_t sequenceFirst = 0;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("reverse_sequence", {{"WIDE", needsWide(node) ? "1" : "0"},
                                             {"T", moverTypeName(node.inputs[0].type.type)},
                                             {"LENGTH", kernelTypeName(node.inputs[1].type.type)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Op::Shape const shape = op.shapeFor(workload.inputs[0]);
        arguments.size = volume(workload.inputs[0], "reverse-sequence");
        arguments.step = shape.step();
        arguments.extent = shape.sequenceFirst ? shape.first : shape.second;
        arguments.inner = fastDivide(shape.inner);
        arguments.second = fastDivide(shape.second);
        arguments.middle = fastDivide(shape.middle);
        arguments.first = fastDivide(shape.first);
        arguments.sequenceFirst = shape.sequenceFirst ? 1 : 0;
        std::size_t const wide = fitsNarrow(arguments.size) ? 0 : 1;
        constexpr char const* kElements[] = {"reverse_elements", "reverse_elements_wide"};
        constexpr char const* kWords[] = {"reverse_words", "reverse_words_wide"};
        constexpr char const* kAligned[] = {"reverse_aligned", "reverse_aligned_wide"};
        constexpr int64_t kLeastRowBytes = 32; // shorter rows are rarely within one word
        auto const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        if (arguments.size == 0) {
            return {};
        }
        if (shape.inner * bytes % 16 == 0) {
            return {launchWords(kAligned[wide], arguments.size, bytes)};
        }
        return {shape.inner * bytes >= kLeastRowBytes
                    ? launchWords(kWords[wide], arguments.size, bytes)
                    : launchElements(kElements[wide], arguments.size)};
    }
};

} // namespace

void registerKernel_reverse_sequence(KernelRegistry& registry) {
    registry.add(entryOf<ReverseSequenceMove>("reverse_sequence_words"));
}

} // namespace kiln::targets::cuda
