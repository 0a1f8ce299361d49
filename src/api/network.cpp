// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/network.h"

#include "base/bits.h"
#include "base/text.h"

namespace kiln::api {

NetworkDefinition::NetworkDefinition(nvinfer1::IBuilder& builder, Log log,
                                     nvinfer1::NetworkDefinitionCreationFlags flags)
    : builder_(builder), reporter_(log), flags_(flags), graph_((flags >> 1U & 1U) != 0) {
} // bit 1: kSTRONGLY_TYPED

NetworkDefinition::~NetworkDefinition() {
    leaving_.emplace(reporter_.lateSink());
}

Tensor& NetworkDefinition::show(graph::Tensor& tensor) {
    std::unique_ptr<Tensor>& known = tensors_[&tensor];
    if (known == nullptr) {
        known = std::make_unique<Tensor>(*this, tensor);
    }
    return *known;
}

Tensor* NetworkDefinition::shown(graph::Tensor* tensor) const noexcept {
    auto const found = tensors_.find(tensor);
    return found == tensors_.end() ? nullptr : found->second.get();
}

graph::Tensor& NetworkDefinition::unwrap(nvinfer1::ITensor& tensor, std::string_view use) const {
    auto& own = static_cast<Tensor&>(tensor);
    if (&own.network() != this) {
        fail(ErrorKind::kInvalidArgument,
             "[network] {}: tensor '{}' belongs to another network. Use a tensor of this one.", use,
             own.getName());
    }
    if (own.graphTensor().isRemoved) {
        fail(ErrorKind::kInvalidArgument,
             "[network] {}: tensor '{}' was removed from the network. Add the input again.", use,
             own.getName());
    }
    return own.graphTensor();
}

nvinfer1::ITensor* NetworkDefinition::addInput(char const* name, nvinfer1::DataType type,
                                               nvinfer1::Dims const& dimensions) noexcept {
    return reporter_.guard<nvinfer1::ITensor*>(nullptr, [&] {
        if (name == nullptr || *name == '\0') {
            fail(ErrorKind::kInvalidArgument, "[network] input: expected a name, got {}.",
                 name == nullptr ? "null" : "an empty text");
        }
        if (graph_.hasInput(name)) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] input '{}': expected a new name, got that of another input. Choose "
                 "another one.",
                 name);
        }
        bitsOf(type);
        graph::Tensor& tensor = graph_.addInput(name, type, dimensions);
        try {
            return &show(tensor);
        } catch (...) {
            graph_.removeTensor(tensor);
            throw;
        }
    });
}

void NetworkDefinition::markOutput(nvinfer1::ITensor& tensor) noexcept {
    reporter_.guard([&] { graph_.markOutput(unwrap(tensor, "output")); });
}

void NetworkDefinition::unmarkOutput(nvinfer1::ITensor& tensor) noexcept {
    reporter_.guard([&] { graph_.unmarkOutput(unwrap(tensor, "output")); });
}

void NetworkDefinition::removeTensor(nvinfer1::ITensor& tensor) noexcept {
    reporter_.guard([&] {
        graph::Tensor& own = unwrap(tensor, "tensor to remove");
        bool const isUsed = own.producer == nullptr && !own.users.empty();
        if (own.producer == nullptr && !isUsed) {
            graph_.removeTensor(own);
            return;
        }
        // The API ignores such calls. Warn and leave the network unchanged.
        graph::Node const& layer = isUsed ? *own.users.front() : *own.producer;
        reporter_.log().warning(
            "[network] tensor '{}' is an {} of layer '{}' ({}) and stays in the network. Only "
            "tensors that no layer takes or makes can be removed; connect the layer to another one "
            "first.",
            own.name, isUsed ? "input" : "output", layer.name, layer.op->kind());
    });
}

int32_t NetworkDefinition::getNbLayers() const noexcept {
    return static_cast<int32_t>(layers_.size());
}

nvinfer1::ILayer* NetworkDefinition::getLayer(int32_t index) const noexcept {
    if (index < 0 || index >= getNbLayers()) {
        return nullptr;
    }
    return layers_[static_cast<std::size_t>(index)].get();
}

int32_t NetworkDefinition::getNbInputs() const noexcept {
    return static_cast<int32_t>(graph_.inputs().size());
}

nvinfer1::ITensor* NetworkDefinition::getInput(int32_t index) const noexcept {
    if (index < 0 || index >= getNbInputs()) {
        return nullptr;
    }
    return shown(graph_.inputs()[static_cast<std::size_t>(index)]);
}

int32_t NetworkDefinition::getNbOutputs() const noexcept {
    return static_cast<int32_t>(graph_.outputs().size());
}

nvinfer1::ITensor* NetworkDefinition::getOutput(int32_t index) const noexcept {
    if (index < 0 || index >= getNbOutputs()) {
        return nullptr;
    }
    return shown(graph_.outputs()[static_cast<std::size_t>(index)]);
}

void NetworkDefinition::setName(char const* name) noexcept {
    reporter_.guard([&] { graph_.name = orEmpty(name); });
}

char const* NetworkDefinition::getName() const noexcept {
    return graph_.name.c_str();
}

bool NetworkDefinition::getFlag(nvinfer1::NetworkDefinitionCreationFlag flag) const noexcept {
    return hasBit(flags_, flag);
}

void NetworkDefinition::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* NetworkDefinition::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

} // namespace kiln::api
