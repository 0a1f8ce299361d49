// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// An importer's access to the node that it converts to layers.
#pragma once

#include "kiln/api/network/network_definition.h"
#include "onnx/attributes.h"
#include "onnx/import_error.h"
#include "onnx/log.h"
#include "onnx/proto/messages.h"
#include "onnx/surroundings.h"
#include "onnx/tensor_data.h"
#include "onnx/text.h"
#include "onnx/value.h"

#include <deque>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

class NodeContext {
public:
    // State that all nodes of a graph share.
    struct Graph {
        nvinfer1::INetworkDefinition& network;
        Log log;
        TensorSource tensors;
        int64_t opset;
        int64_t largestExtent; // that data gives
    };

    // inputs: one for each name of the node; null for absent optional ones.
    // surroundings: the graph around the node; importers that need one are not called without.
    NodeContext(Graph& graph, NodeProto const& node, std::string layerName,
                std::vector<Value*> inputs, Surroundings* surroundings = nullptr);

    NodeProto const& node() const { return node_; }
    int64_t opset() const { return graph_.opset; }
    int64_t largestExtent() const { return graph_.largestExtent; }
    nvinfer1::INetworkDefinition& network() const { return graph_.network; }
    Log const& log() const { return graph_.log; }
    TensorSource const& tensors() const { return graph_.tensors; }
    std::string const& layerName() const { return layerName_; }
    Attributes& attributes() { return attributes_; }
    Surroundings& surroundings() const { return *surroundings_; }

    size_t nbInputs() const { return inputs_.size(); }
    bool hasInput(size_t index) const;

    // Input `index`, a tensor or a constant; ImportError if the node lacks it.
    Value& input(size_t index);
    // The same, or a sequence.
    Value& anyInput(size_t index);

    // The input as a tensor of the network. A constant becomes a layer on first use.
    nvinfer1::ITensor& tensor(size_t index);
    nvinfer1::ITensor& tensorOf(Value& value, std::string_view name);

    // The input as a constant; ImportError, naming the role, if it is computed.
    Constant const& constant(size_t index, std::string_view role);

    // Whether the elements of an input are the same in every run: a constant, or integers that the
    // network computes from constants and known extents.
    bool isKnown(size_t index);

    // The elements of such an input. ImportError if there are more than `most`: operators take
    // few numbers, and nodes may share a constant of any size.
    std::vector<int64_t> integers(size_t index, std::string_view role, int64_t most);

    // The single element of such a constant.
    float real(size_t index, std::string_view role);

    // The dimensions and the type of a value; ImportError if the shape is unknown.
    nvinfer1::Dims dims(Value const& value) const;
    nvinfer1::Dims dims(nvinfer1::ITensor const& tensor) const { return dimsOf(tensor); }
    static nvinfer1::DataType typeOf(Value const& value);
    // The type of input `index` in the model.
    ElementType elementType(size_t index);

    // Names a new layer after the node; ImportError if the network refused it (null).
    template <typename Layer>
    Layer& named(Layer* layer, std::string_view suffix = "") {
        if (layer == nullptr) {
            refused(suffix);
        }
        layer->setName(suffix.empty() ? layerName_.c_str()
                                      : (layerName_ + "/" + std::string(suffix)).c_str());
        return *layer;
    }

    // A constant layer of one element of a floating-point type, in a shape of `rank` ones.
    nvinfer1::ITensor& scalar(float value, nvinfer1::DataType type, int32_t rank,
                              std::string_view suffix);

    // The name of one of many layers of the node.
    std::string nextName() { return text("part", layers_++); }

    void setOutput(size_t index, Value const& value);
    // The same for a type of the model, which may have another one in the network.
    void setOutput(size_t index, Value value, ElementType meant) {
        value.meant = meant;
        setOutput(index, value);
    }
    // Replaces an input, as rules of old operator sets need it.
    void setInput(size_t index, Value const& value);
    void setOutput(nvinfer1::ILayer& layer) { setOutput(0, Value(*layer.getOutput(0))); }
    std::vector<Value> const& outputs() const { return outputs_; }

    [[noreturn]] void fail(ErrorCode code, std::string const& what,
                           std::source_location where = std::source_location::current()) const;

private:
    [[noreturn]] void refused(std::string_view suffix) const;
    // Integers that are computed, if the network knows them.
    std::optional<std::vector<int64_t>> computed(size_t index, int64_t most);
    Constant const& fewElements(size_t index, std::string_view role, int64_t most);
    nvinfer1::Dims dimsOf(nvinfer1::ITensor const& tensor) const;

    Graph& graph_;
    NodeProto const& node_;
    std::string layerName_;
    Attributes attributes_;
    std::vector<Value*> inputs_;
    std::deque<Value> ownInputs_; // addresses stay
    Surroundings* surroundings_;
    std::vector<Value> outputs_;
    int32_t layers_ = 0; // that have a number
};

} // namespace kiln::onnx
