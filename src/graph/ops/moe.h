// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "graph/op_base.h"
#include "kiln/api/network/moe_act_type.h"

namespace kiln::graph {

/// Mixture of experts: each token passes through the experts selected for it; their results are
/// added, weighted by scores. An expert is a gated linear unit, down(act(gate(x)) * up(x)). Source:
/// Shazeer, "GLU Variants Improve Transformer", 2020.
///
/// Operands: see Role. Without weights, only the shape of the result is known.
class MoE final : public OpBase<MoE> {
public:
    static constexpr std::string_view kKind = "MoE";
    static constexpr auto kLayerType = nvinfer1::LayerType::kMOE;

    enum Role : int32_t {
        kHidden = 0,       ///< [batch, length, hidden]
        kExperts = 1,      ///< [batch, length, k]
        kScores = 2,       ///< [batch, length, k]
        kGate = 3,         ///< [experts, hidden, inner]
        kUp = 4,           ///< [experts, hidden, inner]
        kDown = 5,         ///< [experts, inner, hidden]
        kGateBias = 6,     ///< [experts, inner]
        kUpBias = 7,       ///< [experts, inner]
        kDownBias = 8,     ///< [experts, hidden]
        kDownScale = 9,    ///< of the quantized input of down: one number, or [experts]
        kDoubleScale = 10, ///< a factor of scales of blocks, one number
    };
    static constexpr int32_t kRoles = 11;

    nvinfer1::MoEActType activation = nvinfer1::MoEActType::kNONE;
    // g = min(gate, limit), u = clamp(up, -limit, limit): act = g * sigmoid(alpha * g) * (u + beta)
    float limit = std::numeric_limits<float>::infinity();
    float alpha = 1.0F;
    float beta = 0.0F;
    DataType quantizedType = DataType::kFLOAT; ///< kFLOAT: none
    Dims blockShape{};
    DataType scaleType = DataType::kFLOAT;

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.activation, self.limit, self.alpha, self.beta, self.quantizedType,
              self.blockShape, self.scaleType);
    }
    /// Whether each run computes scales, one for a block of neighbours in the input of down.
    bool quantizesBlocks() const {
        return quantizedType != DataType::kFLOAT && blockShape.nbDims > 0;
    }
    int64_t blockSize() const { return blockShape.d[blockShape.nbDims - 1]; }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand >= kGate; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    void checkTokens(InferContext const& context) const;
    void checkWeights(InferContext const& context) const;
    void checkScale(InferContext const& context) const;
    void expectOneNumber(InferContext const& context) const;
};

/// The extents of a MoE.
struct MoESizes {
    int64_t tokens = 0;
    int64_t slots = 0; ///< experts of a token
    int64_t experts = 0;
    int64_t hidden = 0;
    int64_t inner = 0;

    int64_t pairs() const { return tokens * slots; }
};
MoESizes moeSizes(std::span<Dims const> inputs);

/// Which operands that may be absent are there.
struct MoEOperands {
    bool weights = false;
    bool scale = false;
    bool doubleScale = false;
};
/// Why kernels refuse the op with these operands: "expected weights of experts ..."; empty if they
/// take it.
std::string moeRefusal(MoE const& op, MoEOperands const& operands);

} // namespace kiln::graph
