// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

void initEnumsRuntime(py::module_& m) {
    {
        using E = nvinfer1::ErrorCode;
        defineEnum<E>(m, "ErrorCodeTRT", "The code of an error that an IErrorRecorder gets.",
                      {
                          {"SUCCESS", E::kSUCCESS},
                          {"UNSPECIFIED_ERROR", E::kUNSPECIFIED_ERROR},
                          {"INTERNAL_ERROR", E::kINTERNAL_ERROR},
                          {"INVALID_ARGUMENT", E::kINVALID_ARGUMENT},
                          {"INVALID_CONFIG", E::kINVALID_CONFIG},
                          {"FAILED_ALLOCATION", E::kFAILED_ALLOCATION},
                          {"FAILED_INITIALIZATION", E::kFAILED_INITIALIZATION},
                          {"FAILED_EXECUTION", E::kFAILED_EXECUTION},
                          {"FAILED_COMPUTATION", E::kFAILED_COMPUTATION},
                          {"INVALID_STATE", E::kINVALID_STATE},
                          {"UNSUPPORTED_STATE", E::kUNSUPPORTED_STATE},
                      });
    }
    {
        using E = nvinfer1::ExecutionContextAllocationStrategy;
        defineEnum<E>(m, "ExecutionContextAllocationStrategy",
                      "When a context allocates its device memory.",
                      {
                          {"STATIC", E::kSTATIC},
                          {"ON_PROFILE_CHANGE", E::kON_PROFILE_CHANGE},
                          {"USER_MANAGED", E::kUSER_MANAGED},
                      });
    }
    {
        using E = nvinfer1::EngineStat;
        defineEnum<E>(m, "EngineStat", "A statistic that ICudaEngine.get_engine_stat returns.",
                      {
                          {"TOTAL_WEIGHTS_SIZE", E::kTOTAL_WEIGHTS_SIZE},
                          {"STRIPPED_WEIGHTS_SIZE", E::kSTRIPPED_WEIGHTS_SIZE},
                      });
    }
    {
        using E = nvinfer1::LayerInformationFormat;
        defineEnum<E>(m, "LayerInformationFormat", "The format of an inspector's text.",
                      {
                          {"ONELINE", E::kONELINE},
                          {"JSON", E::kJSON},
                      });
    }
    {
        using E = nvinfer1::SerializationFlag;
        defineEnum<E>(m, "SerializationFlag", "Options of serialization.",
                      {
                          {"EXCLUDE_WEIGHTS", E::kEXCLUDE_WEIGHTS},
                          {"EXCLUDE_LEAN_RUNTIME", E::kEXCLUDE_LEAN_RUNTIME},
                          {"INCLUDE_REFIT", E::kINCLUDE_REFIT},
                      });
    }
    {
        using E = nvinfer1::TempfileControlFlag;
        defineEnum<E>(m, "TempfileControlFlag", "Which temporary files a runtime may create.",
                      {
                          {"ALLOW_IN_MEMORY_FILES", E::kALLOW_IN_MEMORY_FILES},
                          {"ALLOW_TEMPORARY_FILES", E::kALLOW_TEMPORARY_FILES},
                      });
    }
    {
        using E = nvinfer1::AllocatorFlag;
        defineEnum<E>(m, "AllocatorFlag", "A property of memory requested from an allocator.",
                      {
                          {"RESIZABLE", E::kRESIZABLE},
                      });
    }
    {
        using E = nvinfer1::SeekPosition;
        defineEnum<E>(m, "SeekPosition", "The reference point of an offset in a stream.",
                      {
                          {"SET", E::kSET},
                          {"CUR", E::kCUR},
                          {"END", E::kEND},
                      });
    }
    {
        using E = nvinfer1::APILanguage;
        defineEnum<E>(m, "APILanguage", "The language that an interface is implemented in.",
                      {
                          {"CPP", E::kCPP},
                          {"PYTHON", E::kPYTHON},
                      });
    }
}

} // namespace kiln::python
