// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/host_inputs.h"

#include <algorithm>
#include <vector>

#include "graph/ops/control.h"
#include "plugin/plugin_layer.h"

namespace kiln::compiler {

// Iterative: a model may nest expressions deeper than the call stack allows.
void HostInputs::add(graph::ExprRef ref) {
    std::vector<graph::ExprRef> waiting{ref};
    while (!waiting.empty()) {
        graph::ExprRef const at = waiting.back();
        waiting.pop_back();
        if (!seen_.insert(at).second) {
            continue;
        }
        graph::ExprNode const& node = pool_.node(at);
        if (node.op == graph::ExprOp::kShapeValue) {
            numbers_.insert(node.a);
        } else if (node.op == graph::ExprOp::kSizeTensor) {
            waiting.push_back(node.b);
            waiting.push_back(static_cast<graph::ExprRef>(node.value));
        } else if (node.op >= graph::ExprOp::kSum) {
            waiting.push_back(node.a);
            waiting.push_back(node.b);
        }
    }
}

void HostInputs::add(graph::ShapeExpr const& shape) {
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        add(shape[axis]);
    }
}

void HostInputs::add(graph::ShapeValues const& values) {
    for (graph::ExprRef const ref : values) {
        add(ref);
    }
}

void HostInputs::add(graph::Node const& node) {
    for (graph::Tensor const* output : node.outputs) {
        add(output->facts.shape);
    }
    if (graph::opensBody(*node.op)) {
        add(*node.inputs[0]->facts.values);
    }
    auto const* layer = dynamic_cast<plugin::PluginLayer const*>(node.op.get());
    auto const count = static_cast<std::size_t>(layer == nullptr ? 0 : layer->shapeInputCount());
    for (std::size_t i = node.inputs.size() - count; i < node.inputs.size(); ++i) {
        add(*node.inputs[i]->facts.values);
    }
}

bool HostExprs::isKnown(graph::ExprNode const& node) const {
    auto const known = [&](int64_t ref) { return known_[static_cast<std::size_t>(ref)]; };
    if (node.op == graph::ExprOp::kShapeValue) {
        return inputs_.contains(node.a);
    }
    if (node.op == graph::ExprOp::kSizeTensor) {
        return known(node.b) && known(node.value);
    }
    return node.op < graph::ExprOp::kSum || (known(node.a) && known(node.b));
}

bool HostExprs::contain(graph::ShapeValues const& values) {
    return std::all_of(values.begin(), values.end(), [&](graph::ExprRef ref) {
        while (known_.size() <= static_cast<std::size_t>(ref)) { // operands precede their users
            known_.push_back(isKnown(pool_.nodes()[known_.size()]));
        }
        return known_[static_cast<std::size_t>(ref)];
    });
}

} // namespace kiln::compiler
