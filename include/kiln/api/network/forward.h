// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Forward declarations of unsupported layer classes, which INetworkDefinition's functions name as
//! result types.

namespace nvinfer1 {

class IAssertionLayer;
class IAttention;
class ICumulativeLayer;
class IDeconvolutionLayer;
class IDequantizeLayer;
class IDistCollectiveLayer;
class IDynamicQuantizeLayer;
class IEinsumLayer;
class IGridSampleLayer;
class IIfConditional;
class IKVCacheUpdateLayer;
class ILRNLayer;
class ILoop;
class IMoELayer;
class INMSLayer;
class INonZeroLayer;
class IOneHotLayer;
class IPaddingLayer;
class IParametricReLULayer;
class IQuantizeLayer;
class IRaggedSoftMaxLayer;
class IResizeLayer;
class IReverseSequenceLayer;
class IRotaryEmbeddingLayer;
class IScaleLayer;
class IScatterLayer;
class ISqueezeLayer;
class ITopKLayer;
class IUnsqueezeLayer;

} // namespace nvinfer1
