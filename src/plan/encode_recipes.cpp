// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/encode_values.h"

namespace kiln::plan {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<flatbuffers::Vector<Offset<fb::Weight>>> encodeRecipes(
    FlatBufferBuilder& builder, Table<WeightId, WeightRecord> const& weights,
    Table<WeightId, uint64_t> const& offsets) {
    if (weights.empty()) {
        return 0;
    }
    auto const encodeDims = [&](Dims const& dims) {
        return builder.CreateVector(dims.d, static_cast<std::size_t>(dims.nbDims));
    };
    std::size_t index = 0;
    return encodeAll(builder, weights, [&](WeightRecord const& weight) {
        auto const operands =
            encodeAll(builder, weight.operands, [&](WeightOperand const& operand) {
                return fb::CreateWeightOperand(builder, operand.weight.number(),
                                               encodeDims(operand.dims));
            });
        auto const name = builder.CreateString(weight.name);
        auto const op = builder.CreateString(weight.op);
        auto const parameters = builder.CreateVector(
            reinterpret_cast<uint8_t const*>(weight.parameters.data()), weight.parameters.size());
        auto const dims = encodeDims(weight.dims);
        auto const label = builder.CreateString(weight.label);
        return fb::CreateWeight(builder, name, static_cast<uint8_t>(weight.type.type),
                                static_cast<uint8_t>(weight.type.format),
                                offsets[WeightId(index++)], weight.sourceBytes,
                                !weight.data.empty(), op, parameters, operands, dims, label);
    });
}

Offset<flatbuffers::Vector<Offset<fb::FixedWeight>>> encodeFixed(
    FlatBufferBuilder& builder, std::vector<FixedWeights> const& weights) {
    if (weights.empty()) {
        return 0;
    }
    return encodeAll(builder, weights, [&](FixedWeights const& own) {
        auto const name = builder.CreateString(own.name);
        auto const label = builder.CreateString(own.label);
        return fb::CreateFixedWeight(builder, name, label, static_cast<uint8_t>(own.type),
                                     own.bytes, own.hash);
    });
}

} // namespace kiln::plan
