// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// The extents of a tensor.
class Shape final : public OpBase<Shape> {
public:
    static constexpr std::string_view kKind = "Shape";
    static constexpr auto kLayerType = nvinfer1::LayerType::kSHAPE;

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
