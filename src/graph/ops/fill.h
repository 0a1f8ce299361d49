// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op_base.h"
#include "kiln/api/network/fill_layer.h"

namespace kiln::graph {

/// Evenly spaced values: alpha plus the sum over all axes of index times beta of that axis. Or
/// random numbers, uniform from alpha to beta or normal with mean alpha and deviation beta: each
/// run has others. Extents, alpha and betas may be operands.
class Fill final : public OpBase<Fill> {
public:
    static constexpr std::string_view kKind = "Fill";
    static constexpr auto kLayerType = nvinfer1::LayerType::kFILL;

    /// Operands. Each may be absent; the numbers below are then used.
    enum Role : int32_t { kExtents = 0, kAlpha = 1, kBeta = 2 };

    nvinfer1::FillOperation operation = nvinfer1::FillOperation::kLINSPACE;
    Dims dims{};
    double alpha = 0.0;
    double beta = 1.0;
    int64_t wholeAlpha = 0; ///< used if isWhole
    int64_t wholeBeta = 1;
    bool isWhole = false; ///< alpha and beta were given as integers
    DataType type = DataType::kFLOAT;
    /// Selects a sequence of random numbers. Number i of run r is a function of seed, r and i.
    uint64_t seed = 0;

    bool isRandom() const noexcept { return operation != nvinfer1::FillOperation::kLINSPACE; }

    template <typename S, typename V>
    static void fields(S& self, V&& visit) {
        visit(self.operation, self.dims, self.alpha, self.beta, self.wholeAlpha, self.wholeBeta,
              self.isWhole, self.type, self.seed);
    }
    std::string problem() const;
    void inferChecked(InferContext& context) const;
    bool mayBeAbsent(int32_t) const override { return true; }
    TypeRule typeRule(int32_t operand, int32_t inputCount) const override;

private:
    void inferShape(InferContext& context) const;
    void checkOperand(InferContext const& context, Role role, int32_t rank) const;
    void followValues(InferContext& context) const;
};

} // namespace kiln::graph
