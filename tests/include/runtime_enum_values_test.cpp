// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Pins the values of the enumerations of runtimes and plugins, which programs, bindings and plans
// rely on. Compiling it is the test.

#include "NvInferPluginUtils.h"
#include "NvInferRuntime.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

#define PIN(name, value) static_assert(static_cast<int32_t>(name) == (value), #name)

PIN(nvinfer1::APILanguage::kCPP, 0);
PIN(nvinfer1::APILanguage::kPYTHON, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::APILanguage>() == 2);
static_assert(sizeof(nvinfer1::APILanguage) == 4);

PIN(nvinfer1::AllocatorFlag::kRESIZABLE, 0);
static_assert(nvinfer1::EnumMax<nvinfer1::AllocatorFlag>() == 1);
static_assert(sizeof(nvinfer1::AllocatorFlag) == 4);

PIN(nvinfer1::DataType::kFLOAT, 0);
PIN(nvinfer1::DataType::kHALF, 1);
PIN(nvinfer1::DataType::kINT8, 2);
PIN(nvinfer1::DataType::kINT32, 3);
PIN(nvinfer1::DataType::kBOOL, 4);
PIN(nvinfer1::DataType::kUINT8, 5);
PIN(nvinfer1::DataType::kFP8, 6);
PIN(nvinfer1::DataType::kBF16, 7);
PIN(nvinfer1::DataType::kINT64, 8);
PIN(nvinfer1::DataType::kINT4, 9);
PIN(nvinfer1::DataType::kFP4, 10);
PIN(nvinfer1::DataType::kE8M0, 11);
static_assert(nvinfer1::EnumMax<nvinfer1::DataType>() == 12);
static_assert(sizeof(nvinfer1::DataType) == 4);

PIN(nvinfer1::DeviceType::kGPU, 0);
PIN(nvinfer1::DeviceType::kDLA, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::DeviceType>() == 2);
static_assert(sizeof(nvinfer1::DeviceType) == 4);

PIN(nvinfer1::DimensionOperation::kSUM, 0);
PIN(nvinfer1::DimensionOperation::kPROD, 1);
PIN(nvinfer1::DimensionOperation::kMAX, 2);
PIN(nvinfer1::DimensionOperation::kMIN, 3);
PIN(nvinfer1::DimensionOperation::kSUB, 4);
PIN(nvinfer1::DimensionOperation::kEQUAL, 5);
PIN(nvinfer1::DimensionOperation::kLESS, 6);
PIN(nvinfer1::DimensionOperation::kFLOOR_DIV, 7);
PIN(nvinfer1::DimensionOperation::kCEIL_DIV, 8);
static_assert(nvinfer1::EnumMax<nvinfer1::DimensionOperation>() == 9);
static_assert(sizeof(nvinfer1::DimensionOperation) == 4);

PIN(nvinfer1::EngineCapability::kSTANDARD, 0);
PIN(nvinfer1::EngineCapability::kSAFETY, 1);
PIN(nvinfer1::EngineCapability::kDLA_STANDALONE, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::EngineCapability>() == 3);
static_assert(sizeof(nvinfer1::EngineCapability) == 4);

PIN(nvinfer1::EngineStat::kTOTAL_WEIGHTS_SIZE, 0);
PIN(nvinfer1::EngineStat::kSTRIPPED_WEIGHTS_SIZE, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::EngineStat>() == 2);
static_assert(sizeof(nvinfer1::EngineStat) == 4);

PIN(nvinfer1::ErrorCode::kSUCCESS, 0);
PIN(nvinfer1::ErrorCode::kUNSPECIFIED_ERROR, 1);
PIN(nvinfer1::ErrorCode::kINTERNAL_ERROR, 2);
PIN(nvinfer1::ErrorCode::kINVALID_ARGUMENT, 3);
PIN(nvinfer1::ErrorCode::kINVALID_CONFIG, 4);
PIN(nvinfer1::ErrorCode::kFAILED_ALLOCATION, 5);
PIN(nvinfer1::ErrorCode::kFAILED_INITIALIZATION, 6);
PIN(nvinfer1::ErrorCode::kFAILED_EXECUTION, 7);
PIN(nvinfer1::ErrorCode::kFAILED_COMPUTATION, 8);
PIN(nvinfer1::ErrorCode::kINVALID_STATE, 9);
PIN(nvinfer1::ErrorCode::kUNSUPPORTED_STATE, 10);
static_assert(nvinfer1::EnumMax<nvinfer1::ErrorCode>() == 11);
static_assert(sizeof(nvinfer1::ErrorCode) == 4);

PIN(nvinfer1::ExecutionContextAllocationStrategy::kSTATIC, 0);
PIN(nvinfer1::ExecutionContextAllocationStrategy::kON_PROFILE_CHANGE, 1);
PIN(nvinfer1::ExecutionContextAllocationStrategy::kUSER_MANAGED, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::ExecutionContextAllocationStrategy>() == 3);
static_assert(sizeof(nvinfer1::ExecutionContextAllocationStrategy) == 4);

PIN(nvinfer1::ILogger::Severity::kINTERNAL_ERROR, 0);
PIN(nvinfer1::ILogger::Severity::kERROR, 1);
PIN(nvinfer1::ILogger::Severity::kWARNING, 2);
PIN(nvinfer1::ILogger::Severity::kINFO, 3);
PIN(nvinfer1::ILogger::Severity::kVERBOSE, 4);
static_assert(nvinfer1::EnumMax<nvinfer1::ILogger::Severity>() == 5);
static_assert(sizeof(nvinfer1::ILogger::Severity) == 4);

PIN(nvinfer1::LayerInformationFormat::kONELINE, 0);
PIN(nvinfer1::LayerInformationFormat::kJSON, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::LayerInformationFormat>() == 2);
static_assert(sizeof(nvinfer1::LayerInformationFormat) == 4);

PIN(nvinfer1::OptProfileSelector::kMIN, 0);
PIN(nvinfer1::OptProfileSelector::kOPT, 1);
PIN(nvinfer1::OptProfileSelector::kMAX, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::OptProfileSelector>() == 3);
static_assert(sizeof(nvinfer1::OptProfileSelector) == 4);

PIN(nvinfer1::PluginCapabilityType::kCORE, 0);
PIN(nvinfer1::PluginCapabilityType::kBUILD, 1);
PIN(nvinfer1::PluginCapabilityType::kRUNTIME, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::PluginCapabilityType>() == 3);
static_assert(sizeof(nvinfer1::PluginCapabilityType) == 4);

PIN(nvinfer1::PluginCreatorVersion::kV1, 0);
PIN(nvinfer1::PluginCreatorVersion::kV1_PYTHON, 64);
static_assert(sizeof(nvinfer1::PluginCreatorVersion) == 4);

PIN(nvinfer1::PluginFieldType::kFLOAT16, 0);
PIN(nvinfer1::PluginFieldType::kFLOAT32, 1);
PIN(nvinfer1::PluginFieldType::kFLOAT64, 2);
PIN(nvinfer1::PluginFieldType::kINT8, 3);
PIN(nvinfer1::PluginFieldType::kINT16, 4);
PIN(nvinfer1::PluginFieldType::kINT32, 5);
PIN(nvinfer1::PluginFieldType::kCHAR, 6);
PIN(nvinfer1::PluginFieldType::kDIMS, 7);
PIN(nvinfer1::PluginFieldType::kUNKNOWN, 8);
PIN(nvinfer1::PluginFieldType::kBF16, 9);
PIN(nvinfer1::PluginFieldType::kINT64, 10);
PIN(nvinfer1::PluginFieldType::kFP8, 11);
PIN(nvinfer1::PluginFieldType::kINT4, 12);
PIN(nvinfer1::PluginFieldType::kFP4, 13);
static_assert(nvinfer1::EnumMax<nvinfer1::PluginFieldType>() == 14);
static_assert(sizeof(nvinfer1::PluginFieldType) == 4);

PIN(nvinfer1::PluginVersion::kV2, 0);
PIN(nvinfer1::PluginVersion::kV2_EXT, 1);
PIN(nvinfer1::PluginVersion::kV2_IOEXT, 2);
PIN(nvinfer1::PluginVersion::kV2_DYNAMICEXT, 3);
PIN(nvinfer1::PluginVersion::kV2_DYNAMICEXT_PYTHON, 67);
static_assert(sizeof(nvinfer1::PluginVersion) == 1);

PIN(nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY, 0);
PIN(nvinfer1::ProfilingVerbosity::kNONE, 1);
PIN(nvinfer1::ProfilingVerbosity::kDETAILED, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::ProfilingVerbosity>() == 3);
static_assert(sizeof(nvinfer1::ProfilingVerbosity) == 4);

PIN(nvinfer1::SeekPosition::kSET, 0);
PIN(nvinfer1::SeekPosition::kCUR, 1);
PIN(nvinfer1::SeekPosition::kEND, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::SeekPosition>() == 3);
static_assert(sizeof(nvinfer1::SeekPosition) == 4);

PIN(nvinfer1::SerializationFlag::kEXCLUDE_WEIGHTS, 0);
PIN(nvinfer1::SerializationFlag::kEXCLUDE_LEAN_RUNTIME, 1);
PIN(nvinfer1::SerializationFlag::kINCLUDE_REFIT, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::SerializationFlag>() == 3);
static_assert(sizeof(nvinfer1::SerializationFlag) == 4);

PIN(nvinfer1::TacticSource::kCUBLAS, 0);
PIN(nvinfer1::TacticSource::kCUBLAS_LT, 1);
PIN(nvinfer1::TacticSource::kCUDNN, 2);
PIN(nvinfer1::TacticSource::kEDGE_MASK_CONVOLUTIONS, 3);
PIN(nvinfer1::TacticSource::kJIT_CONVOLUTIONS, 4);
static_assert(nvinfer1::EnumMax<nvinfer1::TacticSource>() == 5);
static_assert(sizeof(nvinfer1::TacticSource) == 4);

PIN(nvinfer1::TempfileControlFlag::kALLOW_IN_MEMORY_FILES, 0);
PIN(nvinfer1::TempfileControlFlag::kALLOW_TEMPORARY_FILES, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::TempfileControlFlag>() == 2);
static_assert(sizeof(nvinfer1::TempfileControlFlag) == 4);

PIN(nvinfer1::TensorFormat::kLINEAR, 0);
PIN(nvinfer1::TensorFormat::kCHW2, 1);
PIN(nvinfer1::TensorFormat::kHWC8, 2);
PIN(nvinfer1::TensorFormat::kCHW4, 3);
PIN(nvinfer1::TensorFormat::kCHW16, 4);
PIN(nvinfer1::TensorFormat::kCHW32, 5);
PIN(nvinfer1::TensorFormat::kDHWC8, 6);
PIN(nvinfer1::TensorFormat::kCDHW32, 7);
PIN(nvinfer1::TensorFormat::kHWC, 8);
PIN(nvinfer1::TensorFormat::kDLA_LINEAR, 9);
PIN(nvinfer1::TensorFormat::kDLA_HWC4, 10);
PIN(nvinfer1::TensorFormat::kHWC16, 11);
PIN(nvinfer1::TensorFormat::kDHWC, 12);
static_assert(nvinfer1::EnumMax<nvinfer1::TensorFormat>() == 13);
static_assert(sizeof(nvinfer1::TensorFormat) == 4);

PIN(nvinfer1::TensorIOMode::kNONE, 0);
PIN(nvinfer1::TensorIOMode::kINPUT, 1);
PIN(nvinfer1::TensorIOMode::kOUTPUT, 2);
static_assert(nvinfer1::EnumMax<nvinfer1::TensorIOMode>() == 3);
static_assert(sizeof(nvinfer1::TensorIOMode) == 4);

PIN(nvinfer1::TensorLocation::kDEVICE, 0);
PIN(nvinfer1::TensorLocation::kHOST, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::TensorLocation>() == 2);
static_assert(sizeof(nvinfer1::TensorLocation) == 4);

PIN(nvinfer1::TensorRTPhase::kBUILD, 0);
PIN(nvinfer1::TensorRTPhase::kRUNTIME, 1);
static_assert(nvinfer1::EnumMax<nvinfer1::TensorRTPhase>() == 2);
static_assert(sizeof(nvinfer1::TensorRTPhase) == 4);

PIN(nvinfer1::WeightsRole::kKERNEL, 0);
PIN(nvinfer1::WeightsRole::kBIAS, 1);
PIN(nvinfer1::WeightsRole::kSHIFT, 2);
PIN(nvinfer1::WeightsRole::kSCALE, 3);
PIN(nvinfer1::WeightsRole::kCONSTANT, 4);
PIN(nvinfer1::WeightsRole::kANY, 5);
static_assert(nvinfer1::EnumMax<nvinfer1::WeightsRole>() == 6);
static_assert(sizeof(nvinfer1::WeightsRole) == 4);

PIN(nvinfer1::plugin::CodeTypeSSD::CORNER, 0);
PIN(nvinfer1::plugin::CodeTypeSSD::CENTER_SIZE, 1);
PIN(nvinfer1::plugin::CodeTypeSSD::CORNER_SIZE, 2);
PIN(nvinfer1::plugin::CodeTypeSSD::TF_CENTER, 3);
static_assert(sizeof(nvinfer1::plugin::CodeTypeSSD) == 4);

static_assert(NV_TENSORRT_VERSION == 101601);
static_assert(nvinfer1::kPLUGIN_VERSION_PYTHON_BIT == 0x40);

TEST(RuntimeEnumValues, ArePinnedWhenThisCompiles) {
    SUCCEED();
}

} // namespace
