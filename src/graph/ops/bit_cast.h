// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The bits of a tensor as elements of another type.
class BitCast final : public OpBase<BitCast> {
public:
    static constexpr std::string_view kKind = "BitCast";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPLUGIN;

    DataType type = DataType::kFLOAT; ///< of the output

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.type);
    }
    std::string problem() const { return enumProblem(type, "DataType"); }
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
};

} // namespace kiln::graph
