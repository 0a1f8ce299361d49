// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

//! \file
//! Layers beyond those of the API, for parsers of model formats that have such operators. Each is
//! an ILayer of type LayerType::kPLUGIN, which has no class of its own. As for all layers, types
//! and shapes of operands that do not fit are reported when the layer is added, and fail the build.
#pragma once

#include "kiln/api/network/network_definition.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! How addRoiAlign() makes one element of the samples in a bin.
enum class RoiPooling : int32_t {
    kAVERAGE = 0, //!< The mean of bilinear samples.
    kMAX = 1,     //!< The largest product of an element and its bilinear weight.
    kBINS = 2,    //!< The largest element of the bin, whose borders are integers.
};

//! Parameters of addRoiAlign().
struct RoiAlignParams {
    int64_t height = 1; //!< Of the output.
    int64_t width = 1;
    //! Samples of a bin along each axis; 0: as many as the bin has elements, rounded up.
    int32_t samplingRatio = 0;
    RoiPooling pooling = RoiPooling::kAVERAGE;
    float scale = 1.0F;    //!< Multiplies the coordinates of boxes.
    bool halfPixel = true; //!< Coordinates are those of pixels' corners, not of their centres.
};

//! Crops boxes out of images and brings them to one size.
//!
//! \param images [batch, channels, height, width], kFLOAT, kHALF or kBF16.
//! \param boxes [boxes, 4], of a floating-point type: left, top, right, bottom.
//! \param batch [boxes], kINT32 or kINT64: the image of each box. Boxes of images that do not exist
//!     give zeros.
//!
//! \return A layer with output [boxes, channels, params.height, params.width] of the images' type;
//!     nullptr, with an error, for invalid parameters.
//!
//! Source: ONNX RoiAlign-16; ONNX MaxRoiPool-1 for kBINS.
nvinfer1::ILayer* addRoiAlign(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& images,
                              nvinfer1::ITensor& boxes, nvinfer1::ITensor& batch,
                              RoiAlignParams const& params) noexcept;

//! How updates combine with the elements that they meet.
enum class ScatterReduction : int32_t {
    kNONE = 0, //!< They replace them.
    kSUM = 1,
    kPROD = 2,
    kMAX = 3,
    kMIN = 4,
};

//! Makes a scatter layer combine updates with the data. Each of several updates of one element
//! counts; on the target cuda their order, and so the rounding of sums, may differ from run to run.
//!
//! \return false, with an error and no change, if the value is no member.
bool setScatterReduction(nvinfer1::IScatterLayer& layer, ScatterReduction reduction) noexcept;

//! Finds the different elements of a tensor, or its different slices along an axis.
//!
//! \param input of any type of whole bytes but the 8-bit floats. NaN is above all numbers and equal
//!     to itself.
//! \param sorted ascending; otherwise in the order in which they first occur.
//! \param axis of the slices, from 0; -1: the elements of the flattened tensor.
//!
//! \return A layer with four outputs, n being the number of different elements: these, as [n] or
//!     the input's shape with n along the axis; and, of kINT64, where each occurs first [n], which
//!     of them each element or slice of the input is, and how often each occurs [n]. nullptr, with
//!     an error, for an invalid axis.
//!
//! Source: ONNX Unique-11.
nvinfer1::ILayer* addUnique(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& input,
                            bool sorted, int32_t axis) noexcept;

//! The determinants of square matrices in the last two axes, kFLOAT, kHALF or kBF16.
nvinfer1::ILayer* addDeterminant(nvinfer1::INetworkDefinition& network,
                                 nvinfer1::ITensor& input) noexcept;

//! The bits of a tensor as elements of another type of as many bits.
nvinfer1::ILayer* addBitCast(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& input,
                             nvinfer1::DataType type) noexcept;

//! What addDoubleMath() computes. Numbers of float64 are tensors of kINT64 that hold their bits.
enum class DoubleOperation : int32_t {
    kFROM_FLOAT = 0,   //!< Of kFLOAT.
    kFROM_INTEGER = 1, //!< Of kINT64, rounded to the nearest number.
    kTO_FLOAT = 2,     //!< To kFLOAT, rounded to the nearest number.
    //! To kINT64, rounded towards zero. Numbers out of its range give its ends, NaN gives 0.
    kTO_INTEGER = 3,
    kNEG = 4,
    kABS = 5,
    kFLOOR = 6,
    kCEIL = 7,
    kROUND = 8, //!< Halves to the even number.
    kSQRT = 9,
    kSUM = 10, //!< The first one of two operands.
    kSUB = 11,
    kPROD = 12,
    kDIV = 13,
    kMAX = 14,   //!< NaN if an operand is NaN.
    kMIN = 15,   //!< NaN if an operand is NaN.
    kEQUAL = 16, //!< The first one whose result is kBOOL.
    kLESS = 17,
    kLESS_EQUAL = 18,
};

//! Arithmetic of float64, which tensors of a network do not have. It is slow: for a few numbers
//! that decide how often a loop runs, or how large a result is.
//!
//! \param x kINT64, the bits of float64; kFLOAT for kFROM_FLOAT, and integers for kFROM_INTEGER.
//! \param y The second operand, of kSUM and what follows; else nullptr. It has the shape of x, or
//! one
//!     of them has one element.
//!
//! \return A layer with an output of kINT64, the bits of the results; kFLOAT for kTO_FLOAT,
//! integers
//!     for kTO_INTEGER, kBOOL for comparisons. nullptr, with an error, for an operation that is no
//!     member.
nvinfer1::ILayer* addDoubleMath(nvinfer1::INetworkDefinition& network, nvinfer1::ITensor& x,
                                nvinfer1::ITensor* y, DoubleOperation operation) noexcept;

} // namespace kiln

#pragma GCC visibility pop
