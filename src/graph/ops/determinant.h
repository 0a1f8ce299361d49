// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Determinants of the matrices in the last two axes.
class Determinant final : public OpBase<Determinant> {
public:
    static constexpr std::string_view kKind = "Determinant";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPLUGIN;

    template <typename S, typename V>
    static void fields(S&, V&& visit) {
        visit();
    }
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
    /// Differences of products need all the digits.
    TypeRule typeRule(int32_t, int32_t) const override { return TypeRule::kFixed; }
};

} // namespace kiln::graph
