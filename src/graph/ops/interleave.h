// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Puts the phases of a transposed convolution (see PhaseKernel) side by side:
///
///   result[n, g * M + m, o...] = input[n, (g * phases + r) * M + m, q...]
///
/// with o + before = q * stride + r along each axis. `before` and `after` elements are left out.
class Interleave final : public OpBase<Interleave> {
public:
    static constexpr std::string_view kKind = "Interleave";
    static constexpr auto kLayerType = nvinfer1::LayerType::kDECONVOLUTION;

    int64_t groups = 1;
    Dims stride{};
    Dims before{};
    Dims after{};

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.groups, self.stride, self.before, self.after);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    int64_t phases() const;
};

} // namespace kiln::graph
