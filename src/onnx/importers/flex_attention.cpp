// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// FlexAttention of ai.onnx.preview: attention whose scores and weights pass graphs of the model.
// Layer: matrix multiply, elementwise and softmax. The compiler makes one kernel of what it knows.

#include "onnx/attention_formula.h"
#include "onnx/control_flow.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"

namespace kiln::onnx {

namespace {

// The graph of an attribute, as a function of one tensor; empty without the attribute.
std::function<Term(Term)> changeOf(NodeContext& context, std::string const& name) {
    if (!context.attributes().has(name)) {
        return {};
    }
    GraphProto const& graph = graphAttribute(context, name);
    return [&context, &graph, name](Term x) {
        auto results = context.surroundings().importGraph(graph, {x.value()},
                                                          context.layerName() + "/" + name);
        if (results.size() != 1 || results[0].sequence != nullptr || results[0].isNone) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("attribute '", name,
                              "': expected a graph with one tensor as output, ", "got ",
                              results.size(), " outputs."));
        }
        Term const result(context, context.tensorOf(results[0], name));
        if (result.rank() != x.rank() || result.type() != x.type()) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("attribute '", name, "': expected a result like its input ", x.dims(),
                              " of ", x.type(), ", got ", result.dims(), " of ", result.type(),
                              "."));
        }
        return result;
    };
}

void importFlexAttention(NodeContext& context) {
    AttentionFormula formula{Term::input(context, 0), Term::input(context, 1),
                             Term::input(context, 2)};
    for (Term const& operand : {formula.query, formula.key, formula.value}) {
        if (operand.rank() != 4) {
            context.fail(ErrorCode::kINVALID_NODE,
                         text("expected [batch, heads, length, size], got ", operand.dims(), "."));
        }
    }
    auto& attributes = context.attributes();
    formula.scale = attributes.real("scale", 0.0F);
    auto const precision = static_cast<ElementType>(
        toInt32(attributes.integer("softmax_precision", 1), "attribute 'softmax_precision'"));
    formula.softmaxType = requireDataType(precision, "attribute 'softmax_precision'");
    formula.changesScores = changeOf(context, "score_mod");
    formula.changesWeights = changeOf(context, "prob_mod");
    context.setOutput(0, attend(formula).output.value());
}

} // namespace

void registerImporter_flex_attention(ImporterRegistry& registry) {
    registry.add("ai.onnx.preview", "FlexAttention", importFlexAttention);
}

} // namespace kiln::onnx
