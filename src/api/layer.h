// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include "api/reporter.h"
#include "graph/network.h"

namespace kiln::api {

class NetworkDefinition;

/// The common implementation of ILayer over one node of the graph, independent of the layer's
/// interface.
class LayerCore {
public:
    LayerCore(NetworkDefinition& network, graph::Node& node) : network_(network), node_(node) {}

    graph::Node& node() const noexcept { return node_; }
    NetworkDefinition& network() const noexcept { return network_; }
    Reporter const& reporter() const noexcept;

    void setName(char const* name) noexcept;
    int32_t inputCount() const noexcept;
    nvinfer1::ITensor* input(int32_t index) const noexcept;
    nvinfer1::ITensor* output(int32_t index) const noexcept;
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept;
    nvinfer1::DataType outputType(int32_t index) const noexcept;
    void setMetadata(char const* metadata) noexcept;
    /// "input 1 of layer 'x' (Kind)": the use of a tensor, for messages.
    std::string inputName(int32_t index) const;
    /// Reports that a setting is not supported, naming layer and parameter.
    void refuse(char const* parameter) const noexcept;
    /// Call after the op's parameters changed.
    void changed() noexcept;
    void setPrecision(nvinfer1::DataType type) noexcept;
    void resetPrecision() noexcept { node_.precision.reset(); }
    void setOutputType(int32_t index, nvinfer1::DataType type) noexcept;
    bool outputTypeIsSet(int32_t index) const noexcept;
    void resetOutputType(int32_t index) noexcept;
    /// Reports an invalid argument: "[network] layer 'x' (Kind), parameter: problem". The problem
    /// is a format string with arguments. Does not throw.
    template <typename... Args>
    void reject(char const* parameter, fmt::format_string<Args...> problem,
                Args&&... args) const noexcept {
        reporter().guard([&] { failRejected(parameter, problem, fmt::make_format_args(args...)); });
    }

private:
    /// Throws unless the type is known and the network weakly typed.
    void checkTypeChoice(char const* what, nvinfer1::DataType type) const;
    [[noreturn]] void failRejected(char const* parameter, fmt::string_view problem,
                                   fmt::format_args args) const;

    NetworkDefinition& network_;
    graph::Node& node_;
};

/// Base of the layer classes in api/layers/: implements ILayer for `Interface` (IActivationLayer,
/// ...) over the graph op `OpType`. Setters edit its public members through change().
template <typename Interface, typename OpType>
class LayerBase : public Interface {
public:
    LayerBase(NetworkDefinition& network, graph::Node& node) : core_(network, node) {}

    nvinfer1::LayerType getType() const noexcept override { return core_.node().op->layerType(); }
    void setName(char const* name) noexcept override { core_.setName(name); }
    char const* getName() const noexcept override { return core_.node().name.c_str(); }
    int32_t getNbInputs() const noexcept override { return core_.inputCount(); }
    nvinfer1::ITensor* getInput(int32_t index) const noexcept override {
        return core_.input(index);
    }
    int32_t getNbOutputs() const noexcept override {
        return static_cast<int32_t>(core_.node().outputs.size());
    }
    nvinfer1::ITensor* getOutput(int32_t index) const noexcept override {
        return core_.output(index);
    }
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        core_.setInput(index, tensor);
    }
    nvinfer1::DataType getOutputType(int32_t index) const noexcept override {
        return core_.outputType(index);
    }
    void setMetadata(char const* metadata) noexcept override { core_.setMetadata(metadata); }
    char const* getMetadata() const noexcept override { return core_.node().metadata.c_str(); }
    bool setNbRanks(int32_t nbRanks) noexcept override {
        if (nbRanks != 1) {
            core_.refuse("number of ranks");
        }
        return nbRanks == 1;
    }
    int32_t getNbRanks() const noexcept override { return 1; }
    void setPrecision(nvinfer1::DataType type) noexcept override { core_.setPrecision(type); }
    nvinfer1::DataType getPrecision() const noexcept override {
        return core_.node().precision.value_or(core_.outputType(0));
    }
    bool precisionIsSet() const noexcept override { return core_.node().precision.has_value(); }
    void resetPrecision() noexcept override { core_.resetPrecision(); }
    void setOutputType(int32_t index, nvinfer1::DataType type) noexcept override {
        core_.setOutputType(index, type);
    }
    bool outputTypeIsSet(int32_t index) const noexcept override {
        return core_.outputTypeIsSet(index);
    }
    void resetOutputType(int32_t index) noexcept override { core_.resetOutputType(index); }

protected:
    LayerCore const& core() const noexcept { return core_; }
    OpType const& op() const noexcept { return static_cast<OpType const&>(*core_.node().op); }
    /// Calls edit(op), which changes parameters. Dependent shapes are inferred again on the next
    /// query.
    template <typename Edit>
    void change(Edit&& edit) noexcept {
        edit(static_cast<OpType&>(*core_.node().op));
        core_.changed();
    }

private:
    LayerCore core_;
};

} // namespace kiln::api
