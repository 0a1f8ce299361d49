// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/node_context.h"

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/half.h"
#include "onnx/network_reason.h"

#include <algorithm>
#include <cstring>
#include <kiln/known_values.h>

#include <utility>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

NodeContext::NodeContext(Graph& graph, NodeProto const& node, std::string layerName,
                         std::vector<Value*> inputs, Surroundings* surroundings)
    : graph_(graph), node_(node), layerName_(std::move(layerName)), attributes_(node),
      inputs_(std::move(inputs)), surroundings_(surroundings), outputs_(node.outputs.size()) {}

bool NodeContext::hasInput(size_t index) const {
    return index < inputs_.size() && inputs_[index] != nullptr;
}

Value& NodeContext::input(size_t index) {
    Value& value = anyInput(index);
    if (value.sequence != nullptr) {
        fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
             text("input ", index, ": expected a tensor, got a sequence of ",
                  value.sequence->size(), " elements."));
    }
    return value;
}

Value& NodeContext::anyInput(size_t index) {
    if (!hasInput(index)) {
        fail(ErrorCode::kINVALID_NODE,
             text("expected input ", index, ", got ", inputs_.size(), " inputs."));
    }
    return *inputs_[index];
}

nvinfer1::ITensor& NodeContext::tensor(size_t index) {
    Value& value = input(index); // checks the index before anything else uses it
    std::string const& name = index < node_.inputs.size() ? node_.inputs[index] : layerName_;
    return tensorOf(value, surroundings_ != nullptr ? surroundings_->fullName(name) : name);
}

nvinfer1::ITensor& NodeContext::tensorOf(Value& value, std::string_view name) {
    if (value.tensor == nullptr) {
        auto* layer = network().addConstant(value.constant.dims, value.constant.weights);
        if (layer == nullptr) {
            refused(name);
        }
        layer->setName(std::string(name).c_str());
        value.tensor = layer->getOutput(0);
        value.tensor->setName(std::string(name).c_str());
    }
    return *value.tensor;
}

Constant const& NodeContext::constant(size_t index, std::string_view role) {
    Value const& value = input(index);
    if (!value.isConstant) {
        fail(ErrorCode::kUNSUPPORTED_NODE_INPUT,
             text("input ", index, " (", role, "): expected a constant, got '",
                  index < node_.inputs.size() ? node_.inputs[index] : "",
                  "', which is computed. Fold constants first."));
    }
    return value.constant;
}

Constant const& NodeContext::fewElements(size_t index, std::string_view role, int64_t most) {
    Constant const& found = constant(index, role);
    if (found.weights.count > most) {
        fail(ErrorCode::kINVALID_NODE, text("input ", index, " (", role, "): expected ", most,
                                            most == 1 ? " element" : " elements", " at most, got ",
                                            found.weights.count, "."));
    }
    return found;
}

std::optional<std::vector<int64_t>> NodeContext::computed(size_t index, int64_t most) {
    Value const& value = input(index);
    if (value.tensor == nullptr) {
        return std::nullopt;
    }
    int64_t const count = kiln::knownValues(*value.tensor, nullptr, 0);
    if (count < 0 || count > most) {
        return std::nullopt;
    }
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    kiln::knownValues(*value.tensor, numbers.data(), count);
    return numbers;
}

bool NodeContext::isKnown(size_t index) {
    Value const& value = input(index);
    return value.isConstant || kiln::knownValues(*value.tensor, nullptr, 0) >= 0;
}

std::vector<int64_t> NodeContext::integers(size_t index, std::string_view role, int64_t most) {
    if (!input(index).isConstant) {
        if (auto const numbers = computed(index, most)) {
            return *numbers;
        }
    }
    return integersOf(fewElements(index, role, most), role);
}

float NodeContext::real(size_t index, std::string_view role) {
    if (!input(index).isConstant) {
        auto const numbers = computed(index, 1);
        if (numbers && numbers->size() == 1) {
            return static_cast<float>(numbers->front());
        }
    }
    auto const values = floatsOf(fewElements(index, role, 1), role);
    if (values.empty()) {
        fail(ErrorCode::kINVALID_NODE,
             text("input ", index, " (", role, "): expected 1 element, ", "got none."));
    }
    return values[0];
}

Dims NodeContext::dimsOf(nvinfer1::ITensor const& tensor) const {
    static_cast<void>(kiln::takeLastError()); // of an earlier call
    Dims const dims = tensor.getDimensions();
    if (dims.nbDims < 0) {
        ImportError error(ErrorCode::kINVALID_NODE, text("the shape of '", tensor.getName(),
                                                         "' cannot be derived: ", networkReason()));
        error.breaksNetwork = true;
        throw error;
    }
    return dims;
}

Dims NodeContext::dims(Value const& value) const {
    return value.isConstant ? value.constant.dims : dimsOf(*value.tensor);
}

DataType NodeContext::typeOf(Value const& value) {
    return value.isConstant ? value.constant.weights.type : value.tensor->getType();
}

ElementType NodeContext::elementType(size_t index) {
    Value const& value = input(index);
    return value.meant != ElementType::kUndefined ? value.meant : elementTypeOf(typeOf(value));
}

void NodeContext::setInput(size_t index, Value const& value) {
    inputs_.resize(std::max(inputs_.size(), index + 1));
    inputs_[index] = &ownInputs_.emplace_back(value);
}

nvinfer1::ITensor& NodeContext::scalar(float value, DataType type, int32_t rank,
                                       std::string_view suffix) {
    std::byte* bytes = tensors().store.allocate(sizeof(float));
    if (type == DataType::kFLOAT) {
        std::memcpy(bytes, &value, sizeof(value));
    } else if (type == DataType::kHALF || type == DataType::kBF16) {
        uint16_t const bits = type == DataType::kHALF ? floatToHalf(value) : floatToBfloat16(value);
        std::memcpy(bytes, &bits, sizeof(bits));
    } else {
        fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
             text("expected a floating-point type, got ", type, "."));
    }
    Dims const dims = repeatedDims(rank, 1, "scalar");
    return *named(network().addConstant(dims, {type, bytes, 1}), suffix).getOutput(0);
}

void NodeContext::setOutput(size_t index, Value const& value) {
    if (index < outputs_.size()) {
        outputs_[index] = value;
    }
}

void NodeContext::fail(ErrorCode code, std::string const& what, std::source_location where) const {
    throw ImportError(code, what, where);
}

void NodeContext::refused(std::string_view suffix) const {
    fail(ErrorCode::kINVALID_NODE,
         text("the network refused the layer", suffix.empty() ? "" : " for '", suffix,
              suffix.empty() ? "" : "'", ": ", networkReason()));
}

} // namespace kiln::onnx
