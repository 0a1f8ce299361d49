// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

void initEnumsPlugin(py::module_& m) {
    {
        using E = nvinfer1::PluginFieldType;
        defineEnum<E>(m, "PluginFieldType", "The type of the elements of a PluginField.",
                      {
                          {"FLOAT16", E::kFLOAT16},
                          {"FLOAT32", E::kFLOAT32},
                          {"FLOAT64", E::kFLOAT64},
                          {"INT8", E::kINT8},
                          {"INT16", E::kINT16},
                          {"INT32", E::kINT32},
                          {"CHAR", E::kCHAR},
                          {"DIMS", E::kDIMS},
                          {"UNKNOWN", E::kUNKNOWN},
                          {"BF16", E::kBF16},
                          {"INT64", E::kINT64},
                          {"FP8", E::kFP8},
                          {"INT4", E::kINT4},
                          {"FP4", E::kFP4},
                      });
    }
    {
        using E = nvinfer1::PluginCapabilityType;
        defineEnum<E>(m, "PluginCapabilityType", "A part of an IPluginV3.",
                      {
                          {"CORE", E::kCORE},
                          {"BUILD", E::kBUILD},
                          {"RUNTIME", E::kRUNTIME},
                      });
    }
    {
        using E = nvinfer1::TensorRTPhase;
        defineEnum<E>(m, "TensorRTPhase",
                      "The purpose of a plugin: building an engine or running one.",
                      {
                          {"BUILD", E::kBUILD},
                          {"RUNTIME", E::kRUNTIME},
                      });
    }
    {
        using E = nvinfer1::PluginCreatorVersion;
        defineEnum<E>(m, "PluginCreatorVersion", "The generation of a plugin creator.",
                      {
                          {"V1", E::kV1},
                          {"V1_PYTHON", E::kV1_PYTHON},
                      });
    }
    {
        using E = nvinfer1::DimensionOperation;
        defineEnum<E>(m, "DimensionOperation",
                      "An operation on symbolic extents; see IExprBuilder.operation.",
                      {
                          {"SUM", E::kSUM},
                          {"PROD", E::kPROD},
                          {"MAX", E::kMAX},
                          {"MIN", E::kMIN},
                          {"SUB", E::kSUB},
                          {"EQUAL", E::kEQUAL},
                          {"LESS", E::kLESS},
                          {"FLOOR_DIV", E::kFLOOR_DIV},
                          {"CEIL_DIV", E::kCEIL_DIV},
                      });
    }
    {
        using E = nvinfer1::QuickPluginCreationRequest;
        defineEnum<E>(m, "QuickPluginCreationRequest",
                      "Whether a decorated plugin runs just in time (impl) or is compiled ahead of "
                      "time (aot_impl).",
                      {
                          {"UNKNOWN", E::kUNKNOWN},
                          {"PREFER_JIT", E::kPREFER_JIT},
                          {"PREFER_AOT", E::kPREFER_AOT},
                          {"STRICT_JIT", E::kSTRICT_JIT},
                          {"STRICT_AOT", E::kSTRICT_AOT},
                      });
    }
    {
        using E = nvinfer1::PluginArgType;
        defineEnum<E>(m, "PluginArgType", "The kind of a scalar argument of a kernel.",
                      {{"INT", E::kINT}});
    }
    {
        using E = nvinfer1::PluginArgDataType;
        defineEnum<E>(m, "PluginArgDataType", "The width of a scalar argument of a kernel.",
                      {
                          {"INT8", E::kINT8},
                          {"INT16", E::kINT16},
                          {"INT32", E::kINT32},
                      });
    }
}

} // namespace kiln::python
