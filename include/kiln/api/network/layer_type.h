// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/enum_max.h"

#include <cstdint>

namespace nvinfer1 {

//! Kind of a layer. ILayer::getType() returns it; it determines the class to cast the ILayer to.
enum class LayerType : int32_t {
    kCONVOLUTION = 0,      //!< IConvolutionLayer.
    kCAST = 1,             //!< ICastLayer.
    kACTIVATION = 2,       //!< IActivationLayer.
    kPOOLING = 3,          //!< IPoolingLayer.
    kLRN = 4,              //!< ILRNLayer: local response normalization.
    kSCALE = 5,            //!< IScaleLayer: (x * scale + shift) ^ power.
    kSOFTMAX = 6,          //!< ISoftMaxLayer.
    kDECONVOLUTION = 7,    //!< IDeconvolutionLayer: transposed convolution.
    kCONCATENATION = 8,    //!< IConcatenationLayer.
    kELEMENTWISE = 9,      //!< IElementWiseLayer.
    kPLUGIN = 10,          //!< A plugin layer older than IPluginV2; cannot be created.
    kUNARY = 11,           //!< IUnaryLayer.
    kPADDING = 12,         //!< IPaddingLayer.
    kSHUFFLE = 13,         //!< IShuffleLayer: transpose, reshape, transpose.
    kREDUCE = 14,          //!< IReduceLayer.
    kTOPK = 15,            //!< ITopKLayer: largest or smallest elements with their indices.
    kGATHER = 16,          //!< IGatherLayer.
    kMATRIX_MULTIPLY = 17, //!< IMatrixMultiplyLayer.
    kRAGGED_SOFTMAX = 18,  //!< IRaggedSoftMaxLayer: softmax over rows of differing lengths.
    kCONSTANT = 19,        //!< IConstantLayer.
    kIDENTITY = 20,        //!< IIdentityLayer.
    kPLUGIN_V2 = 21,       //!< IPluginV2Layer.
    kSLICE = 22,           //!< ISliceLayer.
    kSHAPE = 23,           //!< IShapeLayer: the shape of a tensor.
    kPARAMETRIC_RELU = 24, //!< IParametricReLULayer.
    kRESIZE = 25,          //!< IResizeLayer.
    kTRIP_LIMIT = 26,      //!< ITripLimitLayer: the end condition of a loop.
    kRECURRENCE = 27,  //!< IRecurrenceLayer: a value carried from one loop iteration to the next.
    kITERATOR = 28,    //!< IIteratorLayer: slices of a tensor, one for each iteration.
    kLOOP_OUTPUT = 29, //!< ILoopOutputLayer: an output of a loop.
    kSELECT = 30,      //!< ISelectLayer: elementwise choice between two tensors.
    kFILL = 31,        //!< IFillLayer: generated values.
    kQUANTIZE = 32,    //!< IQuantizeLayer.
    kDEQUANTIZE = 33,  //!< IDequantizeLayer.
    kCONDITION = 34,   //!< IConditionLayer: the condition of an IIfConditional.
    kCONDITIONAL_INPUT = 35,  //!< IIfConditionalInputLayer.
    kCONDITIONAL_OUTPUT = 36, //!< IIfConditionalOutputLayer.
    kSCATTER = 37,            //!< IScatterLayer.
    kEINSUM = 38,             //!< IEinsumLayer: Einstein summation.
    kASSERTION = 39,          //!< IAssertionLayer: a condition that must hold.
    kONE_HOT = 40,            //!< IOneHotLayer.
    kNON_ZERO = 41,           //!< INonZeroLayer: indices of the elements that are not zero.
    kGRID_SAMPLE = 42,        //!< IGridSampleLayer.
    kNMS = 43,                //!< INMSLayer: non-maximum suppression of boxes.
    kREVERSE_SEQUENCE = 44,   //!< IReverseSequenceLayer.
    kNORMALIZATION = 45,      //!< INormalizationLayer: instance, group or layer normalization.
    kPLUGIN_V3 = 46,          //!< IPluginV3Layer.
    kSQUEEZE = 47,            //!< ISqueezeLayer.
    kUNSQUEEZE = 48,          //!< IUnsqueezeLayer.
    kCUMULATIVE = 49,         //!< ICumulativeLayer: running sum.
    kDYNAMIC_QUANTIZE = 50,   //!< IDynamicQuantizeLayer.
    kATTENTION_INPUT = 51,    //!< IAttentionInputLayer.
    kATTENTION_OUTPUT = 52,   //!< IAttentionOutputLayer.
    kROTARY_EMBEDDING = 53,   //!< IRotaryEmbeddingLayer.
    kKVCACHE_UPDATE = 54,     //!< IKVCacheUpdateLayer.
    kMOE = 55,                //!< IMoELayer: mixture of experts.
    kDIST_COLLECTIVE = 56,    //!< IDistCollectiveLayer: communication between devices.
};

//! Number of values of LayerType, for loops and tables.
template <>
constexpr int32_t EnumMax<LayerType>() noexcept {
    return 57;
}

} // namespace nvinfer1
