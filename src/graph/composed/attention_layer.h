// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/composed/composed_op.h"
#include "kiln/api/network/attention_enums.h"

namespace kiln::graph {

/// Attention as the API has it: normalize(query * transposed key + mask) * value, without a scale.
/// Other operations say it (attention_parts.h); the compiler may make an Attention of them.
///
/// Operands: see Role. Padded: [batch, heads, length, size]; packed: [tokens, heads, size]. Lengths
/// are [batch] of padded operands, and of packed ones [batch + 1]: the first token of each
/// sequence.
///
/// Among several ranks, each one has its part of the queries and of the keys and values. Masks are
/// those of its own queries and of the keys of all ranks.
class AttentionLayer final : public ComposedOp<AttentionLayer> {
public:
    static constexpr std::string_view kKind = "AttentionLayer";
    static constexpr auto kLayerType = nvinfer1::LayerType::kATTENTION_INPUT;

    enum Role : int32_t {
        kQuery = 0,
        kKey = 1,
        kValue = 2,
        kMask = 3,  ///< bool, or of the query's type; broadcast to [batch, heads, queries, keys]
        kScale = 4, ///< one element: of the quantized weights
        kQueryLengths = 5,
        kKeyLengths = 6,
    };
    static constexpr int32_t kRoles = 7;

    nvinfer1::AttentionNormalizationOp normalization = nvinfer1::AttentionNormalizationOp::kSOFTMAX;
    nvinfer1::CausalMaskKind causal = nvinfer1::CausalMaskKind::kNONE;
    nvinfer1::AttentionIOForm queryForm = nvinfer1::AttentionIOForm::kPADDED_BHND;
    nvinfer1::AttentionIOForm keyForm = nvinfer1::AttentionIOForm::kPADDED_BHND;
    DataType quantizedType = DataType::kFLOAT; ///< kFLOAT: weights are not quantized
    bool decomposable = false;
    int32_t ranks = 1; ///< number of devices

    bool isPacked(Role role) const {
        return (role == kQuery ? queryForm : keyForm) == nvinfer1::AttentionIOForm::kPACKED_NHD;
    }

    std::string problem() const;
    /// Why the number of ranks may not become another one; empty if it may.
    std::string problemOfChange(int32_t newRanks) const;
    void check(InferContext const& context) const;
    bool mayBeAbsent(int32_t operand) const override { return operand >= kMask; }
    std::unique_ptr<Region> parts(InferContext const& context) const override;

private:
    void checkOperands(InferContext const& context) const;
    void checkMask(InferContext const& context) const;
    void checkScale(InferContext const& context) const;
    void checkLengths(InferContext const& context, Role role) const;
    void checkRanks(InferContext const& context) const;
};

} // namespace kiln::graph
