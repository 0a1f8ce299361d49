// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {

void decodeRecipes(fb::Plan const& plan, ByteView weights, Budget& budget, Document& document) {
    document.refittable = plan.refittable();
    decodeAll(plan.weights(), budget, document.weights, [&](fb::Weight const& weight) {
        WeightRecord record;
        record.name = decodeText(weight.name(), budget);
        record.type = {static_cast<DataType>(weight.type()),
                       static_cast<TensorFormat>(weight.format())};
        record.sourceBytes = weight.bytes();
        if (weight.stored()) {
            record.data = decodeConstant(weight.offset(), weight.bytes(), weights, record.name);
        }
        record.op = decodeText(weight.op(), budget);
        record.parameters = decodeBytes(weight.parameters(), budget);
        decodeAll(weight.operands(), budget, record.operands, [](fb::WeightOperand const& operand) {
            return WeightOperand{WeightId::of(operand.weight()),
                                 decodeDims(operand.dims(), "weights")};
        });
        record.dims = decodeDims(weight.dims(), "weights");
        record.label = decodeText(weight.label(), budget);
        return record;
    });
    decodeAll(plan.fixed_weights(), budget, document.fixedWeights, [&](fb::FixedWeight const& own) {
        return FixedWeights{decodeText(own.name(), budget), decodeText(own.label(), budget),
                            static_cast<DataType>(own.type()), own.bytes(), own.hash()};
    });
}

} // namespace kiln::plan
