// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model_types.h"

#include "onnx/element_type.h"

namespace kiln::onnx {

namespace {

class TypeFinder {
public:
    void visit(GraphProto const& graph) {
        for (TensorProto const& tensor : graph.initializers) {
            add(tensor.type);
        }
        for (SparseTensorProto const& tensor : graph.sparseInitializers) {
            add(tensor.values.type);
        }
        for (ValueInfoProto const& input : graph.inputs) {
            add(input.type);
        }
        visit(graph.nodes);
    }
    void visit(std::vector<NodeProto> const& nodes) {
        for (NodeProto const& node : nodes) {
            for (AttributeProto const& attribute : node.attributes) {
                visit(attribute);
            }
        }
    }

    std::set<ElementType> found;

private:
    void visit(AttributeProto const& attribute) {
        bool const isType = attribute.name == "to" || attribute.name == "dtype";
        if (attribute.graph != nullptr) {
            visit(*attribute.graph);
        } else if (attribute.type == AttributeType::kTensor) {
            add(attribute.tensorValue().type);
        } else if (attribute.sparseValue != nullptr) {
            add(attribute.sparseValue->values.type);
        } else if (isType && attribute.type == AttributeType::kInt && attribute.intValue > 0 &&
                   attribute.intValue < 100) {
            add(static_cast<ElementType>(attribute.intValue));
        }
    }
    void add(ElementType type) {
        if (isReplaced(type)) {
            found.insert(type);
        }
    }
};

} // namespace

std::set<ElementType> replacedTypesOf(ModelProto const& model) {
    TypeFinder finder;
    if (model.graph) {
        finder.visit(*model.graph);
    }
    for (FunctionProto const& function : model.functions) {
        finder.visit(function.nodes);
    }
    return finder.found;
}

} // namespace kiln::onnx
