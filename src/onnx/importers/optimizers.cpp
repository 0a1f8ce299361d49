// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// One step of an optimizer, from ai.onnx.preview.training: Adagrad, Adam and Momentum. Behind the
// learning rate R and the number of earlier steps T come all parameters, then all gradients, then
// the states of each parameter.
// Layer: elementwise and unary.

#include "onnx/importer_registry.h"
#include "onnx/term.h"

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

// A scalar, also if the model gives it as a vector of one element.
Term scalarInput(NodeContext& context, size_t index) {
    Term const x = Term::input(context, index);
    return x.rank() == 0 ? x : x.reshaped(std::vector<int64_t>{});
}

// The inputs of an optimizer with so many states for each parameter.
class Step {
public:
    Step(NodeContext& context, size_t nbStates)
        : context_(context), groups_(nbStates + 2), rate_(scalarInput(context, 0)),
          time_(scalarInput(context, 1)) {
        size_t const tensors = context.nbInputs() - 2;
        if (tensors == 0 || tensors % groups_ != 0) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("expected R, T and groups of ", groups_,
                              " tensors: parameter, gradient and states, got ", tensors,
                              " tensors behind T."));
        }
        count_ = tensors / groups_;
        weightDecay_ = context.attributes().real("norm_coefficient", 0.0F);
    }

    size_t count() const { return count_; }
    Term parameter(size_t i) const { return part(0, i); }
    // With the gradient of the penalty for large parameters.
    Term gradient(size_t i) const { return part(1, i) + parameter(i) * weightDecay_; }
    Term state(size_t which, size_t i) const { return part(2 + which, i); }

    Term rate(Term like) const { return rate_.cast(like.type()).withRank(like.rank()); }
    Term time(Term like) const { return time_.cast(like.type()).withRank(like.rank()); }

    void setParameter(size_t i, Term x) { context_.setOutput(i, x.value()); }
    void setState(size_t which, size_t i, Term x) {
        context_.setOutput((which + 1) * count_ + i, x.value());
    }

private:
    Term part(size_t group, size_t i) const {
        return Term::input(context_, 2 + group * count_ + i);
    }

    NodeContext& context_;
    size_t groups_;
    size_t count_ = 0;
    Term rate_;
    Term time_;
    double weightDecay_ = 0;
};

void importAdagrad(NodeContext& context) {
    Step step(context, 1);
    double const decay = context.attributes().real("decay_factor", 0.0F);
    double const epsilon = context.attributes().real("epsilon", 0.0F);
    for (size_t i = 0; i < step.count(); ++i) {
        Term const gradient = step.gradient(i);
        Term const squares = step.state(0, i) + gradient * gradient;
        Term const rate = step.rate(gradient) / (step.time(gradient) * decay + 1.0);
        step.setParameter(i, step.parameter(i) - rate * gradient / (squares.sqrt() + epsilon));
        step.setState(0, i, squares);
    }
}

void importAdam(NodeContext& context) {
    Step step(context, 2);
    double const alpha = context.attributes().real("alpha", 0.9F);
    double const beta = context.attributes().real("beta", 0.999F);
    double const epsilon = context.attributes().real("epsilon", 0.0F);
    double const decay = context.attributes().real("norm_coefficient_post", 0.0F);
    for (size_t i = 0; i < step.count(); ++i) {
        Term const gradient = step.gradient(i);
        Term const mean = step.state(0, i) * alpha + gradient * (1.0 - alpha);
        Term const squares = step.state(1, i) * beta + gradient * gradient * (1.0 - beta);
        // Behind the first step, means of few gradients are corrected.
        Term const time = step.time(gradient);
        Term const rate = step.rate(gradient);
        Term const corrected =
            rate * (1.0 - time.like(beta).pow(time)).sqrt() / (1.0 - time.like(alpha).pow(time));
        Term const change =
            (time > 0.0).choose(corrected, rate) * mean / (squares.sqrt() + epsilon);
        step.setParameter(i, (step.parameter(i) - change) * (1.0 - decay));
        step.setState(0, i, mean);
        step.setState(1, i, squares);
    }
}

void importMomentum(NodeContext& context) {
    Step step(context, 1);
    double const alpha = context.attributes().real("alpha", 0.0F);
    double const beta = context.attributes().real("beta", 0.0F);
    std::string const mode = context.attributes().string("mode", "standard");
    if (mode != "standard" && mode != "nesterov") {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'mode': expected standard or nesterov, got '", mode, "'."));
    }
    for (size_t i = 0; i < step.count(); ++i) {
        Term const gradient = step.gradient(i);
        Term const time = step.time(gradient);
        Term const share = (time > 0.0).choose(time.like(beta), time.like(1.0));
        Term const momentum = step.state(0, i) * alpha + share * gradient;
        Term const change = mode == "standard" ? momentum : gradient + momentum * alpha;
        step.setParameter(i, step.parameter(i) - step.rate(gradient) * change);
        step.setState(0, i, momentum);
    }
}

} // namespace

void registerImporter_optimizers(ImporterRegistry& registry) {
    registry.add("ai.onnx.preview.training", "Adagrad", importAdagrad);
    registry.add("ai.onnx.preview.training", "Adam", importAdam);
    registry.add("ai.onnx.preview.training", "Momentum", importMomentum);
}

} // namespace kiln::onnx
