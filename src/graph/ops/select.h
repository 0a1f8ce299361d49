// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Input 1 where the boolean input 0 is true, else input 2, with broadcasting.
class Select final : public OpBase<Select> {
public:
    static constexpr std::string_view kKind = "Select";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSELECT;
    static constexpr auto kClass = OpClass::kPointwise;

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
