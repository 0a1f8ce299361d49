// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "graph/window.h"
#include "kiln/api/network/pooling_layer.h"

namespace kiln::graph {

/// Combines windows over the spatial axes of [batch, channels, spatial...].
class Pooling final : public OpBase<Pooling> {
public:
    static constexpr std::string_view kKind = "Pooling";
    static constexpr auto kLayerType = nvinfer1::LayerType::kPOOLING;

    nvinfer1::PoolingType type = nvinfer1::PoolingType::kMAX;
    Window window;
    float blendFactor = 0.0F; ///< weight of the mean in kMAX_AVERAGE_BLEND
    bool averageCountExcludesPadding = true;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.type, self.blendFactor, self.averageCountExcludesPadding);
        Window::fields(self.window, visit);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
