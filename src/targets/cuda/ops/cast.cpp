// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast: converts each element. Floating point to integer truncates and saturates; integer to a
// narrower integer keeps the low bits; to bool is x != 0; to float16 and bfloat16 rounds to nearest
// even; to narrower types it saturates as well. Supports all pairs of types.
#include "graph/ops/cast.h"

#include <algorithm>

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/quantized_blocks.h"

namespace kiln::targets::cuda {
namespace {

struct CastFlat {
    using Op = graph::Cast;
    static constexpr bool kDenseOrder = true;
    struct Arguments {
        int64_t count = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        for (DataType const type : {node.inputs[0].type.type, op.toType}) {
            if (std::string reason = refuseSubByte(type); !reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("cast", {{"KILN_FROM", kernelTypeName(node.inputs[0].type.type)},
                                 {"KILN_TO", kernelTypeName(op.toType)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments.count = volume(workload.inputs[0], "cast");
        std::size_t const larger = std::max(bytesFor(workload.type(), 1), bytesFor(op.toType, 1));
        return {launchFlat("cast", arguments.count, widthFor(larger))};
    }
};

/// From and to types of 4 bits, through float.
struct CastPacked {
    using Op = graph::Cast;
    struct Arguments {
        int64_t count = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        DataType const from = node.inputs[0].type.type;
        return bitsOf(from) < 8 || bitsOf(op.toType) < 8
                   ? std::string()
                   : fmt::format("expected elements of 4 bits, got {} and {}", nameOf(from),
                                 nameOf(op.toType));
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        return sourceOf("cast_packed", {{"KILN_FROM", kernelTypeName(node.inputs[0].type.type)},
                                        {"KILN_TO", kernelTypeName(op.toType)}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        arguments.count = volume(workload.inputs[0], "cast");
        std::size_t const wider = std::max(bytesFor(workload.type(), 1), bytesFor(op.toType, 1));
        return {launchConversion("cast_packed", arguments.count, vectorWidth(wider))};
    }
};

} // namespace

void registerKernel_cast(KernelRegistry& registry) {
    registry.add(entryOf<CastFlat>("cast_flat"));
    registry.add(entryOf<CastPacked>("cast_packed"));
}

} // namespace kiln::targets::cuda
