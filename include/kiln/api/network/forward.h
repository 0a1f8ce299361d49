// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Forward declarations of the classes of all layers. Those of supported layers are in the headers
//! named after them; the others exist so that INetworkDefinition's functions can name them.

namespace nvinfer1 {

class IActivationLayer;
class IAssertionLayer;
class IAttention;
class IAttentionBoundaryLayer;
class IAttentionInputLayer;
class IAttentionOutputLayer;
class ICastLayer;
class IConcatenationLayer;
class IConditionLayer;
class IConstantLayer;
class IConvolutionLayer;
class ICumulativeLayer;
class IDeconvolutionLayer;
class IDequantizeLayer;
class IDistCollectiveLayer;
class IDynamicQuantizeLayer;
class IEinsumLayer;
class IElementWiseLayer;
class IFillLayer;
class IGatherLayer;
class IGridSampleLayer;
class IIdentityLayer;
class IIfConditional;
class IIfConditionalBoundaryLayer;
class IIfConditionalInputLayer;
class IIfConditionalOutputLayer;
class IIteratorLayer;
class IKVCacheUpdateLayer;
class ILRNLayer;
class ILoop;
class ILoopBoundaryLayer;
class ILoopOutputLayer;
class IMatrixMultiplyLayer;
class IMoELayer;
class INMSLayer;
class INonZeroLayer;
class IOneHotLayer;
class IPaddingLayer;
class IParametricReLULayer;
class IPluginV2Layer;
class IPluginV3Layer;
class IPoolingLayer;
class IQuantizeLayer;
class IRaggedSoftMaxLayer;
class IRecurrenceLayer;
class IReduceLayer;
class IResizeLayer;
class IReverseSequenceLayer;
class IRotaryEmbeddingLayer;
class IScaleLayer;
class IScatterLayer;
class ISelectLayer;
class IShapeLayer;
class IShuffleLayer;
class ISliceLayer;
class ISoftMaxLayer;
class ISqueezeLayer;
class ITopKLayer;
class ITripLimitLayer;
class IUnaryLayer;
class IUnsqueezeLayer;

} // namespace nvinfer1
