// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/builder/network_creation_flag.h"
#include "kiln/api/network/activation_layer.h"
#include "kiln/api/network/attention_enums.h"
#include "kiln/api/network/bounding_box_format.h"
#include "kiln/api/network/cast_layer.h"
#include "kiln/api/network/collective_operation.h"
#include "kiln/api/network/constant_layer.h"
#include "kiln/api/network/convolution_layer.h"
#include "kiln/api/network/cumulative_operation.h"
#include "kiln/api/network/elementwise_layer.h"
#include "kiln/api/network/fill_operation.h"
#include "kiln/api/network/forward.h"
#include "kiln/api/network/gather_mode.h"
#include "kiln/api/network/identity_layer.h"
#include "kiln/api/network/kv_cache_mode.h"
#include "kiln/api/network/layer.h"
#include "kiln/api/network/layer_type.h"
#include "kiln/api/network/loop_enums.h"
#include "kiln/api/network/matrix_multiply_layer.h"
#include "kiln/api/network/moe_act_type.h"
#include "kiln/api/network/padding_mode.h"
#include "kiln/api/network/permutation.h"
#include "kiln/api/network/plugin_v2_layer.h"
#include "kiln/api/network/plugin_v3_layer.h"
#include "kiln/api/network/pooling_layer.h"
#include "kiln/api/network/reduce_operation.h"
#include "kiln/api/network/resize_enums.h"
#include "kiln/api/network/sample_mode.h"
#include "kiln/api/network/scale_mode.h"
#include "kiln/api/network/scatter_mode.h"
#include "kiln/api/network/shuffle_layer.h"
#include "kiln/api/network/softmax_layer.h"
#include "kiln/api/network/tensor.h"
#include "kiln/api/network/topk_operation.h"
#include "kiln/api/network/unary_operation.h"

namespace nvinfer1 {

class IBuilder;

class INetworkDefinition : public INoCopy {
public:
    ~INetworkDefinition() noexcept override = default;

    virtual ITensor* addInput(const char* name, DataType type, const Dims& dimensions) noexcept = 0;
    virtual void markOutput(ITensor& tensor) noexcept = 0;
    virtual bool markDebug(ITensor& tensor) noexcept = 0;
    virtual bool unmarkDebug(ITensor& tensor) noexcept = 0;
    virtual bool isDebugTensor(const ITensor& tensor) const noexcept = 0;
    virtual bool markUnfusedTensorsAsDebugTensors() noexcept = 0;
    virtual bool unmarkUnfusedTensorsAsDebugTensors() noexcept = 0;
    virtual IActivationLayer* addActivation(ITensor& input, ActivationType type) noexcept = 0;
    virtual ILRNLayer* addLRN(ITensor& input, int64_t window, float alpha, float beta,
        float k) noexcept = 0;
    virtual IScaleLayer* addScale(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
        Weights power) noexcept = 0;
    virtual ISoftMaxLayer* addSoftMax(ITensor& input) noexcept = 0;
    virtual IConcatenationLayer* addConcatenation(ITensor* const* inputs,
        int32_t nbInputs) noexcept = 0;
    virtual IElementWiseLayer* addElementWise(ITensor& input1, ITensor& input2,
        ElementWiseOperation op) noexcept = 0;
    virtual IUnaryLayer* addUnary(ITensor& input, UnaryOperation operation) noexcept = 0;
    virtual IShuffleLayer* addShuffle(ITensor& input) noexcept = 0;
    virtual IOneHotLayer* addOneHot(ITensor& indices, ITensor& values, ITensor& depth,
        int32_t axis) noexcept = 0;
    virtual int32_t getNbLayers() const noexcept = 0;
    virtual ILayer* getLayer(int32_t index) const noexcept = 0;
    virtual int32_t getNbInputs() const noexcept = 0;
    virtual ITensor* getInput(int32_t index) const noexcept = 0;
    virtual int32_t getNbOutputs() const noexcept = 0;
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;
    virtual IReduceLayer* addReduce(ITensor& input, ReduceOperation operation, uint32_t reduceAxes,
        bool keepDimensions) noexcept = 0;
    TRT_DEPRECATED virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k,
        uint32_t reduceAxes) noexcept = 0;
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes,
        DataType indicesType) noexcept = 0;
    virtual IGatherLayer* addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept = 0;
    virtual IGatherLayer* addGatherV2(ITensor& data, ITensor& indices,
        GatherMode mode) noexcept = 0;
    virtual IRaggedSoftMaxLayer* addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept = 0;
    virtual IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, MatrixOperation op0,
        ITensor& input1, MatrixOperation op1) noexcept = 0;
    TRT_DEPRECATED virtual INonZeroLayer* addNonZero(ITensor& input) noexcept = 0;
    virtual INonZeroLayer* addNonZero(ITensor& input, DataType indicesType) noexcept = 0;
    virtual IConstantLayer* addConstant(const Dims& dimensions, Weights weights) noexcept = 0;
    virtual IIdentityLayer* addIdentity(ITensor& input) noexcept = 0;
    virtual ICastLayer* addCast(ITensor& input, DataType toType) noexcept = 0;
    virtual void removeTensor(ITensor& tensor) noexcept = 0;
    virtual void unmarkOutput(ITensor& tensor) noexcept = 0;
    TRT_DEPRECATED virtual IPluginV2Layer* addPluginV2(ITensor* const* inputs, int32_t nbInputs,
        IPluginV2& plugin) noexcept = 0;
    virtual IPluginV3Layer* addPluginV3(ITensor* const* inputs, int32_t nbInputs,
        ITensor* const* shapeInputs, int32_t nbShapeInputs, IPluginV3& plugin) noexcept = 0;
    virtual ISliceLayer* addSlice(ITensor& input, const Dims& start, const Dims& size,
        const Dims& stride) noexcept = 0;
    virtual void setName(const char* name) noexcept = 0;
    virtual const char* getName() const noexcept = 0;
    virtual IShapeLayer* addShape(ITensor& input) noexcept = 0;
    TRT_DEPRECATED virtual bool hasImplicitBatchDimension() const noexcept = 0;
    virtual NetworkDefinitionCreationFlags getFlags() const noexcept = 0;
    virtual bool getFlag(NetworkDefinitionCreationFlag networkDefinitionCreationFlag) const noexcept = 0;
    virtual bool markOutputForShapes(ITensor& tensor) noexcept = 0;
    virtual bool unmarkOutputForShapes(ITensor& tensor) noexcept = 0;
    virtual IParametricReLULayer* addParametricReLU(ITensor& input, ITensor& slope) noexcept = 0;
    virtual IConvolutionLayer* addConvolutionNd(ITensor& input, int64_t nbOutputMaps,
        const Dims& kernelSize, Weights kernelWeights, Weights biasWeights) noexcept = 0;
    virtual IPoolingLayer* addPoolingNd(ITensor& input, PoolingType type,
        const Dims& windowSize) noexcept = 0;
    virtual IDeconvolutionLayer* addDeconvolutionNd(ITensor& input, int64_t nbOutputMaps,
        Dims kernelSize, Weights kernelWeights, Weights biasWeights) noexcept = 0;
    virtual IScaleLayer* addScaleNd(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
        Weights power, int32_t channelAxis) noexcept = 0;
    virtual IResizeLayer* addResize(ITensor& input) noexcept = 0;
    virtual ILoop* addLoop() noexcept = 0;
    virtual IIfConditional* addIfConditional() noexcept = 0;
    virtual ISelectLayer* addSelect(ITensor& condition, ITensor& thenInput,
        ITensor& elseInput) noexcept = 0;
    virtual IAssertionLayer* addAssertion(ITensor& condition, const char* message) noexcept = 0;
    virtual IFillLayer* addFill(const Dims& dimensions, FillOperation op,
        DataType outputType) noexcept = 0;
    virtual IPaddingLayer* addPaddingNd(ITensor& input, const Dims& prePadding,
        const Dims& postPadding) noexcept = 0;
    virtual bool setWeightsName(Weights weights, const char* name) noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual IDequantizeLayer* addDequantize(ITensor& input, ITensor& scale,
        DataType outputType) noexcept = 0;
    virtual IScatterLayer* addScatter(ITensor& data, ITensor& indices, ITensor& updates,
        ScatterMode mode) noexcept = 0;
    virtual IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale,
        DataType outputType) noexcept = 0;
    TRT_DEPRECATED virtual IDynamicQuantizeLayer* addDynamicQuantize(ITensor& input, int32_t axis,
        int32_t blockSize, DataType outputType, DataType scaleType) noexcept = 0;
    virtual IDynamicQuantizeLayer* addDynamicQuantizeV2(ITensor& input, const Dims& blockShape,
        DataType outputType, DataType scaleType) noexcept = 0;
    virtual IEinsumLayer* addEinsum(ITensor* const* inputs, int32_t nbInputs,
        const char* equation) noexcept = 0;
    virtual IGridSampleLayer* addGridSample(ITensor& input, ITensor& grid) noexcept = 0;
    TRT_DEPRECATED virtual INMSLayer* addNMS(ITensor& boxes, ITensor& scores,
        ITensor& maxOutputBoxesPerClass) noexcept = 0;
    virtual INMSLayer* addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass,
        DataType indicesType) noexcept = 0;
    virtual IReverseSequenceLayer* addReverseSequence(ITensor& input,
        ITensor& sequenceLens) noexcept = 0;
    TRT_DEPRECATED virtual INormalizationLayer* addNormalization(ITensor& input, ITensor& scale,
        ITensor& bias, uint32_t axesMask) noexcept = 0;
    virtual ICumulativeLayer* addCumulative(ITensor& input, ITensor& axis,
        CumulativeOperation operation, bool exclusive, bool reverse) noexcept = 0;
    TRT_DEPRECATED virtual IAttention* addAttention(ITensor& query, ITensor& key, ITensor& value,
        AttentionNormalizationOp normOp, bool causal) noexcept = 0;
    virtual IAttention* addAttentionV2(ITensor& query, ITensor& key, ITensor& value,
        AttentionNormalizationOp normOp, CausalMaskKind causalKind) noexcept = 0;
    virtual IRotaryEmbeddingLayer* addRotaryEmbedding(ITensor& input, ITensor& cosCache,
        ITensor& sinCache, bool interleaved, int32_t rotaryEmbeddingDim) noexcept = 0;
    virtual IKVCacheUpdateLayer* addKVCacheUpdate(ITensor& cache, ITensor& update,
        ITensor& writeIndices, KVCacheMode cacheMode) noexcept = 0;
    virtual IMoELayer* addMoE(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
        ITensor& scoresForSelectedExperts) noexcept = 0;
    virtual IDistCollectiveLayer* addDistCollective(ITensor& input,
        CollectiveOperation distCollectiveOp, ReduceOperation reduceOp, int64_t root,
        int64_t* groups, int64_t groupSize) noexcept = 0;
    virtual IBuilder& getBuilder() const noexcept = 0;
    virtual bool markWeightsRefittable(const char* name) noexcept = 0;
    virtual bool unmarkWeightsRefittable(const char* name) noexcept = 0;
    virtual bool areWeightsMarkedRefittable(const char* name) const noexcept = 0;
    virtual ISqueezeLayer* addSqueeze(ITensor& input, ITensor& axes) noexcept = 0;
    virtual IUnsqueezeLayer* addUnsqueeze(ITensor& input, ITensor& axes) noexcept = 0;
    virtual INormalizationLayer* addNormalizationV2(ITensor& input, ITensor& scale, ITensor& bias,
        uint32_t axesMask) noexcept = 0;
    TRT_DEPRECATED virtual IFillLayer* addFill(const Dims& dimensions,
        FillOperation op) noexcept = 0;
    TRT_DEPRECATED virtual IDequantizeLayer* addDequantize(ITensor& input,
        ITensor& scale) noexcept = 0;
    TRT_DEPRECATED virtual IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale) noexcept = 0;
};

} // namespace nvinfer1
