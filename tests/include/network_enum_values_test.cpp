// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Pins the values of the enumerations of networks, builders and the ONNX parser, which programs,
// bindings and plans rely on. Compiling it is the test.

#include "NvInfer.h"
#include "NvOnnxParser.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

// Enumerators that the API marks as deprecated keep their values, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define PIN(name, value) static_assert(static_cast<int32_t>(name) == (value), #name)

PIN(nvinfer1::ActivationType::kRELU, 0);
PIN(nvinfer1::ActivationType::kSIGMOID, 1);
PIN(nvinfer1::ActivationType::kTANH, 2);
PIN(nvinfer1::ActivationType::kLEAKY_RELU, 3);
PIN(nvinfer1::ActivationType::kELU, 4);
PIN(nvinfer1::ActivationType::kSELU, 5);
PIN(nvinfer1::ActivationType::kSOFTSIGN, 6);
PIN(nvinfer1::ActivationType::kSOFTPLUS, 7);
PIN(nvinfer1::ActivationType::kCLIP, 8);
PIN(nvinfer1::ActivationType::kHARD_SIGMOID, 9);
PIN(nvinfer1::ActivationType::kSCALED_TANH, 10);
PIN(nvinfer1::ActivationType::kTHRESHOLDED_RELU, 11);
PIN(nvinfer1::ActivationType::kGELU_ERF, 12);
PIN(nvinfer1::ActivationType::kGELU_TANH, 13);
static_assert(nvinfer1::EnumMax<nvinfer1::ActivationType>() == 14);

PIN(nvinfer1::AttentionIOForm::kPADDED_BHND, 0);
PIN(nvinfer1::AttentionIOForm::kPACKED_NHD, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::AttentionIOForm>() == 2);

PIN(nvinfer1::AttentionNormalizationOp::kNONE, 0);
PIN(nvinfer1::AttentionNormalizationOp::kSOFTMAX, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::AttentionNormalizationOp>() == 2);

PIN(nvinfer1::BoundingBoxFormat::kCORNER_PAIRS, 0);
PIN(nvinfer1::BoundingBoxFormat::kCENTER_SIZES, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::BoundingBoxFormat>() == 2);

PIN(nvinfer1::BuilderFlag::kFP16, 0);
PIN(nvinfer1::BuilderFlag::kINT8, 1);
PIN(nvinfer1::BuilderFlag::kDEBUG, 2);
PIN(nvinfer1::BuilderFlag::kGPU_FALLBACK, 3);
PIN(nvinfer1::BuilderFlag::kREFIT, 4);
PIN(nvinfer1::BuilderFlag::kDISABLE_TIMING_CACHE, 5);
PIN(nvinfer1::BuilderFlag::kTF32, 6);
PIN(nvinfer1::BuilderFlag::kSPARSE_WEIGHTS, 7);
PIN(nvinfer1::BuilderFlag::kSAFETY_SCOPE, 8);
PIN(nvinfer1::BuilderFlag::kOBEY_PRECISION_CONSTRAINTS, 9);
PIN(nvinfer1::BuilderFlag::kPREFER_PRECISION_CONSTRAINTS, 10);
PIN(nvinfer1::BuilderFlag::kDIRECT_IO, 11);
PIN(nvinfer1::BuilderFlag::kREJECT_EMPTY_ALGORITHMS, 12);
PIN(nvinfer1::BuilderFlag::kVERSION_COMPATIBLE, 13);
PIN(nvinfer1::BuilderFlag::kEXCLUDE_LEAN_RUNTIME, 14);
PIN(nvinfer1::BuilderFlag::kFP8, 15);
PIN(nvinfer1::BuilderFlag::kERROR_ON_TIMING_CACHE_MISS, 16);
PIN(nvinfer1::BuilderFlag::kBF16, 17);
PIN(nvinfer1::BuilderFlag::kDISABLE_COMPILATION_CACHE, 18);
PIN(nvinfer1::BuilderFlag::kSTRIP_PLAN, 19);
PIN(nvinfer1::BuilderFlag::kWEIGHTLESS, 19);
PIN(nvinfer1::BuilderFlag::kREFIT_IDENTICAL, 20);
PIN(nvinfer1::BuilderFlag::kWEIGHT_STREAMING, 21);
PIN(nvinfer1::BuilderFlag::kINT4, 22);
PIN(nvinfer1::BuilderFlag::kREFIT_INDIVIDUAL, 23);
PIN(nvinfer1::BuilderFlag::kSTRICT_NANS, 24);
PIN(nvinfer1::BuilderFlag::kMONITOR_MEMORY, 25);
PIN(nvinfer1::BuilderFlag::kFP4, 26);
PIN(nvinfer1::BuilderFlag::kEDITABLE_TIMING_CACHE, 27);
PIN(nvinfer1::BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE, 28);
static_assert(nvinfer1::EnumMax<nvinfer1::BuilderFlag>() == 29);

PIN(nvinfer1::CalibrationAlgoType::kLEGACY_CALIBRATION, 0);
PIN(nvinfer1::CalibrationAlgoType::kENTROPY_CALIBRATION, 1);
PIN(nvinfer1::CalibrationAlgoType::kENTROPY_CALIBRATION_2, 2);
PIN(nvinfer1::CalibrationAlgoType::kMINMAX_CALIBRATION, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::CalibrationAlgoType>() == 4);

PIN(nvinfer1::CausalMaskKind::kNONE, 0);
PIN(nvinfer1::CausalMaskKind::kUPPER_LEFT, 1);
PIN(nvinfer1::CausalMaskKind::kLOWER_RIGHT, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::CausalMaskKind>() == 3);

PIN(nvinfer1::CollectiveOperation::kALL_REDUCE, 0);
PIN(nvinfer1::CollectiveOperation::kALL_GATHER, 1);
PIN(nvinfer1::CollectiveOperation::kBROADCAST, 2);
PIN(nvinfer1::CollectiveOperation::kREDUCE, 3);
PIN(nvinfer1::CollectiveOperation::kREDUCE_SCATTER, 4);
PIN(nvinfer1::CollectiveOperation::kALL_TO_ALL, 5);
PIN(nvinfer1::CollectiveOperation::kGATHER, 6);
PIN(nvinfer1::CollectiveOperation::kSCATTER, 7);
static_assert(nvinfer1::EnumMax<nvinfer1::CollectiveOperation>() == 8);

PIN(nvinfer1::CumulativeOperation::kSUM, 0);
static_assert(nvinfer1::EnumMax<nvinfer1::CumulativeOperation>() == 1);

PIN(nvinfer1::ElementWiseOperation::kSUM, 0);
PIN(nvinfer1::ElementWiseOperation::kPROD, 1);
PIN(nvinfer1::ElementWiseOperation::kMAX, 2);
PIN(nvinfer1::ElementWiseOperation::kMIN, 3);
PIN(nvinfer1::ElementWiseOperation::kSUB, 4);
PIN(nvinfer1::ElementWiseOperation::kDIV, 5);
PIN(nvinfer1::ElementWiseOperation::kPOW, 6);
PIN(nvinfer1::ElementWiseOperation::kFLOOR_DIV, 7);
PIN(nvinfer1::ElementWiseOperation::kAND, 8);
PIN(nvinfer1::ElementWiseOperation::kOR, 9);
PIN(nvinfer1::ElementWiseOperation::kXOR, 10);
PIN(nvinfer1::ElementWiseOperation::kEQUAL, 11);
PIN(nvinfer1::ElementWiseOperation::kGREATER, 12);
PIN(nvinfer1::ElementWiseOperation::kLESS, 13);
static_assert(nvinfer1::EnumMax<nvinfer1::ElementWiseOperation>() == 14);

PIN(nvinfer1::FillOperation::kLINSPACE, 0);
PIN(nvinfer1::FillOperation::kRANDOM_UNIFORM, 1);
PIN(nvinfer1::FillOperation::kRANDOM_NORMAL, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::FillOperation>() == 3);

PIN(nvinfer1::GatherMode::kDEFAULT, 0);
PIN(nvinfer1::GatherMode::kELEMENT, 1);
PIN(nvinfer1::GatherMode::kND, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::GatherMode>() == 3);

PIN(nvinfer1::HardwareCompatibilityLevel::kNONE, 0);
PIN(nvinfer1::HardwareCompatibilityLevel::kAMPERE_PLUS, 1);
PIN(nvinfer1::HardwareCompatibilityLevel::kSAME_COMPUTE_CAPABILITY, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::HardwareCompatibilityLevel>() == 3);

PIN(nvinfer1::InterpolationMode::kNEAREST, 0);
PIN(nvinfer1::InterpolationMode::kLINEAR, 1);
PIN(nvinfer1::InterpolationMode::kCUBIC, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::InterpolationMode>() == 3);

PIN(nvinfer1::KVCacheMode::kLINEAR, 0);
static_assert(nvinfer1::EnumMax<nvinfer1::KVCacheMode>() == 1);

PIN(nvinfer1::LayerType::kCONVOLUTION, 0);
PIN(nvinfer1::LayerType::kCAST, 1);
PIN(nvinfer1::LayerType::kACTIVATION, 2);
PIN(nvinfer1::LayerType::kPOOLING, 3);
PIN(nvinfer1::LayerType::kLRN, 4);
PIN(nvinfer1::LayerType::kSCALE, 5);
PIN(nvinfer1::LayerType::kSOFTMAX, 6);
PIN(nvinfer1::LayerType::kDECONVOLUTION, 7);
PIN(nvinfer1::LayerType::kCONCATENATION, 8);
PIN(nvinfer1::LayerType::kELEMENTWISE, 9);
PIN(nvinfer1::LayerType::kPLUGIN, 10);
PIN(nvinfer1::LayerType::kUNARY, 11);
PIN(nvinfer1::LayerType::kPADDING, 12);
PIN(nvinfer1::LayerType::kSHUFFLE, 13);
PIN(nvinfer1::LayerType::kREDUCE, 14);
PIN(nvinfer1::LayerType::kTOPK, 15);
PIN(nvinfer1::LayerType::kGATHER, 16);
PIN(nvinfer1::LayerType::kMATRIX_MULTIPLY, 17);
PIN(nvinfer1::LayerType::kRAGGED_SOFTMAX, 18);
PIN(nvinfer1::LayerType::kCONSTANT, 19);
PIN(nvinfer1::LayerType::kIDENTITY, 20);
PIN(nvinfer1::LayerType::kPLUGIN_V2, 21);
PIN(nvinfer1::LayerType::kSLICE, 22);
PIN(nvinfer1::LayerType::kSHAPE, 23);
PIN(nvinfer1::LayerType::kPARAMETRIC_RELU, 24);
PIN(nvinfer1::LayerType::kRESIZE, 25);
PIN(nvinfer1::LayerType::kTRIP_LIMIT, 26);
PIN(nvinfer1::LayerType::kRECURRENCE, 27);
PIN(nvinfer1::LayerType::kITERATOR, 28);
PIN(nvinfer1::LayerType::kLOOP_OUTPUT, 29);
PIN(nvinfer1::LayerType::kSELECT, 30);
PIN(nvinfer1::LayerType::kFILL, 31);
PIN(nvinfer1::LayerType::kQUANTIZE, 32);
PIN(nvinfer1::LayerType::kDEQUANTIZE, 33);
PIN(nvinfer1::LayerType::kCONDITION, 34);
PIN(nvinfer1::LayerType::kCONDITIONAL_INPUT, 35);
PIN(nvinfer1::LayerType::kCONDITIONAL_OUTPUT, 36);
PIN(nvinfer1::LayerType::kSCATTER, 37);
PIN(nvinfer1::LayerType::kEINSUM, 38);
PIN(nvinfer1::LayerType::kASSERTION, 39);
PIN(nvinfer1::LayerType::kONE_HOT, 40);
PIN(nvinfer1::LayerType::kNON_ZERO, 41);
PIN(nvinfer1::LayerType::kGRID_SAMPLE, 42);
PIN(nvinfer1::LayerType::kNMS, 43);
PIN(nvinfer1::LayerType::kREVERSE_SEQUENCE, 44);
PIN(nvinfer1::LayerType::kNORMALIZATION, 45);
PIN(nvinfer1::LayerType::kPLUGIN_V3, 46);
PIN(nvinfer1::LayerType::kSQUEEZE, 47);
PIN(nvinfer1::LayerType::kUNSQUEEZE, 48);
PIN(nvinfer1::LayerType::kCUMULATIVE, 49);
PIN(nvinfer1::LayerType::kDYNAMIC_QUANTIZE, 50);
PIN(nvinfer1::LayerType::kATTENTION_INPUT, 51);
PIN(nvinfer1::LayerType::kATTENTION_OUTPUT, 52);
PIN(nvinfer1::LayerType::kROTARY_EMBEDDING, 53);
PIN(nvinfer1::LayerType::kKVCACHE_UPDATE, 54);
PIN(nvinfer1::LayerType::kMOE, 55);
PIN(nvinfer1::LayerType::kDIST_COLLECTIVE, 56);
static_assert(nvinfer1::EnumMax<nvinfer1::LayerType>() == 57);

PIN(nvinfer1::LoopOutput::kLAST_VALUE, 0);
PIN(nvinfer1::LoopOutput::kCONCATENATE, 1);
PIN(nvinfer1::LoopOutput::kREVERSE, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::LoopOutput>() == 3);

PIN(nvinfer1::MatrixOperation::kNONE, 0);
PIN(nvinfer1::MatrixOperation::kTRANSPOSE, 1);
PIN(nvinfer1::MatrixOperation::kVECTOR, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::MatrixOperation>() == 3);

PIN(nvinfer1::MemoryPoolType::kWORKSPACE, 0);
PIN(nvinfer1::MemoryPoolType::kDLA_MANAGED_SRAM, 1);
PIN(nvinfer1::MemoryPoolType::kDLA_LOCAL_DRAM, 2);
PIN(nvinfer1::MemoryPoolType::kDLA_GLOBAL_DRAM, 3);
PIN(nvinfer1::MemoryPoolType::kTACTIC_DRAM, 4);
PIN(nvinfer1::MemoryPoolType::kTACTIC_SHARED_MEMORY, 5);
static_assert(nvinfer1::EnumMax<nvinfer1::MemoryPoolType>() == 6);

PIN(nvinfer1::MoEActType::kNONE, 0);
PIN(nvinfer1::MoEActType::kSILU, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::MoEActType>() == 2);

PIN(nvinfer1::NetworkDefinitionCreationFlag::kEXPLICIT_BATCH, 0);
PIN(nvinfer1::NetworkDefinitionCreationFlag::kSTRONGLY_TYPED, 1);
PIN(nvinfer1::NetworkDefinitionCreationFlag::kPREFER_JIT_PYTHON_PLUGINS, 2);
PIN(nvinfer1::NetworkDefinitionCreationFlag::kPREFER_AOT_PYTHON_PLUGINS, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::NetworkDefinitionCreationFlag>() == 4);

PIN(nvinfer1::PaddingMode::kEXPLICIT_ROUND_DOWN, 0);
PIN(nvinfer1::PaddingMode::kEXPLICIT_ROUND_UP, 1);
PIN(nvinfer1::PaddingMode::kSAME_UPPER, 2);
PIN(nvinfer1::PaddingMode::kSAME_LOWER, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::PaddingMode>() == 4);

PIN(nvinfer1::PoolingType::kMAX, 0);
PIN(nvinfer1::PoolingType::kAVERAGE, 1);
PIN(nvinfer1::PoolingType::kMAX_AVERAGE_BLEND, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::PoolingType>() == 3);

PIN(nvinfer1::PreviewFeature::kPROFILE_SHARING_0806, 0);
PIN(nvinfer1::PreviewFeature::kALIASED_PLUGIN_IO_10_03, 1);
PIN(nvinfer1::PreviewFeature::kRUNTIME_ACTIVATION_RESIZE_10_10, 2);
PIN(nvinfer1::PreviewFeature::kMULTIDEVICE_RUNTIME_10_16, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::PreviewFeature>() == 4);

PIN(nvinfer1::QuantizationFlag::kCALIBRATE_BEFORE_FUSION, 0);
static_assert(nvinfer1::EnumMax<nvinfer1::QuantizationFlag>() == 1);

PIN(nvinfer1::ReduceOperation::kSUM, 0);
PIN(nvinfer1::ReduceOperation::kPROD, 1);
PIN(nvinfer1::ReduceOperation::kMAX, 2);
PIN(nvinfer1::ReduceOperation::kMIN, 3);
PIN(nvinfer1::ReduceOperation::kAVG, 4);
PIN(nvinfer1::ReduceOperation::kNONE, 5);
static_assert(nvinfer1::EnumMax<nvinfer1::ReduceOperation>() == 6);

PIN(nvinfer1::ResizeCoordinateTransformation::kALIGN_CORNERS, 0);
PIN(nvinfer1::ResizeCoordinateTransformation::kASYMMETRIC, 1);
PIN(nvinfer1::ResizeCoordinateTransformation::kHALF_PIXEL, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::ResizeCoordinateTransformation>() == 3);

PIN(nvinfer1::ResizeRoundMode::kHALF_UP, 0);
PIN(nvinfer1::ResizeRoundMode::kHALF_DOWN, 1);
PIN(nvinfer1::ResizeRoundMode::kFLOOR, 2);
PIN(nvinfer1::ResizeRoundMode::kCEIL, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::ResizeRoundMode>() == 4);

PIN(nvinfer1::ResizeSelector::kFORMULA, 0);
PIN(nvinfer1::ResizeSelector::kUPPER, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::ResizeSelector>() == 2);

PIN(nvinfer1::RuntimePlatform::kSAME_AS_BUILD, 0);
PIN(nvinfer1::RuntimePlatform::kWINDOWS_AMD64, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::RuntimePlatform>() == 2);

PIN(nvinfer1::SampleMode::kSTRICT_BOUNDS, 0);
PIN(nvinfer1::SampleMode::kWRAP, 1);
PIN(nvinfer1::SampleMode::kCLAMP, 2);
PIN(nvinfer1::SampleMode::kFILL, 3);
PIN(nvinfer1::SampleMode::kREFLECT, 4);
static_assert(nvinfer1::EnumMax<nvinfer1::SampleMode>() == 5);

PIN(nvinfer1::ScaleMode::kUNIFORM, 0);
PIN(nvinfer1::ScaleMode::kCHANNEL, 1);
PIN(nvinfer1::ScaleMode::kELEMENTWISE, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::ScaleMode>() == 3);

PIN(nvinfer1::ScatterMode::kELEMENT, 0);
PIN(nvinfer1::ScatterMode::kND, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::ScatterMode>() == 2);

PIN(nvinfer1::TilingOptimizationLevel::kNONE, 0);
PIN(nvinfer1::TilingOptimizationLevel::kFAST, 1);
PIN(nvinfer1::TilingOptimizationLevel::kMODERATE, 2);
PIN(nvinfer1::TilingOptimizationLevel::kFULL, 3);
static_assert(nvinfer1::EnumMax<nvinfer1::TilingOptimizationLevel>() == 4);

PIN(nvinfer1::TopKOperation::kMAX, 0);
PIN(nvinfer1::TopKOperation::kMIN, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::TopKOperation>() == 2);

PIN(nvinfer1::TripLimit::kCOUNT, 0);
PIN(nvinfer1::TripLimit::kWHILE, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::TripLimit>() == 2);

PIN(nvinfer1::UnaryOperation::kEXP, 0);
PIN(nvinfer1::UnaryOperation::kLOG, 1);
PIN(nvinfer1::UnaryOperation::kSQRT, 2);
PIN(nvinfer1::UnaryOperation::kRECIP, 3);
PIN(nvinfer1::UnaryOperation::kABS, 4);
PIN(nvinfer1::UnaryOperation::kNEG, 5);
PIN(nvinfer1::UnaryOperation::kSIN, 6);
PIN(nvinfer1::UnaryOperation::kCOS, 7);
PIN(nvinfer1::UnaryOperation::kTAN, 8);
PIN(nvinfer1::UnaryOperation::kSINH, 9);
PIN(nvinfer1::UnaryOperation::kCOSH, 10);
PIN(nvinfer1::UnaryOperation::kASIN, 11);
PIN(nvinfer1::UnaryOperation::kACOS, 12);
PIN(nvinfer1::UnaryOperation::kATAN, 13);
PIN(nvinfer1::UnaryOperation::kASINH, 14);
PIN(nvinfer1::UnaryOperation::kACOSH, 15);
PIN(nvinfer1::UnaryOperation::kATANH, 16);
PIN(nvinfer1::UnaryOperation::kCEIL, 17);
PIN(nvinfer1::UnaryOperation::kFLOOR, 18);
PIN(nvinfer1::UnaryOperation::kERF, 19);
PIN(nvinfer1::UnaryOperation::kNOT, 20);
PIN(nvinfer1::UnaryOperation::kSIGN, 21);
PIN(nvinfer1::UnaryOperation::kROUND, 22);
PIN(nvinfer1::UnaryOperation::kISINF, 23);
PIN(nvinfer1::UnaryOperation::kISNAN, 24);
static_assert(nvinfer1::EnumMax<nvinfer1::UnaryOperation>() == 25);

PIN(nvonnxparser::ErrorCode::kSUCCESS, 0);
PIN(nvonnxparser::ErrorCode::kINTERNAL_ERROR, 1);
PIN(nvonnxparser::ErrorCode::kMEM_ALLOC_FAILED, 2);
PIN(nvonnxparser::ErrorCode::kMODEL_DESERIALIZE_FAILED, 3);
PIN(nvonnxparser::ErrorCode::kINVALID_VALUE, 4);
PIN(nvonnxparser::ErrorCode::kINVALID_GRAPH, 5);
PIN(nvonnxparser::ErrorCode::kINVALID_NODE, 6);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_GRAPH, 7);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE, 8);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE_ATTR, 9);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE_INPUT, 10);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE_DATATYPE, 11);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE_DYNAMIC, 12);
PIN(nvonnxparser::ErrorCode::kUNSUPPORTED_NODE_SHAPE, 13);
PIN(nvonnxparser::ErrorCode::kREFIT_FAILED, 14);
static_assert(nvonnxparser::EnumMax<nvonnxparser::ErrorCode>() == 15);

PIN(nvonnxparser::OnnxParserFlag::kNATIVE_INSTANCENORM, 0);
PIN(nvonnxparser::OnnxParserFlag::kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA, 1);
PIN(nvonnxparser::OnnxParserFlag::kREPORT_CAPABILITY_DLA, 2);
PIN(nvonnxparser::OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE, 3);
PIN(nvonnxparser::OnnxParserFlag::kADJUST_FOR_DLA, 4);
static_assert(nvonnxparser::EnumMax<nvonnxparser::OnnxParserFlag>() == 5);

#undef PIN

} // namespace

// The assertions above are checked at compile time. This test makes them show in the count.
TEST(NetworkEnumValues, ArePinned) {
    SUCCEED();
}
