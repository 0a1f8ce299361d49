// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/bit_cast.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void BitCast::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    DataType const from = context.inputs[0].type;
    if (bitsOf(from) != bitsOf(type) || bitsOf(type) % 8 != 0) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected types of as many bits and of whole bytes, got {} and {}. Add a cast "
             "layer.",
             where(context, kKind), nameOf(from), nameOf(type));
    }
    context.outputs[0].type = type;
    context.outputs[0].shape = context.inputs[0].shape;
}

void registerOp_bit_cast(OpRegistry& registry) {
    registry.add(BitCast::kKind, &BitCast::load);
}

} // namespace kiln::graph
