// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// If. A constant condition takes its branch, and the other one is not looked at.
// Layer: conditional. Both results have one rank, unless the condition is constant.

#include "kiln/api/network/if_conditional.h"
#include "onnx/control_flow.h"
#include "onnx/importer_registry.h"
#include "onnx/network_reason.h"

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
    Conditional conditional(context);
    std::vector<Value> ifTrue = take(true);
    std::vector<Value> ifFalse = take(false);
    if (ifTrue.size() != ifFalse.size()) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected branches with one number of outputs, got ", ifTrue.size(),
                          " and ", ifFalse.size(), "."));
    }
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
