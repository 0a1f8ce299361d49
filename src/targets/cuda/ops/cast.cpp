// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// cast: converts each element. Floating point to integer truncates and saturates; integer to a
// narrower integer keeps the low bits; to bool is x != 0; to float16 and bfloat16 rounds to nearest
// even. Supports all pairs of float32, float16, bfloat16, int8, uint8, int32, int64 and bool.
#include "graph/ops/cast.h"

#include <algorithm>

#include "targets/cuda/broadcast.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

bool castable(DataType type) {
    return bitsOf(type) >= 8 && type != DataType::kFP8 && type != DataType::kE8M0;
}

struct CastFlat {
    using Op = graph::Cast;
    static constexpr bool kDenseOrder = true;
    struct Arguments {
        int64_t count = 0;
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        for (DataType const type : {node.inputs[0].type.type, op.toType}) {
            if (!castable(type)) {
                return fmt::format("expected a type that kernels compute with, got {}",
                                   nameOf(type));
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

} // namespace

void registerKernel_cast(KernelRegistry& registry) {
    registry.add(entryOf<CastFlat>("cast_flat"));
}

} // namespace kiln::targets::cuda
