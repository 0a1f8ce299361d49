// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: the negated score of the wanted class,
// times its weight. Scores: [batch, classes, ...], targets: [batch, ...].
// Layer: gather, elementwise and reduce.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

Term likelihoodLoss(NodeContext& context, Term scores) {
    auto& attributes = context.attributes();
    Term const target = Term::input(context, 1).cast(DataType::kINT64);
    bool const ignores = attributes.has("ignore_index");
    Term const used = !(target == static_cast<double>(attributes.integer("ignore_index", 0)));
    Term const index = ignores ? used.choose(target, target.like(0)) : target;
    Term const picked = scores.gatheredElements(index.inserted({1}), 1).removed({1});
    Term weight = context.hasInput(2) ? Term::input(context, 2).gathered(index, 0)
                                      : (index * 0.0).cast(scores.type()) + 1;
    weight = ignores ? used.choose(weight, weight.like(0)) : weight;
    Term const loss = -(picked * weight);
    std::string const reduction = attributes.string("reduction", "mean");
    Axes const all = axesBetween(0, loss.rank());
    if (reduction == "none") {
        return loss;
    }
    if (reduction == "sum") {
        return loss.sum(all, false);
    }
    if (reduction != "mean") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'reduction': expected none, sum or mean, got '", reduction, "'."));
    }
    return loss.sum(all, false) / weight.sum(all, false);
}

void importLikelihood(NodeContext& context) {
    context.setOutput(0, likelihoodLoss(context, Term::input(context, 0)).value());
}

void importCrossEntropy(NodeContext& context) {
    Term const x = Term::input(context, 0);
    Term const shifted = x - x.largest({1});
    Term const scores = shifted - shifted.exp().sum({1}).log();
    context.setOutput(0, likelihoodLoss(context, scores).value());
    context.setOutput(1, scores.value());
}

} // namespace

void registerImporter_loss(ImporterRegistry& registry) {
    registry.add("NegativeLogLikelihoodLoss", importLikelihood);
    registry.add("SoftmaxCrossEntropyLoss", importCrossEntropy);
}

} // namespace kiln::onnx
