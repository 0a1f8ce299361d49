// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"

namespace kiln::graph {

/// Rotates pairs of elements of each head by an angle that depends on the position. Source: Su et
/// al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
///
/// Operands: [batch, heads, length, size]; cosines and sines, [batch or 1, length, pairs], or with
/// positions [positions, pairs]; optional positions, [batch, length].
class RotaryEmbedding final : public OpBase<RotaryEmbedding> {
public:
    static constexpr std::string_view kKind = "RotaryEmbedding";
    static constexpr auto kLayerType = nvinfer1::LayerType::kROTARY_EMBEDDING;

    enum Role : int32_t { kData = 0, kCosines = 1, kSines = 2, kPositions = 3 };

    bool interleaved = false; ///< pairs are (2 i, 2 i + 1), not (i, i + pairs)
    int32_t rotated = 0;      ///< elements of a head that are rotated, from the first on; 0: all

    /// Elements of a head that are rotated.
    int64_t rotatedOf(int64_t size) const { return rotated == 0 ? size : rotated; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.interleaved, self.rotated);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    void checkTable(InferContext const& context, Role role) const;
    void checkPositions(InferContext const& context) const;
};

} // namespace kiln::graph
