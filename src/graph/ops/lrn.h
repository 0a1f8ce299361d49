// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// x / (k + alpha / window * sum of squares) ^ beta over neighbouring channels.
class LRN final : public OpBase<LRN> {
public:
    static constexpr std::string_view kKind = "LRN";
    static constexpr auto kLayerType = nvinfer1::LayerType::kLRN;

    int64_t window = 1; ///< number of channels in a sum
    float alpha = 1.0F;
    float beta = 1.0F;
    float k = 1.0F;

    /// The input as [outer, channels, inner].
    struct Planes {
        int64_t outer = 1;
        int64_t channels = 1;
        int64_t inner = 1;
    };
    static Planes planesOf(Dims const& dims);

    /// Number of channels in front of a channel that its sum includes; those behind it are
    /// window - 1 less these.
    int64_t before() const { return (window - 1) / 2; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.window, self.alpha, self.beta, self.k);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
};

} // namespace kiln::graph
