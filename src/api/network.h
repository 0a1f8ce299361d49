// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <NvInfer.h>

#include "api/layer.h"
#include "api/reporter.h"
#include "api/tensor.h"
#include "api/unsupported_network.h"
#include "graph/network.h"

namespace kiln::api {

/// INetworkDefinition over graph::Network. The add functions of layers are in api/layers/<op>.cpp,
/// unsupported ones in UnsupportedNetwork.
class NetworkDefinition final : public UnsupportedNetwork {
public:
    NetworkDefinition(nvinfer1::IBuilder& builder, Log log,
                      nvinfer1::NetworkDefinitionCreationFlags flags);
    ~NetworkDefinition() override;

    // For other files in api/.
    graph::Network& graph() noexcept { return graph_; }
    Reporter const& reporter() const noexcept { return reporter_; }
    /// The ITensor of a graph tensor, null if there is none. It is created together with the graph
    /// tensor, so this cannot fail.
    Tensor* shown(graph::Tensor* tensor) const noexcept;
    /// The graph tensor behind an ITensor. Throws kInvalidArgument for a removed tensor or one of
    /// another network, naming its use, such as "softmax layer".
    graph::Tensor& unwrap(nvinfer1::ITensor& tensor, std::string_view use) const;

    /// Adds a node for `op` with `inputs`, and its layer object. Reports and returns null if an
    /// input belongs to another network or was removed.
    template <typename LayerType>
    LayerType* addLayer(char const* kind, std::unique_ptr<graph::Op> op,
                        std::vector<nvinfer1::ITensor*> const& inputs) noexcept {
        return reporter_.guard<LayerType*>(nullptr, [&] {
            std::vector<graph::Tensor*> tensors;
            for (nvinfer1::ITensor* input : inputs) {
                tensors.push_back(&unwrap(*input, kind));
            }
            layers_.emplace_back(); // first, so that nothing can throw after enlist()
            try {
                graph::Node& node = graph_.newNode(std::move(op), tensors);
                auto layer = std::make_unique<LayerType>(*this, node);
                for (graph::Tensor* output : node.outputs) {
                    show(*output);
                }
                graph_.enlist(node);
                LayerType* const raw = layer.get();
                layers_.back() = std::move(layer);
                return raw;
            } catch (...) {
                layers_.pop_back();
                throw;
            }
        });
    }

    nvinfer1::ITensor* addInput(char const* name, nvinfer1::DataType type,
                                nvinfer1::Dims const& dimensions) noexcept override;
    void markOutput(nvinfer1::ITensor& tensor) noexcept override;
    void unmarkOutput(nvinfer1::ITensor& tensor) noexcept override;
    void removeTensor(nvinfer1::ITensor& tensor) noexcept override;
    int32_t getNbLayers() const noexcept override;
    nvinfer1::ILayer* getLayer(int32_t index) const noexcept override;
    int32_t getNbInputs() const noexcept override;
    nvinfer1::ITensor* getInput(int32_t index) const noexcept override;
    int32_t getNbOutputs() const noexcept override;
    nvinfer1::ITensor* getOutput(int32_t index) const noexcept override;
    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override;
    bool hasImplicitBatchDimension() const noexcept override { return false; }
    nvinfer1::NetworkDefinitionCreationFlags getFlags() const noexcept override { return flags_; }
    bool getFlag(nvinfer1::NetworkDefinitionCreationFlag flag) const noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    nvinfer1::IBuilder& getBuilder() const noexcept override { return builder_; }
    bool setWeightsName(nvinfer1::Weights weights, char const* name) noexcept override;

    // network_marks.cpp
    bool markOutputForShapes(nvinfer1::ITensor& tensor) noexcept override;
    bool unmarkOutputForShapes(nvinfer1::ITensor& tensor) noexcept override;
    bool markDebug(nvinfer1::ITensor& tensor) noexcept override;
    bool unmarkDebug(nvinfer1::ITensor& tensor) noexcept override;
    bool isDebugTensor(nvinfer1::ITensor const& tensor) const noexcept override;
    bool markUnfusedTensorsAsDebugTensors() noexcept override;
    bool unmarkUnfusedTensorsAsDebugTensors() noexcept override;

    // api/layers/<op>.cpp
    nvinfer1::IActivationLayer* addActivation(nvinfer1::ITensor& input,
                                              nvinfer1::ActivationType type) noexcept override;
    nvinfer1::ICastLayer* addCast(nvinfer1::ITensor& input,
                                  nvinfer1::DataType toType) noexcept override;
    nvinfer1::IConstantLayer* addConstant(nvinfer1::Dims const& dimensions,
                                          nvinfer1::Weights weights) noexcept override;
    nvinfer1::IConvolutionLayer* addConvolutionNd(nvinfer1::ITensor& input, int64_t nbOutputMaps,
                                                  nvinfer1::Dims const& kernelSize,
                                                  nvinfer1::Weights kernelWeights,
                                                  nvinfer1::Weights biasWeights) noexcept override;
    nvinfer1::IConcatenationLayer* addConcatenation(nvinfer1::ITensor* const* inputs,
                                                    int32_t nbInputs) noexcept override;
    nvinfer1::IElementWiseLayer* addElementWise(
        nvinfer1::ITensor& input1, nvinfer1::ITensor& input2,
        nvinfer1::ElementWiseOperation op) noexcept override;
    nvinfer1::IFillLayer* addFill(nvinfer1::Dims const& dimensions,
                                  nvinfer1::FillOperation operation) noexcept override;
    nvinfer1::IFillLayer* addFill(nvinfer1::Dims const& dimensions,
                                  nvinfer1::FillOperation operation,
                                  nvinfer1::DataType outputType) noexcept override;
    nvinfer1::IGatherLayer* addGather(nvinfer1::ITensor& data, nvinfer1::ITensor& indices,
                                      int32_t axis) noexcept override;
    nvinfer1::IGatherLayer* addGatherV2(nvinfer1::ITensor& data, nvinfer1::ITensor& indices,
                                        nvinfer1::GatherMode mode) noexcept override;
    nvinfer1::IIdentityLayer* addIdentity(nvinfer1::ITensor& input) noexcept override;
    nvinfer1::IMatrixMultiplyLayer* addMatrixMultiply(
        nvinfer1::ITensor& input0, nvinfer1::MatrixOperation op0, nvinfer1::ITensor& input1,
        nvinfer1::MatrixOperation op1) noexcept override;
    nvinfer1::INormalizationLayer* addNormalization(nvinfer1::ITensor& input,
                                                    nvinfer1::ITensor& scale,
                                                    nvinfer1::ITensor& bias,
                                                    uint32_t axesMask) noexcept override;
    nvinfer1::INormalizationLayer* addNormalizationV2(nvinfer1::ITensor& input,
                                                      nvinfer1::ITensor& scale,
                                                      nvinfer1::ITensor& bias,
                                                      uint32_t axesMask) noexcept override;
    nvinfer1::IPoolingLayer* addPoolingNd(nvinfer1::ITensor& input, nvinfer1::PoolingType type,
                                          nvinfer1::Dims const& windowSize) noexcept override;
    nvinfer1::IReduceLayer* addReduce(nvinfer1::ITensor& input, nvinfer1::ReduceOperation operation,
                                      uint32_t reduceAxes, bool keepDimensions) noexcept override;
    nvinfer1::ISelectLayer* addSelect(nvinfer1::ITensor& condition, nvinfer1::ITensor& thenInput,
                                      nvinfer1::ITensor& elseInput) noexcept override;
    nvinfer1::IShapeLayer* addShape(nvinfer1::ITensor& input) noexcept override;
    nvinfer1::IShuffleLayer* addShuffle(nvinfer1::ITensor& input) noexcept override;
    nvinfer1::ISliceLayer* addSlice(nvinfer1::ITensor& input, nvinfer1::Dims const& start,
                                    nvinfer1::Dims const& size,
                                    nvinfer1::Dims const& stride) noexcept override;
    nvinfer1::ISoftMaxLayer* addSoftMax(nvinfer1::ITensor& input) noexcept override;
    nvinfer1::IUnaryLayer* addUnary(nvinfer1::ITensor& input,
                                    nvinfer1::UnaryOperation operation) noexcept override;
    nvinfer1::IPluginV2Layer* addPluginV2(nvinfer1::ITensor* const* inputs, int32_t nbInputs,
                                          nvinfer1::IPluginV2& plugin) noexcept override;
    nvinfer1::IPluginV3Layer* addPluginV3(nvinfer1::ITensor* const* inputs, int32_t nbInputs,
                                          nvinfer1::ITensor* const* shapeInputs,
                                          int32_t nbShapeInputs,
                                          nvinfer1::IPluginV3& plugin) noexcept override;

private:
    Tensor& show(graph::Tensor& tensor);
    void refuse(char const* what) const noexcept override { reporter_.refuse(what); }

    nvinfer1::IBuilder& builder_;
    Reporter reporter_;
    nvinfer1::NetworkDefinitionCreationFlags flags_;
    std::optional<plugin::LateReports> leaving_; ///< active while the members below are destroyed
    graph::Network graph_;
    std::unordered_map<graph::Tensor*, std::unique_ptr<Tensor>> tensors_;
    std::vector<std::unique_ptr<nvinfer1::ILayer>> layers_;
};

} // namespace kiln::api
