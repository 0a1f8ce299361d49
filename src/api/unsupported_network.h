// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

namespace kiln::api {

/// The unsupported part of INetworkDefinition. Unsupported calls report their name and return null
/// or false. To support a layer, move its function to NetworkDefinition.
class UnsupportedNetwork : public nvinfer1::INetworkDefinition {
public:
    nvinfer1::ILRNLayer* addLRN(nvinfer1::ITensor&, int64_t, float, float,
                                float) noexcept override {
        refuse("addLRN");
        return nullptr;
    }
    nvinfer1::IScaleLayer* addScale(nvinfer1::ITensor&, nvinfer1::ScaleMode, nvinfer1::Weights,
                                    nvinfer1::Weights, nvinfer1::Weights) noexcept override {
        refuse("addScale");
        return nullptr;
    }
    nvinfer1::IScaleLayer* addScaleNd(nvinfer1::ITensor&, nvinfer1::ScaleMode, nvinfer1::Weights,
                                      nvinfer1::Weights, nvinfer1::Weights,
                                      int32_t) noexcept override {
        refuse("addScaleNd");
        return nullptr;
    }
    nvinfer1::IOneHotLayer* addOneHot(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                      int32_t) noexcept override {
        refuse("addOneHot");
        return nullptr;
    }
    nvinfer1::ITopKLayer* addTopK(nvinfer1::ITensor&, nvinfer1::TopKOperation, int32_t,
                                  uint32_t) noexcept override {
        refuse("addTopK");
        return nullptr;
    }
    nvinfer1::ITopKLayer* addTopK(nvinfer1::ITensor&, nvinfer1::TopKOperation, int32_t, uint32_t,
                                  nvinfer1::DataType) noexcept override {
        refuse("addTopK");
        return nullptr;
    }
    nvinfer1::IRaggedSoftMaxLayer* addRaggedSoftMax(nvinfer1::ITensor&,
                                                    nvinfer1::ITensor&) noexcept override {
        refuse("addRaggedSoftMax");
        return nullptr;
    }
    nvinfer1::INonZeroLayer* addNonZero(nvinfer1::ITensor&) noexcept override {
        refuse("addNonZero");
        return nullptr;
    }
    nvinfer1::INonZeroLayer* addNonZero(nvinfer1::ITensor&, nvinfer1::DataType) noexcept override {
        refuse("addNonZero");
        return nullptr;
    }
    nvinfer1::IParametricReLULayer* addParametricReLU(nvinfer1::ITensor&,
                                                      nvinfer1::ITensor&) noexcept override {
        refuse("addParametricReLU");
        return nullptr;
    }
    nvinfer1::IDeconvolutionLayer* addDeconvolutionNd(nvinfer1::ITensor&, int64_t, nvinfer1::Dims,
                                                      nvinfer1::Weights,
                                                      nvinfer1::Weights) noexcept override {
        refuse("addDeconvolutionNd");
        return nullptr;
    }
    nvinfer1::IResizeLayer* addResize(nvinfer1::ITensor&) noexcept override {
        refuse("addResize");
        return nullptr;
    }
    nvinfer1::ILoop* addLoop() noexcept override {
        refuse("addLoop");
        return nullptr;
    }
    nvinfer1::IIfConditional* addIfConditional() noexcept override {
        refuse("addIfConditional");
        return nullptr;
    }
    nvinfer1::IAssertionLayer* addAssertion(nvinfer1::ITensor&, char const*) noexcept override {
        refuse("addAssertion");
        return nullptr;
    }
    nvinfer1::IPaddingLayer* addPaddingNd(nvinfer1::ITensor&, nvinfer1::Dims const&,
                                          nvinfer1::Dims const&) noexcept override {
        refuse("addPaddingNd");
        return nullptr;
    }
    nvinfer1::IDequantizeLayer* addDequantize(nvinfer1::ITensor&,
                                              nvinfer1::ITensor&) noexcept override {
        refuse("addDequantize");
        return nullptr;
    }
    nvinfer1::IDequantizeLayer* addDequantize(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                              nvinfer1::DataType) noexcept override {
        refuse("addDequantize");
        return nullptr;
    }
    nvinfer1::IQuantizeLayer* addQuantize(nvinfer1::ITensor&,
                                          nvinfer1::ITensor&) noexcept override {
        refuse("addQuantize");
        return nullptr;
    }
    nvinfer1::IQuantizeLayer* addQuantize(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                          nvinfer1::DataType) noexcept override {
        refuse("addQuantize");
        return nullptr;
    }
    nvinfer1::IDynamicQuantizeLayer* addDynamicQuantize(nvinfer1::ITensor&, int32_t, int32_t,
                                                        nvinfer1::DataType,
                                                        nvinfer1::DataType) noexcept override {
        refuse("addDynamicQuantize");
        return nullptr;
    }
    nvinfer1::IDynamicQuantizeLayer* addDynamicQuantizeV2(nvinfer1::ITensor&, nvinfer1::Dims const&,
                                                          nvinfer1::DataType,
                                                          nvinfer1::DataType) noexcept override {
        refuse("addDynamicQuantizeV2");
        return nullptr;
    }
    nvinfer1::IScatterLayer* addScatter(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                        nvinfer1::ScatterMode) noexcept override {
        refuse("addScatter");
        return nullptr;
    }
    nvinfer1::IEinsumLayer* addEinsum(nvinfer1::ITensor* const*, int32_t,
                                      char const*) noexcept override {
        refuse("addEinsum");
        return nullptr;
    }
    nvinfer1::IGridSampleLayer* addGridSample(nvinfer1::ITensor&,
                                              nvinfer1::ITensor&) noexcept override {
        refuse("addGridSample");
        return nullptr;
    }
    nvinfer1::INMSLayer* addNMS(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::ITensor&) noexcept override {
        refuse("addNMS");
        return nullptr;
    }
    nvinfer1::INMSLayer* addNMS(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::DataType) noexcept override {
        refuse("addNMS");
        return nullptr;
    }
    nvinfer1::IReverseSequenceLayer* addReverseSequence(nvinfer1::ITensor&,
                                                        nvinfer1::ITensor&) noexcept override {
        refuse("addReverseSequence");
        return nullptr;
    }
    nvinfer1::INormalizationLayer* addNormalization(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                    nvinfer1::ITensor&,
                                                    uint32_t) noexcept override {
        refuse("addNormalization");
        return nullptr;
    }
    nvinfer1::INormalizationLayer* addNormalizationV2(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                      nvinfer1::ITensor&,
                                                      uint32_t) noexcept override {
        refuse("addNormalizationV2");
        return nullptr;
    }
    nvinfer1::ICumulativeLayer* addCumulative(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                              nvinfer1::CumulativeOperation, bool,
                                              bool) noexcept override {
        refuse("addCumulative");
        return nullptr;
    }
    nvinfer1::IAttention* addAttention(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                       nvinfer1::AttentionNormalizationOp, bool) noexcept override {
        refuse("addAttention");
        return nullptr;
    }
    nvinfer1::IAttention* addAttentionV2(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                         nvinfer1::AttentionNormalizationOp,
                                         nvinfer1::CausalMaskKind) noexcept override {
        refuse("addAttentionV2");
        return nullptr;
    }
    nvinfer1::IRotaryEmbeddingLayer* addRotaryEmbedding(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                        nvinfer1::ITensor&, bool,
                                                        int32_t) noexcept override {
        refuse("addRotaryEmbedding");
        return nullptr;
    }
    nvinfer1::IKVCacheUpdateLayer* addKVCacheUpdate(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                    nvinfer1::ITensor&,
                                                    nvinfer1::KVCacheMode) noexcept override {
        refuse("addKVCacheUpdate");
        return nullptr;
    }
    nvinfer1::IMoELayer* addMoE(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::ITensor&) noexcept override {
        refuse("addMoE");
        return nullptr;
    }
    nvinfer1::IDistCollectiveLayer* addDistCollective(nvinfer1::ITensor&,
                                                      nvinfer1::CollectiveOperation,
                                                      nvinfer1::ReduceOperation, int64_t, int64_t*,
                                                      int64_t) noexcept override {
        refuse("addDistCollective");
        return nullptr;
    }
    nvinfer1::ISqueezeLayer* addSqueeze(nvinfer1::ITensor&, nvinfer1::ITensor&) noexcept override {
        refuse("addSqueeze");
        return nullptr;
    }
    nvinfer1::IUnsqueezeLayer* addUnsqueeze(nvinfer1::ITensor&,
                                            nvinfer1::ITensor&) noexcept override {
        refuse("addUnsqueeze");
        return nullptr;
    }
    bool markWeightsRefittable(char const*) noexcept override {
        refuse("markWeightsRefittable");
        return false;
    }
    bool unmarkWeightsRefittable(char const*) noexcept override {
        refuse("unmarkWeightsRefittable");
        return false;
    }
    bool areWeightsMarkedRefittable(char const*) const noexcept override { return false; }

protected:
    virtual void refuse(char const* call) const noexcept = 0;
};

} // namespace kiln::api
