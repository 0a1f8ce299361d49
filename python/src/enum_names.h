// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The Python names of the API's enums, for signatures.
#pragma once

#include "enum_class.h"
#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <impl/NvInferPythonPlugin.h>

namespace kiln::python {

#define KILN_ENUM_NAME(Type, Name)                                                                 \
    template <>                                                                                    \
    struct EnumName<Type> {                                                                        \
        static constexpr auto value = py::detail::const_name("kiln._core." Name);                  \
    }

KILN_ENUM_NAME(nvinfer1::ILogger::Severity, "ILogger.Severity");
KILN_ENUM_NAME(nvinfer1::DataType, "DataType");
KILN_ENUM_NAME(nvinfer1::TensorFormat, "TensorFormat");
KILN_ENUM_NAME(nvinfer1::TensorLocation, "TensorLocation");
KILN_ENUM_NAME(nvinfer1::TensorIOMode, "TensorIOMode");
KILN_ENUM_NAME(nvinfer1::WeightsRole, "WeightsRole");
KILN_ENUM_NAME(nvinfer1::DeviceType, "DeviceType");
KILN_ENUM_NAME(nvinfer1::ActivationType, "ActivationType");
KILN_ENUM_NAME(nvinfer1::ElementWiseOperation, "ElementWiseOperation");
KILN_ENUM_NAME(nvinfer1::MatrixOperation, "MatrixOperation");
KILN_ENUM_NAME(nvinfer1::PoolingType, "PoolingType");
KILN_ENUM_NAME(nvinfer1::PaddingMode, "PaddingMode");
KILN_ENUM_NAME(nvinfer1::LayerType, "LayerType");
KILN_ENUM_NAME(nvinfer1::GatherMode, "GatherMode");
KILN_ENUM_NAME(nvinfer1::SampleMode, "SampleMode");
KILN_ENUM_NAME(nvinfer1::ReduceOperation, "ReduceOperation");
KILN_ENUM_NAME(nvinfer1::UnaryOperation, "UnaryOperation");
KILN_ENUM_NAME(nvinfer1::FillOperation, "FillOperation");
KILN_ENUM_NAME(nvinfer1::NetworkDefinitionCreationFlag, "NetworkDefinitionCreationFlag");
KILN_ENUM_NAME(nvinfer1::BuilderFlag, "BuilderFlag");
KILN_ENUM_NAME(nvinfer1::MemoryPoolType, "MemoryPoolType");
KILN_ENUM_NAME(nvinfer1::PreviewFeature, "PreviewFeature");
KILN_ENUM_NAME(nvinfer1::HardwareCompatibilityLevel, "HardwareCompatibilityLevel");
KILN_ENUM_NAME(nvinfer1::RuntimePlatform, "RuntimePlatform");
KILN_ENUM_NAME(nvinfer1::TilingOptimizationLevel, "TilingOptimizationLevel");
KILN_ENUM_NAME(nvinfer1::EngineCapability, "EngineCapability");
KILN_ENUM_NAME(nvinfer1::ProfilingVerbosity, "ProfilingVerbosity");
KILN_ENUM_NAME(nvinfer1::TacticSource, "TacticSource");
KILN_ENUM_NAME(nvinfer1::QuantizationFlag, "QuantizationFlag");
KILN_ENUM_NAME(nvinfer1::CalibrationAlgoType, "CalibrationAlgoType");
KILN_ENUM_NAME(nvinfer1::ErrorCode, "ErrorCodeTRT");
KILN_ENUM_NAME(nvinfer1::ExecutionContextAllocationStrategy, "ExecutionContextAllocationStrategy");
KILN_ENUM_NAME(nvinfer1::EngineStat, "EngineStat");
KILN_ENUM_NAME(nvinfer1::LayerInformationFormat, "LayerInformationFormat");
KILN_ENUM_NAME(nvinfer1::SerializationFlag, "SerializationFlag");
KILN_ENUM_NAME(nvinfer1::TempfileControlFlag, "TempfileControlFlag");
KILN_ENUM_NAME(nvinfer1::AllocatorFlag, "AllocatorFlag");
KILN_ENUM_NAME(nvinfer1::SeekPosition, "SeekPosition");
KILN_ENUM_NAME(nvinfer1::APILanguage, "APILanguage");
KILN_ENUM_NAME(nvinfer1::PluginFieldType, "PluginFieldType");
KILN_ENUM_NAME(nvinfer1::PluginCapabilityType, "PluginCapabilityType");
KILN_ENUM_NAME(nvinfer1::TensorRTPhase, "TensorRTPhase");
KILN_ENUM_NAME(nvinfer1::PluginCreatorVersion, "PluginCreatorVersion");
KILN_ENUM_NAME(nvinfer1::DimensionOperation, "DimensionOperation");
KILN_ENUM_NAME(nvinfer1::QuickPluginCreationRequest, "QuickPluginCreationRequest");
KILN_ENUM_NAME(nvinfer1::PluginArgType, "PluginArgType");
KILN_ENUM_NAME(nvinfer1::PluginArgDataType, "PluginArgDataType");
KILN_ENUM_NAME(nvonnxparser::ErrorCode, "ErrorCode");
KILN_ENUM_NAME(nvonnxparser::OnnxParserFlag, "OnnxParserFlag");

#undef KILN_ENUM_NAME

} // namespace kiln::python
