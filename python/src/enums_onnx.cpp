// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

void initEnumsOnnx(py::module_& m) {
    {
        using E = nvonnxparser::ErrorCode;
        defineEnum<E>(m, "ErrorCode", "The code of a ParserError.",
                      {
                          {"SUCCESS", E::kSUCCESS},
                          {"INTERNAL_ERROR", E::kINTERNAL_ERROR},
                          {"MEM_ALLOC_FAILED", E::kMEM_ALLOC_FAILED},
                          {"MODEL_DESERIALIZE_FAILED", E::kMODEL_DESERIALIZE_FAILED},
                          {"INVALID_VALUE", E::kINVALID_VALUE},
                          {"INVALID_GRAPH", E::kINVALID_GRAPH},
                          {"INVALID_NODE", E::kINVALID_NODE},
                          {"UNSUPPORTED_GRAPH", E::kUNSUPPORTED_GRAPH},
                          {"UNSUPPORTED_NODE", E::kUNSUPPORTED_NODE},
                          {"UNSUPPORTED_NODE_ATTR", E::kUNSUPPORTED_NODE_ATTR},
                          {"UNSUPPORTED_NODE_INPUT", E::kUNSUPPORTED_NODE_INPUT},
                          {"UNSUPPORTED_NODE_DATATYPE", E::kUNSUPPORTED_NODE_DATATYPE},
                          {"UNSUPPORTED_NODE_DYNAMIC", E::kUNSUPPORTED_NODE_DYNAMIC},
                          {"UNSUPPORTED_NODE_SHAPE", E::kUNSUPPORTED_NODE_SHAPE},
                          {"REFIT_FAILED", E::kREFIT_FAILED},
                      });
    }
    {
        using E = nvonnxparser::OnnxParserFlag;
        defineEnum<E>(m, "OnnxParserFlag", "Options of OnnxParser.",
                      {
                          {"NATIVE_INSTANCENORM", E::kNATIVE_INSTANCENORM},
                          {"ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA",
                           E::kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA},
                          {"REPORT_CAPABILITY_DLA", E::kREPORT_CAPABILITY_DLA},
                          {"ENABLE_PLUGIN_OVERRIDE", E::kENABLE_PLUGIN_OVERRIDE},
                          {"ADJUST_FOR_DLA", E::kADJUST_FOR_DLA},
                      });
    }
}

} // namespace kiln::python
