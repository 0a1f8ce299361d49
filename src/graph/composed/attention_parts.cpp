// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/attention_parts.h"

#include <array>
#include <vector>

#include "graph/composed/attention_places.h"
#include "graph/composed/attention_ranks.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/quantize.h"
#include "graph/ops/slice.h"
#include "graph/ops/softmax.h"
#include "graph/ops/unary.h"
#include "graph/parts.h"

namespace kiln::graph {
namespace {

using nvinfer1::AttentionNormalizationOp;
using nvinfer1::CausalMaskKind;
using nvinfer1::ElementWiseOperation;
using Extent = Parts::Extent;
using Role = AttentionLayer::Role;

class AttentionBuilder {
public:
    AttentionBuilder(AttentionLayer const& op, InferContext const& context)
        : op_(op), context_(context), parts_(context), places_(op, context.pool, parts_),
          type_(context.inputs[AttentionLayer::kQuery].type) {}

    std::unique_ptr<Region> build() {
        int32_t const query = places_.asPadded(AttentionLayer::kQuery);
        int32_t const key = withQueryHeads(ofAllRanks(AttentionLayer::kKey));
        int32_t const value = withQueryHeads(ofAllRanks(AttentionLayer::kValue));
        MatrixMultiply scores;
        scores.operation[1] = nvinfer1::MatrixOperation::kTRANSPOSE;
        int32_t const weights = normalized(masked(parts_.add(scores, {query, key})));
        int32_t result = parts_.add(MatrixMultiply(), {quantized(weights), value});
        if (int32_t const seen = places_.queriesInside(); seen >= 0) {
            result = parts_.select(seen, result, parts_.zeroLike(result));
        }
        return parts_.finish({places_.asQuery(result)});
    }

private:
    int32_t ofAllRanks(Role role) {
        int32_t const own = places_.asPadded(role);
        return op_.ranks == 1 ? own : gatheredSequence(parts_, context_.pool, own, op_.ranks);
    }

    /// Heads of keys, each repeated for the heads of the query that read it.
    int32_t withQueryHeads(int32_t value) {
        ExprPool const& pool = context_.pool;
        int64_t const heads = pool.constantOr(context_.inputs[AttentionLayer::kQuery].shape[1]);
        int64_t const own = pool.constantOr(parts_.facts(value).shape[1]);
        if (heads <= 0 || own <= 1 || heads == own) {
            return value; // a product repeats one head
        }
        int32_t const apart =
            parts_.reshape(value, {Extent::ofAxis(0), Extent::ofAxis(1), Extent::of(1),
                                   Extent::ofAxis(2), Extent::ofAxis(3)});
        Slice repeat;
        repeat.axes = {1, {2}};
        repeat.start = {1, {0}};
        repeat.size = {1, {heads / own}};
        repeat.stride = {1, {0}};
        return parts_.reshape(parts_.add(repeat, {apart}), {Extent::ofAxis(0), Extent::of(heads),
                                                            Extent::ofAxis(3), Extent::ofAxis(4)});
    }

    int32_t masked(int32_t scores) {
        int32_t kept = places_.mayBeSeen(); // a condition, or -1
        int32_t added = -1;
        if (parts_.has(AttentionLayer::kMask)) {
            bool const isCondition = parts_.facts(AttentionLayer::kMask).type == DataType::kBOOL;
            if (isCondition) {
                kept = kept < 0 ? static_cast<int32_t>(AttentionLayer::kMask)
                                : parts_.elementWise(ElementWiseOperation::kAND, kept,
                                                     AttentionLayer::kMask);
            } else {
                added = AttentionLayer::kMask;
            }
        }
        mayBeEmpty_ = kept >= 0 || added >= 0;
        int32_t const causal = places_.causal();
        if (added >= 0) {
            // One number for each score: then the compiler sees one mask.
            if (kept >= 0) {
                added = parts_.select(kept, added, hidden());
                kept = -1;
            }
            scores = parts_.elementWise(ElementWiseOperation::kSUM, scores, added);
        }
        if (causal >= 0) {
            kept = kept < 0 ? causal : parts_.elementWise(ElementWiseOperation::kAND, causal, kept);
            mayBeEmpty_ = mayBeEmpty_ || places_.causalMayHideAll();
        }
        return kept < 0 ? scores : parts_.select(kept, scores, hidden());
    }

    /// The score of a key that is not seen: -infinity, or 0 if scores are not normalized.
    int32_t hidden() {
        int32_t const zero = parts_.number(0.0, type_, 4);
        if (op_.normalization == AttentionNormalizationOp::kNONE) {
            return zero;
        }
        return parts_.elementWise(ElementWiseOperation::kDIV, parts_.number(-1.0, type_, 4), zero);
    }

    int32_t normalized(int32_t scores) {
        if (op_.normalization == AttentionNormalizationOp::kNONE) {
            return scores;
        }
        SoftMax softmax;
        softmax.axes = 1U << 3U;
        int32_t const weights = parts_.add(softmax, {scores});
        if (!mayBeEmpty_) {
            return weights;
        }
        // A query without keys has weights that are not numbers.
        Unary isNotNumber;
        isNotNumber.operation = nvinfer1::UnaryOperation::kISNAN;
        int32_t const nowhere = parts_.add(isNotNumber, {weights});
        return parts_.select(nowhere, parts_.zeroLike(weights), weights);
    }

    /// Weights as they are after rounding to the type of quantized ones.
    int32_t quantized(int32_t weights) {
        if (op_.quantizedType == DataType::kFLOAT) {
            return weights;
        }
        int32_t const scale = parts_.reshape(AttentionLayer::kScale, std::vector<Extent>(4));
        Quantize quantize;
        quantize.toType = op_.quantizedType;
        Dequantize dequantize;
        dequantize.toType = type_;
        return parts_.add(dequantize, {parts_.add(quantize, {weights, scale}), scale});
    }

    AttentionLayer const& op_;
    InferContext const& context_;
    Parts parts_;
    AttentionPlaces places_;
    DataType type_;
    bool mayBeEmpty_ = false; ///< a query may see no key
};

} // namespace

std::unique_ptr<Region> attentionParts(AttentionLayer const& op, InferContext const& context) {
    return AttentionBuilder(op, context).build();
}

} // namespace kiln::graph
