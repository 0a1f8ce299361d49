// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

//! Layer classes that are declared by name only: the results of INetworkDefinition's functions for
//! layers whose own headers do not exist.

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
class INormalizationLayer;
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
