// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Indices of the elements that are not zero, [rank, n], in row-major order of the elements. NaN is
/// not zero, -0 is. n is found when the op runs: it is size 0.
class NonZero final : public OpBase<NonZero> {
public:
    static constexpr std::string_view kKind = "NonZero";
    static constexpr auto kLayerType = nvinfer1::LayerType::kNON_ZERO;

    DataType indexType = DataType::kINT32; ///< kINT32 or kINT64

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.indexType);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    int32_t sizeCount() const override { return 1; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

    /// The bits of an element that are all 0 if the element is zero: all but the sign of -0.
    static uint64_t significantBits(DataType type) noexcept;
};

} // namespace kiln::graph
