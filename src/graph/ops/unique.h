// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The different elements of a tensor, or its different slices along an axis; where each occurs
/// first, which of them each element or slice is, and how often each occurs. Their number is found
/// when the op runs: it is size 0.
class Unique final : public OpBase<Unique> {
public:
    static constexpr std::string_view kKind = "Unique";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPLUGIN;

    enum Output : int32_t { kElements = 0, kFirst = 1, kInverse = 2, kCounts = 3, kSize = 4 };

    bool sorted = true;
    int32_t axis = -1; ///< -1: all elements, flattened

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.sorted, self.axis);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    int32_t outputCount() const override { return 4; }
    int32_t sizeCount() const override { return 1; }
    /// In a narrower type, different numbers would be equal.
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
};

} // namespace kiln::graph
