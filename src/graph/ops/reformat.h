// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// output = input in another memory format. The compiler inserts this op around plugins; the
/// operands have the formats.
class Reformat final : public OpBase<Reformat> {
public:
    static constexpr std::string_view kKind = "Reformat";
    static constexpr auto kLayerType = nvinfer1::LayerType::kIDENTITY;

    template <typename S, typename V>
    static void fields(S&, V&&) {}
    std::string problem() const { return {}; }
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
