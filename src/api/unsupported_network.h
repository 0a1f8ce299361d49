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
        refuse("LRN layer");
        return nullptr;
    }
    nvinfer1::IScaleLayer* addScale(nvinfer1::ITensor&, nvinfer1::ScaleMode, nvinfer1::Weights,
                                    nvinfer1::Weights, nvinfer1::Weights) noexcept override {
        refuse("scale layer");
        return nullptr;
    }
    nvinfer1::IScaleLayer* addScaleNd(nvinfer1::ITensor&, nvinfer1::ScaleMode, nvinfer1::Weights,
                                      nvinfer1::Weights, nvinfer1::Weights,
                                      int32_t) noexcept override {
        refuse("scale layer");
        return nullptr;
    }
    nvinfer1::IOneHotLayer* addOneHot(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                      int32_t) noexcept override {
        refuse("one-hot layer");
        return nullptr;
    }
    nvinfer1::ITopKLayer* addTopK(nvinfer1::ITensor&, nvinfer1::TopKOperation, int32_t,
                                  uint32_t) noexcept override {
        refuse("top-k layer");
        return nullptr;
    }
    nvinfer1::ITopKLayer* addTopK(nvinfer1::ITensor&, nvinfer1::TopKOperation, int32_t, uint32_t,
                                  nvinfer1::DataType) noexcept override {
        refuse("top-k layer");
        return nullptr;
    }
    nvinfer1::IRaggedSoftMaxLayer* addRaggedSoftMax(nvinfer1::ITensor&,
                                                    nvinfer1::ITensor&) noexcept override {
        refuse("ragged softmax layer");
        return nullptr;
    }
    nvinfer1::INonZeroLayer* addNonZero(nvinfer1::ITensor&) noexcept override {
        refuse("non-zero layer");
        return nullptr;
    }
    nvinfer1::INonZeroLayer* addNonZero(nvinfer1::ITensor&, nvinfer1::DataType) noexcept override {
        refuse("non-zero layer");
        return nullptr;
    }
    nvinfer1::IParametricReLULayer* addParametricReLU(nvinfer1::ITensor&,
                                                      nvinfer1::ITensor&) noexcept override {
        refuse("parametric ReLU layer");
        return nullptr;
    }
    nvinfer1::IDeconvolutionLayer* addDeconvolutionNd(nvinfer1::ITensor&, int64_t, nvinfer1::Dims,
                                                      nvinfer1::Weights,
                                                      nvinfer1::Weights) noexcept override {
        refuse("deconvolution layer");
        return nullptr;
    }
    nvinfer1::IResizeLayer* addResize(nvinfer1::ITensor&) noexcept override {
        refuse("resize layer");
        return nullptr;
    }
    nvinfer1::ILoop* addLoop() noexcept override {
        refuse("loop");
        return nullptr;
    }
    nvinfer1::IIfConditional* addIfConditional() noexcept override {
        refuse("conditional");
        return nullptr;
    }
    nvinfer1::IAssertionLayer* addAssertion(nvinfer1::ITensor&, char const*) noexcept override {
        refuse("assertion layer");
        return nullptr;
    }
    nvinfer1::IPaddingLayer* addPaddingNd(nvinfer1::ITensor&, nvinfer1::Dims const&,
                                          nvinfer1::Dims const&) noexcept override {
        refuse("padding layer");
        return nullptr;
    }
    nvinfer1::IDequantizeLayer* addDequantize(nvinfer1::ITensor&,
                                              nvinfer1::ITensor&) noexcept override {
        refuse("dequantize layer");
        return nullptr;
    }
    nvinfer1::IDequantizeLayer* addDequantize(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                              nvinfer1::DataType) noexcept override {
        refuse("dequantize layer");
        return nullptr;
    }
    nvinfer1::IQuantizeLayer* addQuantize(nvinfer1::ITensor&,
                                          nvinfer1::ITensor&) noexcept override {
        refuse("quantize layer");
        return nullptr;
    }
    nvinfer1::IQuantizeLayer* addQuantize(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                          nvinfer1::DataType) noexcept override {
        refuse("quantize layer");
        return nullptr;
    }
    nvinfer1::IDynamicQuantizeLayer* addDynamicQuantize(nvinfer1::ITensor&, int32_t, int32_t,
                                                        nvinfer1::DataType,
                                                        nvinfer1::DataType) noexcept override {
        refuse("dynamic quantize layer");
        return nullptr;
    }
    nvinfer1::IDynamicQuantizeLayer* addDynamicQuantizeV2(nvinfer1::ITensor&, nvinfer1::Dims const&,
                                                          nvinfer1::DataType,
                                                          nvinfer1::DataType) noexcept override {
        refuse("dynamic quantize layer");
        return nullptr;
    }
    nvinfer1::IScatterLayer* addScatter(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                        nvinfer1::ScatterMode) noexcept override {
        refuse("scatter layer");
        return nullptr;
    }
    nvinfer1::IEinsumLayer* addEinsum(nvinfer1::ITensor* const*, int32_t,
                                      char const*) noexcept override {
        refuse("einsum layer");
        return nullptr;
    }
    nvinfer1::IGridSampleLayer* addGridSample(nvinfer1::ITensor&,
                                              nvinfer1::ITensor&) noexcept override {
        refuse("grid sample layer");
        return nullptr;
    }
    nvinfer1::INMSLayer* addNMS(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::ITensor&) noexcept override {
        refuse("NMS layer");
        return nullptr;
    }
    nvinfer1::INMSLayer* addNMS(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::DataType) noexcept override {
        refuse("NMS layer");
        return nullptr;
    }
    nvinfer1::IReverseSequenceLayer* addReverseSequence(nvinfer1::ITensor&,
                                                        nvinfer1::ITensor&) noexcept override {
        refuse("reverse sequence layer");
        return nullptr;
    }
    nvinfer1::ICumulativeLayer* addCumulative(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                              nvinfer1::CumulativeOperation, bool,
                                              bool) noexcept override {
        refuse("cumulative layer");
        return nullptr;
    }
    nvinfer1::IAttention* addAttention(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                       nvinfer1::AttentionNormalizationOp, bool) noexcept override {
        refuse("attention layer");
        return nullptr;
    }
    nvinfer1::IAttention* addAttentionV2(nvinfer1::ITensor&, nvinfer1::ITensor&, nvinfer1::ITensor&,
                                         nvinfer1::AttentionNormalizationOp,
                                         nvinfer1::CausalMaskKind) noexcept override {
        refuse("attention layer");
        return nullptr;
    }
    nvinfer1::IRotaryEmbeddingLayer* addRotaryEmbedding(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                        nvinfer1::ITensor&, bool,
                                                        int32_t) noexcept override {
        refuse("rotary embedding layer");
        return nullptr;
    }
    nvinfer1::IKVCacheUpdateLayer* addKVCacheUpdate(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                                    nvinfer1::ITensor&,
                                                    nvinfer1::KVCacheMode) noexcept override {
        refuse("KV cache update layer");
        return nullptr;
    }
    nvinfer1::IMoELayer* addMoE(nvinfer1::ITensor&, nvinfer1::ITensor&,
                                nvinfer1::ITensor&) noexcept override {
        refuse("mixture-of-experts layer");
        return nullptr;
    }
    nvinfer1::IDistCollectiveLayer* addDistCollective(nvinfer1::ITensor&,
                                                      nvinfer1::CollectiveOperation,
                                                      nvinfer1::ReduceOperation, int64_t, int64_t*,
                                                      int64_t) noexcept override {
        refuse("collective layer");
        return nullptr;
    }
    nvinfer1::ISqueezeLayer* addSqueeze(nvinfer1::ITensor&, nvinfer1::ITensor&) noexcept override {
        refuse("squeeze layer");
        return nullptr;
    }
    nvinfer1::IUnsqueezeLayer* addUnsqueeze(nvinfer1::ITensor&,
                                            nvinfer1::ITensor&) noexcept override {
        refuse("unsqueeze layer");
        return nullptr;
    }
    bool markWeightsRefittable(char const*) noexcept override {
        refuse("refittable weights");
        return false;
    }
    bool unmarkWeightsRefittable(char const*) noexcept override {
        refuse("refittable weights");
        return false;
    }
    bool areWeightsMarkedRefittable(char const*) const noexcept override { return false; }

protected:
    virtual void refuse(char const* what) const noexcept = 0;
};

} // namespace kiln::api
