// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// CircPadPlugin version "1": circular padding as an IPluginV2DynamicExt, in host memory.
// circ_pad_v2.cu compiles the same class for GPUs.

#include <NvInfer.h>

#include <cstring>
#include <memory>

#ifdef __CUDACC__
#include "circ_pad_gpu.cuh"
#else
#include "circ_pad_host.h"
#endif

namespace {

using namespace nvinfer1;

class CircPadPluginV2 : public IPluginV2DynamicExt {
public:
    explicit CircPadPluginV2(circ_pad::Pads pads) : pads_(std::move(pads)) {}

    char const* getPluginType() const noexcept override { return circ_pad::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* name) noexcept override { namespace_ = name; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    void destroy() noexcept override { delete this; }

    IPluginV2DynamicExt* clone() const noexcept override {
        auto copy = std::make_unique<CircPadPluginV2>(pads_);
        copy->namespace_ = namespace_;
        return copy.release();
    }

    DataType getOutputDataType(int32_t, DataType const* inputTypes,
                               int32_t) const noexcept override {
        return inputTypes[0];
    }

    // nbDims -1 tells the builder that the input does not fit.
    DimsExprs getOutputDimensions(int32_t, DimsExprs const* inputs, int32_t,
                                  IExprBuilder& builder) noexcept override {
        DimsExprs output{};
        if (!circ_pad::padShape(inputs[0], pads_, builder, output)) {
            circ_pad::logError(std::invalid_argument("pads has more dimensions than the input"));
            output.nbDims = -1;
        }
        return output;
    }

    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t,
                                   int32_t) noexcept override {
        return circ_pad::isSupported(inOut[pos], inOut[0]);
    }

    void configurePlugin(DynamicPluginTensorDesc const*, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {}

    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 0;
    }

    int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                    void const* const* inputs, void* const* outputs, void*,
                    cudaStream_t stream) noexcept override try {
        PluginTensorDesc const& desc = inputDesc[0];
        if (!isGatherFor(desc.dims)) {
            gather_ = circ_pad::makeGather(desc.dims, pads_);
            gatherDims_ = desc.dims;
        }
        if (!logged_ || loggedType_ != desc.type) {
            circ_pad::logType(desc.type);
            logged_ = true;
            loggedType_ = desc.type;
        }
        return circ_pad::run(gather_, desc.type, inputs[0], outputs[0], stream) ? 0 : 1;
    } catch (std::exception const& error) {
        circ_pad::logError(error);
        return 1;
    }

    size_t getSerializationSize() const noexcept override { return pads_.size() * sizeof(int32_t); }
    void serialize(void* buffer) const noexcept override {
        std::memcpy(buffer, pads_.data(), getSerializationSize());
    }

private:
    bool isGatherFor(Dims const& dims) const {
        return dims.nbDims == gatherDims_.nbDims &&
               std::equal(dims.d, dims.d + dims.nbDims, gatherDims_.d);
    }

    circ_pad::Pads pads_;
    std::string namespace_;
    circ_pad::Gather gather_;
    Dims gatherDims_{-1, {}};
    bool logged_ = false;
    DataType loggedType_ = DataType::kFLOAT;
};

class CircPadPluginV2Creator : public IPluginCreator {
public:
    char const* getPluginName() const noexcept override { return circ_pad::kName; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }
    void setPluginNamespace(char const* name) noexcept override { namespace_ = name; }
    PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }

    IPluginV2* createPlugin(char const*, PluginFieldCollection const* fields) noexcept override
        try {
        return withNamespace(circ_pad::readPads(*fields));
    } catch (std::exception const& error) {
        circ_pad::logError(error);
        return nullptr;
    }

    IPluginV2* deserializePlugin(char const*, void const* data, size_t size) noexcept override try {
        circ_pad::Pads pads(size / sizeof(int32_t));
        if (size == 0 || size % sizeof(int32_t) != 0) {
            throw std::invalid_argument("a plan holds " + std::to_string(size) + " bytes of pads");
        }
        std::memcpy(pads.data(), data, size);
        circ_pad::checkPads(pads);
        return withNamespace(std::move(pads));
    } catch (std::exception const& error) {
        circ_pad::logError(error);
        return nullptr;
    }

private:
    IPluginV2* withNamespace(circ_pad::Pads pads) const {
        auto plugin = std::make_unique<CircPadPluginV2>(std::move(pads));
        plugin->setPluginNamespace(namespace_.c_str());
        return plugin.release();
    }

    std::string namespace_;
    PluginField field_{circ_pad::kField, nullptr, PluginFieldType::kINT32, 0};
    PluginFieldCollection fields_{1, &field_};
};

REGISTER_TENSORRT_PLUGIN(CircPadPluginV2Creator);

} // namespace
