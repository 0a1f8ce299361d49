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
#include "base/file_version.h"
#include "graph/network.h"

namespace kiln::api {

/// INetworkDefinition over graph::Network. The add functions of layers are in api/layers/<op>.cpp.
class NetworkDefinition final : public nvinfer1::INetworkDefinition {
public:
    NetworkDefinition(nvinfer1::IBuilder& builder, Log log,
                      nvinfer1::NetworkDefinitionCreationFlags flags);
    ~NetworkDefinition() override;

    // For other files in api/.
    graph::Network& graph() noexcept { return graph_; }
    /// Watches a file that weights lie in.
    bool watchFile(char const* path) noexcept;
    /// Throws kInvalidState if a watched file has changed.
    void expectUnchangedFiles() const;
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

    /// Adds a loop or a conditional.
    template <typename BlockType>
    BlockType* addBlock() noexcept {
        return reporter_.guard<BlockType*>(nullptr, [&] {
            auto block = std::make_shared<BlockType>(*this, static_cast<int32_t>(blocks_.size()));
            blocks_.push_back(block);
            return block.get();
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
    // network_weights.cpp
    bool setWeightsName(nvinfer1::Weights weights, char const* name) noexcept override;
    bool markWeightsRefittable(char const* name) noexcept override;
    bool unmarkWeightsRefittable(char const* name) noexcept override;
    bool areWeightsMarkedRefittable(char const* name) const noexcept override;

    // network_marks.cpp
    bool markOutputForShapes(nvinfer1::ITensor& tensor) noexcept override;
    bool unmarkOutputForShapes(nvinfer1::ITensor& tensor) noexcept override;
    bool markDebug(nvinfer1::ITensor& tensor) noexcept override;
    bool unmarkDebug(nvinfer1::ITensor& tensor) noexcept override;
    bool isDebugTensor(nvinfer1::ITensor const& tensor) const noexcept override;
    bool markUnfusedTensorsAsDebugTensors() noexcept override;
    bool unmarkUnfusedTensorsAsDebugTensors() noexcept override;
    bool marksUnfused() const noexcept { return marksUnfused_; }

    // Overrides of all add functions that the API declares. api/layers/<op>.cpp defines those of
    // supported layers. scripts/make_network_adders.py writes this list and the others, which
    // report their name and return null.
#include "api/network_adders.inc"

private:
    Tensor& show(graph::Tensor& tensor);
    nvinfer1::Weights const* weightsLike(nvinfer1::Weights const& weights);
    bool markWeights(char const* name, bool on) noexcept;

    nvinfer1::IBuilder& builder_;
    Reporter reporter_;
    nvinfer1::NetworkDefinitionCreationFlags flags_;
    std::optional<plugin::LateReports> leaving_; ///< active while the members below are destroyed
    graph::Network graph_;
    bool marksUnfused_ = false;
    std::unordered_map<graph::Tensor*, std::unique_ptr<Tensor>> tensors_;
    std::vector<std::unique_ptr<nvinfer1::ILayer>> layers_;
    std::vector<std::shared_ptr<void>> blocks_; ///< loops and conditionals, by their number
    std::unordered_map<void const*, nvinfer1::Weights> weightsInUse_; ///< of the last search
    std::vector<FileVersion> weightFiles_;
};

} // namespace kiln::api
