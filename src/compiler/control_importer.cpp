// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/control_importer.h"

#include <algorithm>

#include "compiler/control_scope.h"
#include "graph/boundary/boundary.h"
#include "graph/boundary/conditional.h"
#include "graph/ops/control.h"
#include "graph/ops/identity.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {

void ControlImporter::run() {
    for (graph::Tensor const* input : inputs_) {
        copyNames(*input, known_.at(input));
    }
    importPlace(PlaceId::kOutside, nullptr);
}

void ControlImporter::importPlace(PlaceId id, FlowBlock const* loop) {
    auto const copyResults = [&](graph::Node const& node) {
        for (graph::Tensor const* output : node.outputs) {
            if (auto const found = known_.find(output); found != known_.end()) {
                copyNames(*output, found->second);
            }
        }
    };
    for (PlacedItem const& item : nesting_.place(id).items) {
        if (item.node != nullptr) {
            layers_.import(*item.node);
            copyResults(*item.node);
        } else if (item.isTest()) {
            if (loop != nullptr) {
                appendTest(*loop);
            }
        } else {
            FlowBlock const& block = nesting_.block(item.block);
            if (block.repeats) {
                importLoop(block);
            } else {
                importBranch(block);
            }
            for (graph::Node const* node : block.outputs) {
                copyResults(*node);
            }
        }
    }
}

void ControlImporter::importBranch(FlowBlock const& block) {
    Scope scope(known_, sharedBy({block.bodies[0], block.bodies[1]}));
    Decider const condition = decidedBy(*block.condition);
    auto open = std::make_unique<graph::Branch>();
    auto middle = std::make_unique<graph::Otherwise>();
    auto close = std::make_unique<graph::EndBranch>();
    open->shared = middle->shared = static_cast<int32_t>(scope.values().size());
    middle->results = close->results = static_cast<int32_t>(block.outputs.size());
    std::vector<ValueId> inputs{condition.value};
    for (ValueId const value : scope.values()) {
        inputs.push_back(value);
    }
    std::vector<ValueId> seen;
    for (ValueId const value : inputs) {
        seen.push_back(like(value, program_.value(value).name));
    }
    append(std::move(open), block, inputs, seen, condition.expr);
    scope.see({seen.begin() + 1, seen.end()});
    importPlace(block.bodies[0], nullptr);

    std::vector<ValueId> between = seen;
    std::vector<ValueId> behind;
    for (graph::Node const* node : block.outputs) {
        between.push_back(valueOf(node->inputs[0]));
    }
    for (ValueId const value : between) {
        behind.push_back(like(value, program_.value(value).name));
    }
    append(std::move(middle), block, between, behind);
    auto const results = behind.begin() + static_cast<std::ptrdiff_t>(seen.size());
    scope.see({behind.begin() + 1, results});
    importPlace(block.bodies[1], nullptr);

    std::vector<ValueId> last{behind.front()};
    last.insert(last.end(), results, behind.end());
    std::vector<ValueId> outputs;
    for (graph::Node const* node : block.outputs) {
        last.push_back(valueOf(node->inputs[1]));
    }
    for (graph::Node const* node : block.outputs) {
        outputs.push_back(valueFor(*node->outputs[0]));
    }
    for (graph::Node const* node : block.outputs) {
        close->sizes += addSizes(*node, outputs);
    }
    append(std::move(close), block, std::move(last), std::move(outputs));
}

int32_t ControlImporter::addSizes(graph::Node const& result, std::vector<ValueId>& outputs) {
    graph::ShapeExpr const& shape = result.outputs[0]->facts.shape;
    auto const end = shape.extent.begin() + shape.rank;
    int32_t count = 0;
    for (graph::DeclaredSize const& size : result.sizes) { // of this inference or an earlier one
        if (std::find(shape.extent.begin(), end, size.value) != end && size.number >= 0) {
            Value value;
            value.name = result.name + " (extent)";
            value.type.type = DataType::kINT64;
            outputs.push_back(program_.addValue(std::move(value)));
            layers_.noteSize(size.number, outputs.back());
            ++count;
        }
    }
    return count;
}

ControlImporter::Decider ControlImporter::decidedBy(graph::ExprRef expr) {
    Value value;
    value.name = program_.pool.toText(expr);
    value.role = plan::TensorRole::kValues;
    value.type.type = DataType::kINT64;
    value.values = {expr};
    return {expr, program_.addValue(std::move(value))};
}

ControlImporter::Decider ControlImporter::decidedBy(graph::Tensor& tensor) {
    return layers_.onHost(tensor) ? decidedBy(tensor.facts.values->front())
                                  : Decider{-1, valueOf(&tensor)};
}

ValueId ControlImporter::transposed(ValueId source, int32_t from, int32_t to,
                                    std::string const& name) {
    if (from == to) {
        return source;
    }
    auto op = std::make_unique<graph::Shuffle>();
    int32_t const rank = program_.value(source).shape.rank;
    auto const first = op->firstTranspose.begin();
    if (from > to) {
        std::rotate(first + to, first + from, first + from + 1);
    } else {
        std::rotate(first + from, first + from + 1, first + to + 1);
    }
    ValueId const result = like(source, program_.value(source).name + " (slices)");
    for (int32_t axis = 0; axis < rank; ++axis) {
        program_.value(result).shape[axis] =
            program_.value(source).shape[op->firstTranspose[static_cast<std::size_t>(axis)]];
    }
    Step step({source}, {result});
    step.name = name;
    step.op = std::move(op);
    rewriter_.append(std::move(step));
    return result;
}

/// Constants and host tensors are visible everywhere.
std::vector<graph::Tensor*> ControlImporter::sharedBy(std::initializer_list<PlaceId> bodies) const {
    std::vector<graph::Tensor*> shared;
    for (PlaceId const body : bodies) {
        for (graph::Tensor* tensor : nesting_.place(body).reads) {
            plan::TensorRole const role = program_.value(known_.at(tensor)).role;
            bool const fixed =
                role == plan::TensorRole::kConstant || role == plan::TensorRole::kValues;
            if (!fixed && std::find(shared.begin(), shared.end(), tensor) == shared.end()) {
                shared.push_back(tensor);
            }
        }
    }
    return shared;
}

ValueId ControlImporter::valueOf(graph::Tensor* tensor) const {
    return known_.at(Nesting::origin(tensor));
}

ValueId ControlImporter::like(ValueId value, std::string name) {
    Value copy;
    copy.name = std::move(name);
    copy.type.type = program_.value(value).type.type;
    copy.shape = program_.value(value).shape;
    return program_.addValue(std::move(copy));
}

ValueId ControlImporter::valueFor(graph::Tensor const& tensor) {
    Value value;
    value.name = tensor.name;
    value.type.type = tensor.facts.type;
    value.shape = tensor.facts.shape;
    value.debug = tensor.isDebug;
    ValueId const id = program_.addValue(std::move(value));
    known_[&tensor] = id;
    return id;
}

void ControlImporter::copyForListeners(graph::Node const& node) {
    graph::Tensor const& tensor = *node.outputs[0];
    if (!tensor.isDebug) {
        return;
    }
    ValueId const source = known_.at(&tensor);
    program_.value(source).debug = false;
    program_.value(source).name += " (current)";
    copyInto(source, valueFor(tensor), node.name);
}

void ControlImporter::copyNames(graph::Tensor const& tensor, ValueId source) {
    for (graph::Node const* user : tensor.users) {
        if (user->op->kind() == graph::ConditionalInput::kKind) {
            graph::Tensor const& name = *user->outputs[0];
            if (name.isDebug) {
                copyInto(source, valueFor(name), user->name);
            }
            copyNames(name, source);
        }
    }
}

void ControlImporter::copyInto(ValueId source, ValueId copy, std::string const& layer) {
    Step step({source}, {copy});
    step.name = layer;
    step.op = std::make_unique<graph::Identity>();
    rewriter_.append(std::move(step));
}

void ControlImporter::append(std::unique_ptr<graph::Op> op, FlowBlock const& block,
                             std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                             graph::ExprRef decider) {
    Step step(std::move(inputs), std::move(outputs));
    step.name = nameOf(block);
    step.op = std::move(op);
    step.decider = decider;
    rewriter_.append(std::move(step));
}

/// The name that the user gave it, else that of one of its layers.
std::string ControlImporter::nameOf(FlowBlock const& block) {
    auto const& mark = dynamic_cast<graph::BoundaryMark const&>(*block.first->op);
    return mark.blockName.empty() ? block.first->name : mark.blockName;
}

} // namespace kiln::compiler
