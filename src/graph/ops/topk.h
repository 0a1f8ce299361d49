// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "graph/op_base.h"
#include "kiln/api/network/topk_layer.h"

namespace kiln::graph {

/// The k largest or smallest elements along one axis, best first, and their indices. Among equal
/// elements, the lower index comes first; NaN counts as larger than all numbers.
class TopK final : public OpBase<TopK> {
public:
    static constexpr std::string_view kKind = "TopK";
    static constexpr auto kLayerType = nvinfer1::LayerType::kTOPK;

    /// Operands. The number of elements may be absent; `k` is then used.
    enum Role : int32_t { kData = 0, kCount = 1 };

    nvinfer1::TopKOperation operation = nvinfer1::TopKOperation::kMAX;
    int32_t k = 1;
    uint32_t axes = 1; ///< a bit mask with one bit
    DataType indexType = DataType::kINT32;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation, self.k, self.axes, self.indexType);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    int32_t outputCount() const override { return 2; }
    bool mayBeAbsent(int32_t operand) const override { return operand == kCount; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    int32_t axis() const noexcept { return std::countr_zero(axes); }

private:
    ExprRef countOf(InferContext const& context) const;
};

} // namespace kiln::graph
