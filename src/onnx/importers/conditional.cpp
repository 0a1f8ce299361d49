// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// If. A constant condition takes its branch, and the other one is not looked at. Where the results
// have different ranks and shapes decide, the branch `else` is taken, and runs must not want the
// other one: torch writes a squeeze of an unknown extent as If(extent == 1, Squeeze, Identity).
// Layer: conditional. Both results have one rank, unless constants or shapes decide.

#include "kiln/api/network/assertion_layer.h"
#include "kiln/api/network/if_conditional.h"
#include "onnx/control_flow.h"
#include "onnx/double_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/network_reason.h"
#include "onnx/term.h"

#include <kiln/known_values.h>

namespace kiln::onnx {

namespace {

class Conditional {
public:
    explicit Conditional(NodeContext& context) : context_(context) {
        conditional_ = context.network().addIfConditional();
        if (conditional_ == nullptr) {
            context.fail(ErrorCode::kINVALID_NODE,
                         "the network refused a conditional: " + networkReason());
        }
        conditional_->setName(context.layerName().c_str());
        auto& condition = scalarOf(context, context.input(0), "condition");
        context.named(conditional_->setCondition(condition), "if");
    }

    // The value that the condition selects.
    Value choose(Value& first, Value& second, std::string const& role) {
        if (first.isNone && second.isNone) {
            return Value::none();
        }
        if (first.sequence != nullptr && second.sequence != nullptr) {
            return chooseSequence(*first.sequence, *second.sequence, role);
        }
        if (haveDigits(first, second)) {
            auto* const layer = conditional_->addOutput(bitsOf(context_, first).tensor(),
                                                        bitsOf(context_, second).tensor());
            return fromBits(Term(context_, *context_.named(layer, role + "/bits").getOutput(0)));
        }
        auto& one = tensorOf(context_, first, role + "/then");
        auto& other = tensorOf(context_, second, role + "/else");
        nvinfer1::Dims const dims = context_.dims(one);
        nvinfer1::Dims const otherDims = context_.dims(other);
        if (one.getType() != other.getType()) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                          text(role, ": expected one type in both branches, got ", one.getType(),
                               " and ", other.getType(), "."));
        }
        if (dims.nbDims != otherDims.nbDims) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                          text(role, ": expected one rank in both branches, got the shapes ", dims,
                               " and ", otherDims,
                               ". Make the condition a constant, or reshape one of them."));
        }
        auto* const layer = conditional_->addOutput(one, other);
        Value result(*context_.named(layer, role).getOutput(0));
        result.meant = first.meant;
        return result;
    }

private:
    bool haveDigits(Value const& first, Value const& second) const {
        return hasDigits(context_, first) && hasDigits(context_, second) &&
               context_.dims(first).nbDims == context_.dims(second).nbDims;
    }

    Value chooseSequence(std::vector<Value> first, std::vector<Value> second,
                         std::string const& role) {
        if (first.size() != second.size()) {
            context_.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                          text(role, ": expected sequences of one length, got ", first.size(),
                               " and ", second.size(), "."));
        }
        std::vector<Value> chosen;
        for (size_t i = 0; i < first.size(); ++i) {
            if (first[i].isStack != second[i].isStack) {
                context_.fail(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                              text(role, ": expected sequences of known lengths, got one that a ",
                                   "loop makes. Give the loop a constant number of passes."));
            }
            chosen.push_back(choose(first[i], second[i], text(role, "/", i)));
            chosen.back().isStack = first[i].isStack;
        }
        return Value(chosen);
    }

    NodeContext& context_;
    nvinfer1::IIfConditional* conditional_;
};

void setAll(NodeContext& context, std::vector<Value> const& values) {
    size_t const wanted = context.node().outputs.size();
    if (values.size() < wanted) {
        context.fail(ErrorCode::kINVALID_NODE, text("expected ", wanted, " outputs of a branch, ",
                                                    "got ", values.size(), "."));
    }
    for (size_t i = 0; i < wanted; ++i) {
        context.setOutput(i, values[i]);
    }
}

bool haveOneRank(NodeContext& context, Value const& first, Value const& second) {
    bool const tensors = (first.isConstant || first.tensor != nullptr) &&
                         (second.isConstant || second.tensor != nullptr);
    return !tensors || context.dims(first).nbDims == context.dims(second).nbDims;
}

// Whether the results of the branches have different ranks, and shapes say which one is taken.
bool mustChooseBranch(NodeContext& context, std::vector<Value> const& ifTrue,
                      std::vector<Value> const& ifFalse) {
    Value const& condition = context.input(0);
    bool differs = false;
    for (size_t i = 0; i < ifTrue.size() && i < ifFalse.size(); ++i) {
        differs = differs || !haveOneRank(context, ifTrue[i], ifFalse[i]);
    }
    return differs && condition.tensor != nullptr && kiln::hasShapeValues(*condition.tensor);
}

// Runs whose shapes make the condition true fail.
void expectFalse(NodeContext& context) {
    std::string const message =
        text("node '", context.layerName(), "' (If): expected shapes that make the condition ",
             "false, because its branches have different ranks, got others. Change the shapes, or ",
             "export the model with fixed ones.");
    Term const condition(context, scalarOf(context, context.input(0), "condition"));
    Term const holds = !condition.cast(nvinfer1::DataType::kBOOL);
    auto& layer =
        context.named(context.network().addAssertion(holds.tensor(), message.c_str()), "assertion");
    layer.setMessage(message.c_str());
    context.log()(nvinfer1::ILogger::Severity::kWARNING, "node '", context.layerName(),
                  "' (If): the branches have different ranks; the engine has the branch 'else', ",
                  "and refuses shapes that want the other one");
}

void importIf(NodeContext& context) {
    GraphProto const& first = graphAttribute(context, "then_branch");
    GraphProto const& second = graphAttribute(context, "else_branch");
    auto const take = [&](bool truth) {
        return context.surroundings().importGraph(
            truth ? first : second, {}, text(context.layerName(), truth ? "/then" : "/else"));
    };
    if (auto const known = knownNumber(context.input(0))) {
        setAll(context, take(*known != 0));
        return;
    }
    std::vector<Value> ifTrue = take(true);
    std::vector<Value> ifFalse = take(false);
    if (ifTrue.size() != ifFalse.size()) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected branches with one number of outputs, got ", ifTrue.size(),
                          " and ", ifFalse.size(), "."));
    }
    if (mustChooseBranch(context, ifTrue, ifFalse)) {
        expectFalse(context);
        setAll(context, ifFalse);
        return;
    }
    Conditional conditional(context);
    std::vector<Value> chosen;
    for (size_t i = 0; i < ifTrue.size() && i < context.node().outputs.size(); ++i) {
        chosen.push_back(conditional.choose(ifTrue[i], ifFalse[i], text("output", i)));
    }
    setAll(context, chosen);
}

} // namespace

void registerImporter_conditional(ImporterRegistry& registry) {
    registry.add("If", importIf);
}

} // namespace kiln::onnx
