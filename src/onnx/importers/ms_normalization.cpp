// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Operators of com.microsoft around normalization and softmax: GroupNorm and SkipGroupNorm, which
// have channels last by default, BiasSoftmax and BiasDropout.
// Source: ContribOperators.md of ONNX Runtime.
// Layer: normalization, softmax and elementwise.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// Over groups of channels, by channel scale and shift; then SiLU if activation is 1.
Term groupNormalized(NodeContext& context, Term x, Term scale, Term bias) {
    auto& attributes = context.attributes();
    bool const last = attributes.integer("channels_last", 1) != 0;
    int64_t const groups = attributes.integer("groups", 0);
    int32_t const rank = x.rank();
    if (groups < 1 || rank < 3) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected 3 dimensions or more and groups, got ", x.dims(), " and ",
                          groups, " groups."));
    }
    Axes toFirst{0, rank - 1};
    Axes toLast{0};
    for (int32_t axis = 1; axis < rank - 1; ++axis) {
        toFirst.push_back(axis);
        toLast.push_back(axis + 1);
    }
    toLast.push_back(1);
    Term const data = last ? x.transposed(toFirst) : x;
    auto const byChannel = [&](Term vector) {
        return vector.cast(x.type()).inserted(axesBetween(1, rank - 1)).withRank(rank);
    };
    Term const factors = byChannel(scale);
    Term const offsets = byChannel(bias);
    uint32_t axes = 0; // one group is all channels, which the layer does not call a group
    for (int32_t axis = groups == 1 ? 1 : 2; axis < rank; ++axis) {
        axes |= 1U << static_cast<uint32_t>(axis);
    }
    auto* layer = context.network().addNormalizationV2(data.tensor(), factors.tensor(),
                                                       offsets.tensor(), axes);
    Term result = data.of(layer);
    layer->setNbGroups(groups);
    layer->setEpsilon(attributes.real("epsilon", 1e-5F));
    result = last ? result.transposed(toLast) : result;
    return attributes.integer("activation", 0) == 1 ? result * result.sigmoid() : result;
}

// Inputs: x, gamma, beta.
void importGroupNorm(NodeContext& context) {
    context.setOutput(0, groupNormalized(context, Term::input(context, 0), Term::input(context, 1),
                                         Term::input(context, 2))
                             .value());
}

// Inputs: x, gamma, beta, skip of the shape of x or with spatial extents of 1 or none, bias by
// channel. Output 1 is the sum.
void importSkipGroupNorm(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term skip = Term::input(context, 3);
    if (skip.rank() == 2) { // [batch, channels]
        bool const last = context.attributes().integer("channels_last", 1) != 0;
        skip = skip.inserted(last ? axesBetween(1, x.rank() - 1) : axesBetween(2, x.rank()));
    }
    Term sum = x + skip;
    if (context.hasInput(4)) {
        sum = sum + Term::input(context, 4);
    }
    Term const result =
        groupNormalized(context, sum, Term::input(context, 1), Term::input(context, 2));
    context.setOutput(0, result.value());
    context.setOutput(1, sum.value());
}

// softmax(data + bias) over the axes from `axis` on.
void importBiasSoftmax(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const sum = Term::input(context, 0) + Term::input(context, 1);
    attributes.integer("is_inner_broadcast", 0); // the extents of the bias say it
    int32_t const rank = sum.rank();
    int32_t const axis = toAxis(attributes.integer("axis", 1), rank);
    if (axis == rank - 1) {
        context.setOutput(0, sum.softmax(axis).value());
        return;
    }
    Term const rows =
        axis == 0 ? Term::vector(context, {1}) : sum.extents(axesBetween(0, axis)).product({0});
    Term const columns = sum.extents(axesBetween(axis, rank)).product({0});
    Term const flat = sum.reshaped(Term::joined({rows, columns}, 0));
    context.setOutput(0, flat.softmax(1).reshaped(sum.shape()).value());
}

// data + bias + residual; nothing is dropped in inference.
void importBiasDropout(NodeContext& context) {
    Term sum = Term::input(context, 0) + Term::input(context, 1);
    if (context.hasInput(2)) {
        sum = sum + Term::input(context, 2);
    }
    context.attributes().integer("seed", 0);
    if (context.hasInput(4)) {
        Constant const& training = context.constant(4, "training_mode");
        if (training.weights.count != 1 ||
            *static_cast<char const*>(training.weights.values) != 0) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
                         "training_mode: expected false. Export the model for inference.");
        }
    }
    context.setOutput(0, sum.value());
    context.setOutput(1, Term::number(context, 1, DataType::kBOOL).expanded(sum.shape()).value());
}

} // namespace

void registerImporter_ms_normalization(ImporterRegistry& registry) {
    registry.add("com.microsoft", "GroupNorm", importGroupNorm);
    registry.add("com.microsoft", "SkipGroupNorm", importSkipGroupNorm);
    registry.add("com.microsoft", "BiasSoftmax", importBiasSoftmax);
    registry.add("com.microsoft", "BiasDropout", importBiasDropout);
}

} // namespace kiln::onnx
