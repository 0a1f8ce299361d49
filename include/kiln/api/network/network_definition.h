// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/builder/network_creation_flag.h"
#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/macros.h"
#include "kiln/api/network/forward.h"
#include "kiln/api/network/layers.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/plugin_v2.h"
#include "kiln/api/plugin_v3.h"
#include "kiln/api/weights.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

class IBuilder;

//! A graph of layers to build an engine from. Created by IBuilder::createNetworkV2().
//!
//! Ownership: the caller owns the network and deletes it before its builder. The network owns its
//! tensors and layers. Strings are copied. Weights are not copied: their memory must stay valid and
//! unchanged until the engine is built. Plugins are cloned; the caller keeps the original.
//!
//! Errors: add functions return null, functions that return bool return false, and the error goes
//! to the logger and to the error recorder. Shape errors in a layer with unknown extents may be
//! detected only at build time. All tensor arguments must belong to this network. Adding an
//! unsupported layer is an error.
//!
//! Not thread-safe.
class INetworkDefinition : public INoCopy {
public:
    ~INetworkDefinition() noexcept override = default;

    //! \name Inputs and outputs
    //!@{

    //! Adds an input.
    //! \param name unique among the inputs, null-terminated, copied; at most 4096 bytes including
    //!     the terminator.
    //! \param dimensions -1 marks an extent that is known only at run time; an optimization profile
    //!     must define its range. At most Dims::MAX_DIMS dimensions.
    virtual ITensor* addInput(char const* name, DataType type, Dims const& dimensions) noexcept = 0;

    //! Marks a tensor as a network output. A network input cannot be an output.
    virtual void markOutput(ITensor& tensor) noexcept = 0;

    //! Undoes markOutput().
    virtual void unmarkOutput(ITensor& tensor) noexcept = 0;

    //! Marks a shape tensor as a network output whose values are in host memory.
    virtual bool markOutputForShapes(ITensor& tensor) noexcept = 0;

    //! Undoes markOutputForShapes().
    virtual bool unmarkOutputForShapes(ITensor& tensor) noexcept = 0;

    //! Number of inputs.
    virtual int32_t getNbInputs() const noexcept = 0;

    //! Input `index`, in the order in which they were added; null if out of range.
    virtual ITensor* getInput(int32_t index) const noexcept = 0;

    //! Number of outputs.
    virtual int32_t getNbOutputs() const noexcept = 0;

    //! Output `index`, in the order in which they were marked; null if out of range.
    virtual ITensor* getOutput(int32_t index) const noexcept = 0;

    //! Removes a network input that no layer uses. For other tensors, logs a warning and changes
    //! nothing.
    virtual void removeTensor(ITensor& tensor) noexcept = 0;

    //!@}
    //! \name Layers
    //! See the layer classes for inputs, outputs and rules.
    //!@{

    //! Number of layers.
    virtual int32_t getNbLayers() const noexcept = 0;

    //! Layer `index`, in the order in which they were added; null if out of range.
    virtual ILayer* getLayer(int32_t index) const noexcept = 0;

    //! Applies a function to each element.
    virtual IActivationLayer* addActivation(ITensor& input, ActivationType type) noexcept = 0;

    //! Divides each element x by (k + alpha / window * sum of squares over `window` neighbouring
    //! channels) ^ beta. \param window odd.
    virtual ILRNLayer* addLRN(ITensor& input, int64_t window, float alpha, float beta,
                              float k) noexcept = 0;

    //! (x * scale + shift) ^ power with channel axis 1. Weights of count 0 mean 0, 1 and 1.
    virtual IScaleLayer* addScale(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
                                  Weights power) noexcept = 0;

    //! As addScale(), with the channel axis given: 1 .. rank - 1.
    virtual IScaleLayer* addScaleNd(ITensor& input, ScaleMode mode, Weights shift, Weights scale,
                                    Weights power, int32_t channelAxis) noexcept = 0;

    //! Softmax along one axis, by default dimension max(rank - 3, 0).
    virtual ISoftMaxLayer* addSoftMax(ITensor& input) noexcept = 0;

    //! Concatenates tensors along an axis; all other extents must be equal.
    virtual IConcatenationLayer* addConcatenation(ITensor* const* inputs,
                                                  int32_t nbInputs) noexcept = 0;

    //! Combines two tensors of equal rank and type element by element; extents of 1 are broadcast.
    virtual IElementWiseLayer* addElementWise(ITensor& input1, ITensor& input2,
                                              ElementWiseOperation op) noexcept = 0;

    //! Applies a function to each element.
    virtual IUnaryLayer* addUnary(ITensor& input, UnaryOperation operation) noexcept = 0;

    //! Transposes and reshapes; the identity until the layer's parameters are set.
    virtual IShuffleLayer* addShuffle(ITensor& input) noexcept = 0;

    //! One-hot encoding: vectors of values[0], with values[1] at the index. \param depth scalar:
    //! the length of the vectors. \param axis position of the new axis; negative counts from the
    //! end.
    virtual IOneHotLayer* addOneHot(ITensor& indices, ITensor& values, ITensor& depth,
                                    int32_t axis) noexcept = 0;

    //! Combines all elements along the axes of a bit mask.
    virtual IReduceLayer* addReduce(ITensor& input, ReduceOperation operation, uint32_t reduceAxes,
                                    bool keepDimensions) noexcept = 0;

    //! The k largest or smallest elements along one axis, and their indices as kINT32.
    TRT_DEPRECATED virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k,
                                               uint32_t reduceAxes) noexcept = 0;

    //! The same, with indices of the given type: kINT32 or kINT64.
    virtual ITopKLayer* addTopK(ITensor& input, TopKOperation op, int32_t k, uint32_t reduceAxes,
                                DataType indicesType) noexcept = 0;

    //! Slices of `data` at `indices` along an axis.
    virtual IGatherLayer* addGather(ITensor& data, ITensor& indices, int32_t axis) noexcept = 0;

    //! As addGather(), with a mode and axis 0.
    virtual IGatherLayer* addGatherV2(ITensor& data, ITensor& indices,
                                      GatherMode mode) noexcept = 0;

    //! Softmax over rows with the lengths in `bounds`.
    virtual IRaggedSoftMaxLayer* addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept = 0;

    //! Matrix product for each index of the leading axes.
    virtual IMatrixMultiplyLayer* addMatrixMultiply(ITensor& input0, MatrixOperation op0,
                                                    ITensor& input1,
                                                    MatrixOperation op1) noexcept = 0;

    //! Indices of the elements that are not zero, [rank, count], kINT32.
    TRT_DEPRECATED virtual INonZeroLayer* addNonZero(ITensor& input) noexcept = 0;

    //! The same, with indices of the given type: kINT32 or kINT64.
    virtual INonZeroLayer* addNonZero(ITensor& input, DataType indicesType) noexcept = 0;

    //! A tensor with constant values. \param dimensions all known. \param weights one element for
    //! each element of the tensor.
    virtual IConstantLayer* addConstant(Dims const& dimensions, Weights weights) noexcept = 0;

    //! Copies a tensor.
    virtual IIdentityLayer* addIdentity(ITensor& input) noexcept = 0;

    //! Converts each element to another type.
    virtual ICastLayer* addCast(ITensor& input, DataType toType) noexcept = 0;

    //! Elements start + i * stride for i below `size`, along each axis.
    virtual ISliceLayer* addSlice(ITensor& input, Dims const& start, Dims const& size,
                                  Dims const& stride) noexcept = 0;

    //! The shape of a tensor: [rank], kINT64.
    virtual IShapeLayer* addShape(ITensor& input) noexcept = 0;

    //! x if x >= 0, else slope * x; extents of 1 in `slope` are broadcast.
    virtual IParametricReLULayer* addParametricReLU(ITensor& input, ITensor& slope) noexcept = 0;

    //! Convolution over 1 to 3 spatial axes (as many as `kernelSize` has).
    //! \param kernelWeights [maps, channels / groups, kernel...]; count 0 if setInput(1, ...)
    //!     supplies the kernel.
    //! \param biasWeights [maps], or count 0 for none.
    virtual IConvolutionLayer* addConvolutionNd(ITensor& input, int64_t nbOutputMaps,
                                                Dims const& kernelSize, Weights kernelWeights,
                                                Weights biasWeights) noexcept = 0;

    //! Pooling over 1 to 3 spatial axes (as many as `windowSize` has).
    virtual IPoolingLayer* addPoolingNd(ITensor& input, PoolingType type,
                                        Dims const& windowSize) noexcept = 0;

    //! Transposed convolution. \param kernelWeights [channels, maps / groups, kernel...].
    virtual IDeconvolutionLayer* addDeconvolutionNd(ITensor& input, int64_t nbOutputMaps,
                                                    Dims kernelSize, Weights kernelWeights,
                                                    Weights biasWeights) noexcept = 0;

    //! Interpolates to other extents.
    virtual IResizeLayer* addResize(ITensor& input) noexcept = 0;

    //! A loop; add its parts to the result. The network owns it.
    virtual ILoop* addLoop() noexcept = 0;

    //! A conditional choice between two subgraphs; add its parts to the result. The network owns
    //! it.
    virtual IIfConditional* addIfConditional() noexcept = 0;

    //! thenInput where the boolean `condition` is true, else elseInput; extents of 1 are broadcast.
    virtual ISelectLayer* addSelect(ITensor& condition, ITensor& thenInput,
                                    ITensor& elseInput) noexcept = 0;

    //! Fails with `message` (copied) unless all elements of the boolean shape tensor are true.
    virtual IAssertionLayer* addAssertion(ITensor& condition, char const* message) noexcept = 0;

    //! Generates values of type kFLOAT. See the overload below.
    TRT_DEPRECATED virtual IFillLayer* addFill(Dims const& dimensions,
                                               FillOperation op) noexcept = 0;

    //! Generates values of the given type.
    virtual IFillLayer* addFill(Dims const& dimensions, FillOperation op,
                                DataType outputType) noexcept = 0;

    //! Zero padding of the last two axes; negative padding crops.
    virtual IPaddingLayer* addPaddingNd(ITensor& input, Dims const& prePadding,
                                        Dims const& postPadding) noexcept = 0;

    //! (x - zero point) * scale; the output is kFLOAT. See the overload below.
    TRT_DEPRECATED virtual IDequantizeLayer* addDequantize(ITensor& input,
                                                           ITensor& scale) noexcept = 0;

    //! (x - zero point) * scale, with an output of the given type.
    virtual IDequantizeLayer* addDequantize(ITensor& input, ITensor& scale,
                                            DataType outputType) noexcept = 0;

    //! x / scale + zero point, rounded and clamped; the output is kINT8. See the overload below.
    TRT_DEPRECATED virtual IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale) noexcept = 0;

    //! x / scale + zero point, rounded and clamped to the given type.
    virtual IQuantizeLayer* addQuantize(ITensor& input, ITensor& scale,
                                        DataType outputType) noexcept = 0;

    //! Quantizes with a scale computed for each block of `blockSize` elements along an axis.
    TRT_DEPRECATED virtual IDynamicQuantizeLayer* addDynamicQuantize(
        ITensor& input, int32_t axis, int32_t blockSize, DataType outputType,
        DataType scaleType) noexcept = 0;

    //! Quantizes with a scale computed for each block. \param blockShape its extents, one for each
    //! dimension; -1 takes the whole axis.
    virtual IDynamicQuantizeLayer* addDynamicQuantizeV2(ITensor& input, Dims const& blockShape,
                                                        DataType outputType,
                                                        DataType scaleType) noexcept = 0;

    //! A copy of `data` with `updates` written at `indices`.
    virtual IScatterLayer* addScatter(ITensor& data, ITensor& indices, ITensor& updates,
                                      ScatterMode mode) noexcept = 0;

    //! Einstein summation. \param equation such as "ij,jk->ik", copied.
    virtual IEinsumLayer* addEinsum(ITensor* const* inputs, int32_t nbInputs,
                                    char const* equation) noexcept = 0;

    //! Samples an input at the coordinates of a grid, both 4-dimensional.
    virtual IGridSampleLayer* addGridSample(ITensor& input, ITensor& grid) noexcept = 0;

    //! Non-maximum suppression; indices are kINT32. See the overload below.
    TRT_DEPRECATED virtual INMSLayer* addNMS(ITensor& boxes, ITensor& scores,
                                             ITensor& maxOutputBoxesPerClass) noexcept = 0;

    //! Non-maximum suppression, with indices of the given type: kINT32 or kINT64.
    virtual INMSLayer* addNMS(ITensor& boxes, ITensor& scores, ITensor& maxOutputBoxesPerClass,
                              DataType indicesType) noexcept = 0;

    //! Reverses the first sequenceLens[b] elements of each sequence b.
    virtual IReverseSequenceLayer* addReverseSequence(ITensor& input,
                                                      ITensor& sequenceLens) noexcept = 0;

    //! (x - mean) / sqrt(variance + epsilon) * scale + bias, mean and variance along the axes of a
    //! bit mask. See addNormalizationV2().
    TRT_DEPRECATED virtual INormalizationLayer* addNormalization(ITensor& input, ITensor& scale,
                                                                 ITensor& bias,
                                                                 uint32_t axesMask) noexcept = 0;

    //! The same; with groups, scale and bias are by channel, while addNormalization() also takes
    //! them by group.
    virtual INormalizationLayer* addNormalizationV2(ITensor& input, ITensor& scale, ITensor& bias,
                                                    uint32_t axesMask) noexcept = 0;

    //! Accumulates along an axis. \param axis constant scalar. \param exclusive exclude the element
    //! itself. \param reverse start at the end.
    virtual ICumulativeLayer* addCumulative(ITensor& input, ITensor& axis,
                                            CumulativeOperation operation, bool exclusive,
                                            bool reverse) noexcept = 0;

    //! Attention; `causal` selects CausalMaskKind::kUPPER_LEFT.
    TRT_DEPRECATED virtual IAttention* addAttention(ITensor& query, ITensor& key, ITensor& value,
                                                    AttentionNormalizationOp normOp,
                                                    bool causal) noexcept = 0;

    //! Attention: normalize(query * transposed key + mask) * value. The network owns the result.
    virtual IAttention* addAttentionV2(ITensor& query, ITensor& key, ITensor& value,
                                       AttentionNormalizationOp normOp,
                                       CausalMaskKind causalKind) noexcept = 0;

    //! Rotates pairs of elements by position. \param interleaved pairs are adjacent; else they are
    //! half a head apart. \param rotaryEmbeddingDim number of elements per head to rotate; 0 means
    //! all.
    virtual IRotaryEmbeddingLayer* addRotaryEmbedding(ITensor& input, ITensor& cosCache,
                                                      ITensor& sinCache, bool interleaved,
                                                      int32_t rotaryEmbeddingDim) noexcept = 0;

    //! Writes new keys or values into a cache, in place.
    virtual IKVCacheUpdateLayer* addKVCacheUpdate(ITensor& cache, ITensor& update,
                                                  ITensor& writeIndices,
                                                  KVCacheMode cacheMode) noexcept = 0;

    //! Mixture of experts: each token is processed by the experts selected for it.
    virtual IMoELayer* addMoE(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
                              ITensor& scoresForSelectedExperts) noexcept = 0;

    //! Communication between devices. \param root rank, or -1 if the operation has none.
    //! \param groups participating ranks, copied; null with groupSize 0 means all.
    virtual IDistCollectiveLayer* addDistCollective(ITensor& input,
                                                    CollectiveOperation distCollectiveOp,
                                                    ReduceOperation reduceOp, int64_t root,
                                                    int64_t* groups,
                                                    int64_t groupSize) noexcept = 0;

    //! Removes axes of extent 1. \param axes shape tensor with their indices.
    virtual ISqueezeLayer* addSqueeze(ITensor& input, ITensor& axes) noexcept = 0;

    //! Inserts axes of extent 1. \param axes shape tensor with their indices in the result.
    virtual IUnsqueezeLayer* addUnsqueeze(ITensor& input, ITensor& axes) noexcept = 0;

    //! Adds a plugin derived from IPluginV2DynamicExt, or from an older class of the IPluginV2
    //! family, whose batch is then the first dimension.
    //! \param inputs nbInputs pointers, none null; the array is copied.
    //! \param plugin cloned; the caller keeps and destroys the original.
    TRT_DEPRECATED virtual IPluginV2Layer* addPluginV2(ITensor* const* inputs, int32_t nbInputs,
                                                       IPluginV2& plugin) noexcept = 0;

    //! Adds an IPluginV3.
    //! \param inputs nbInputs pointers, none null; the array is copied.
    //! \param shapeInputs nbShapeInputs shape tensors, whose values the plugin may use to compute
    //!     shapes. Null with 0 means none.
    //! \param plugin cloned; the caller keeps and deletes the original.
    virtual IPluginV3Layer* addPluginV3(ITensor* const* inputs, int32_t nbInputs,
                                        ITensor* const* shapeInputs, int32_t nbShapeInputs,
                                        IPluginV3& plugin) noexcept = 0;

    //!@}
    //! \name Refittable weights
    //!@{

    //! Names weights for refitting. The name applies to all uses of the weights in the network so
    //! far: where pointer, type and count are the same.
    //! \param name not empty, and no other weights have it; null removes the name.
    //! \return false, with an error, if no layer uses these weights, or weights with this pointer
    //!     but another type or count exist, or the name is taken.
    virtual bool setWeightsName(Weights weights, char const* name) noexcept = 0;

    //! With BuilderFlag::kREFIT_INDIVIDUAL: marks weights that can be refitted.
    //! \param name from setWeightsName(). \return false, with an error, if no weights have it.
    virtual bool markWeightsRefittable(char const* name) noexcept = 0;

    //! Undoes markWeightsRefittable(). \return false, with an error, if no weights have the name.
    virtual bool unmarkWeightsRefittable(char const* name) noexcept = 0;

    //! Whether weights are marked as refittable.
    virtual bool areWeightsMarkedRefittable(char const* name) const noexcept = 0;

    //!@}
    //! \name Debug tensors
    //! An IDebugListener receives their values during a run.
    //!@{

    //! Marks a tensor as a debug tensor.
    virtual bool markDebug(ITensor& tensor) noexcept = 0;

    //! Undoes markDebug().
    virtual bool unmarkDebug(ITensor& tensor) noexcept = 0;

    //! True if markDebug() marked the tensor.
    virtual bool isDebugTensor(ITensor const& tensor) const noexcept = 0;

    //! Marks the outputs of all layers as debug tensors.
    virtual bool markUnfusedTensorsAsDebugTensors() noexcept = 0;

    //! Undoes markUnfusedTensorsAsDebugTensors() and all markDebug() of layer outputs.
    virtual bool unmarkUnfusedTensorsAsDebugTensors() noexcept = 0;

    //!@}
    //! \name The network itself
    //!@{

    //! Sets the name of the network and its engines. \param name null-terminated, copied.
    virtual void setName(char const* name) noexcept = 0;

    //! The name; never null. Valid until the name changes or the network is destroyed.
    virtual char const* getName() const noexcept = 0;

    //! Always false: the batch is an ordinary dimension.
    TRT_DEPRECATED virtual bool hasImplicitBatchDimension() const noexcept = 0;

    //! The bit mask that the network was created with.
    virtual NetworkDefinitionCreationFlags getFlags() const noexcept = 0;

    //! True if a flag was given when the network was created.
    virtual bool getFlag(
        NetworkDefinitionCreationFlag networkDefinitionCreationFlag) const noexcept = 0;

    //! Sets the error recorder, which receives errors in addition to the logger. The network adds a
    //! reference; the caller keeps ownership. Null removes it. Default: the recorder of the
    //! builder.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The recorder; null if there is none.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    //! The builder that created the network.
    virtual IBuilder& getBuilder() const noexcept = 0;

    //!@}
};

} // namespace nvinfer1

#pragma GCC visibility pop
