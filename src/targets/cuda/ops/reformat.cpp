// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reformat: moves elements of 1, 2, 4 or 8 bytes from one memory format to another. Padding of the
// last vector is zeroed.
#include "graph/ops/reformat.h"

#include "targets/cuda/format_change.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

constexpr int64_t kMostPadding = 32; // one channel of kCHW32

struct ReformatMove {
    using Op = graph::Reformat;
    static constexpr bool kAnyFormat = true;
    struct Arguments {
        int64_t size = 0;
        int64_t channels = 0;
        FastDivide vector;
        FastDivide inner;
        FastDivide vectors;
        ChannelLayout from;
        Tiles tiles;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        OperandType const& from = node.inputs[0].type;
        OperandType const& to = node.outputs[0].type;
        int32_t const rank = node.inputs[0].opt.nbDims;
        for (OperandType const& type : {from, to}) {
            if (!fitsFormat(type.format, type.type, rank)) {
                return fmt::format("expected a format for {} dimensions of {}, got {}", rank,
                                   nameOf(type.type), nameOf(type.format));
            }
        }
        return from.type == to.type ? refuseSubByte(from.type)
                                    : "expected operands of one element type";
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        return sourceOf("reformat", {{"WIDE", needsWide(node, kMostPadding) ? "1" : "0"},
                                     {"T", moverTypeName(type)},
                                     {"PAIRS", bitsOf(type) == 16 ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const&, Workload const& workload,
                                           Arguments& arguments) {
        FormatChange const change(traitsFor(workload, workload.inputTypes[0].format),
                                  traitsFor(workload, workload.outputTypes[0].format),
                                  workload.inputs[0]);
        auto const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        if (std::optional<Permutation> const moved = change.permutation(); moved.has_value()) {
            if (std::optional<TilePlan> const plan = tilesOf(*moved, bytes); plan.has_value()) {
                arguments.tiles = plan->tiles;
                return {{plan->pairs
                             ? moved->limited() ? "reformat_pairs_limited" : "reformat_pairs"
                         : moved->limited() ? "reformat_tiles_limited"
                                            : "reformat_tiles",
                         plan->blocks}};
            }
        }
        int64_t const vector = change.to.vector.divisor;
        arguments.size = change.outer * change.padded * change.inner;
        arguments.channels = change.channels;
        arguments.vector = change.to.vector;
        arguments.inner = fastDivide(change.inner);
        arguments.vectors = fastDivide(change.padded / vector);
        arguments.from = change.from;
        bool const narrow =
            fitsNarrow(arguments.size) && fitsNarrow(change.outer * change.from.outerStep);
        return {launchElements(narrow ? "reformat_elements" : "reformat_elements_wide",
                               arguments.size)};
    }

private:
    static FormatTraits traitsFor(Workload const& workload, TensorFormat format) {
        int32_t const rank = workload.inputs[0].nbDims;
        if (!fitsFormat(format, workload.type(), rank)) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] Reformat: expected a format for {} dimensions of {}, got {}. Build the "
                 "plan again.",
                 rank, nameOf(workload.type()), nameOf(format));
        }
        return *traitsOf(format);
    }
};

} // namespace

void registerKernel_reformat(KernelRegistry& registry) {
    registry.add(entryOf<ReformatMove>("reformat_tiles"));
}

} // namespace kiln::targets::cuda
