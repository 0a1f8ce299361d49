// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {

void initEnumsNetwork(py::module_& m) {
    {
        using E = nvinfer1::ActivationType;
        defineEnum<E>(m, "ActivationType", "The function that an activation layer applies.",
                      {
                          {"RELU", E::kRELU},
                          {"SIGMOID", E::kSIGMOID},
                          {"TANH", E::kTANH},
                          {"LEAKY_RELU", E::kLEAKY_RELU},
                          {"ELU", E::kELU},
                          {"SELU", E::kSELU},
                          {"SOFTSIGN", E::kSOFTSIGN},
                          {"SOFTPLUS", E::kSOFTPLUS},
                          {"CLIP", E::kCLIP},
                          {"HARD_SIGMOID", E::kHARD_SIGMOID},
                          {"SCALED_TANH", E::kSCALED_TANH},
                          {"THRESHOLDED_RELU", E::kTHRESHOLDED_RELU},
                          {"GELU_ERF", E::kGELU_ERF},
                          {"GELU_TANH", E::kGELU_TANH},
                      });
    }
    {
        using E = nvinfer1::ElementWiseOperation;
        defineEnum<E>(m, "ElementWiseOperation", "The operation of an element-wise layer.",
                      {
                          {"SUM", E::kSUM},
                          {"PROD", E::kPROD},
                          {"MAX", E::kMAX},
                          {"MIN", E::kMIN},
                          {"SUB", E::kSUB},
                          {"DIV", E::kDIV},
                          {"POW", E::kPOW},
                          {"FLOOR_DIV", E::kFLOOR_DIV},
                          {"AND", E::kAND},
                          {"OR", E::kOR},
                          {"XOR", E::kXOR},
                          {"EQUAL", E::kEQUAL},
                          {"GREATER", E::kGREATER},
                          {"LESS", E::kLESS},
                      });
    }
    {
        using E = nvinfer1::MatrixOperation;
        defineEnum<E>(m, "MatrixOperation", "How a matrix multiply layer reads an input.",
                      {
                          {"NONE", E::kNONE},
                          {"TRANSPOSE", E::kTRANSPOSE},
                          {"VECTOR", E::kVECTOR},
                      });
    }
    {
        using E = nvinfer1::PoolingType;
        defineEnum<E>(m, "PoolingType", "What a pooling layer computes from a window.",
                      {
                          {"MAX", E::kMAX},
                          {"AVERAGE", E::kAVERAGE},
                          {"MAX_AVERAGE_BLEND", E::kMAX_AVERAGE_BLEND},
                      });
    }
    {
        using E = nvinfer1::PaddingMode;
        defineEnum<E>(m, "PaddingMode",
                      "How a window layer pads, and which way output extents are rounded.",
                      {
                          {"EXPLICIT_ROUND_DOWN", E::kEXPLICIT_ROUND_DOWN},
                          {"EXPLICIT_ROUND_UP", E::kEXPLICIT_ROUND_UP},
                          {"SAME_UPPER", E::kSAME_UPPER},
                          {"SAME_LOWER", E::kSAME_LOWER},
                      });
    }
    {
        using E = nvinfer1::LayerType;
        defineEnum<E>(m, "LayerType", "The kind of a layer.",
                      {
                          {"CONVOLUTION", E::kCONVOLUTION},
                          {"CAST", E::kCAST},
                          {"ACTIVATION", E::kACTIVATION},
                          {"POOLING", E::kPOOLING},
                          {"LRN", E::kLRN},
                          {"SCALE", E::kSCALE},
                          {"SOFTMAX", E::kSOFTMAX},
                          {"DECONVOLUTION", E::kDECONVOLUTION},
                          {"CONCATENATION", E::kCONCATENATION},
                          {"ELEMENTWISE", E::kELEMENTWISE},
                          {"PLUGIN", E::kPLUGIN},
                          {"UNARY", E::kUNARY},
                          {"PADDING", E::kPADDING},
                          {"SHUFFLE", E::kSHUFFLE},
                          {"REDUCE", E::kREDUCE},
                          {"TOPK", E::kTOPK},
                          {"GATHER", E::kGATHER},
                          {"MATRIX_MULTIPLY", E::kMATRIX_MULTIPLY},
                          {"RAGGED_SOFTMAX", E::kRAGGED_SOFTMAX},
                          {"CONSTANT", E::kCONSTANT},
                          {"IDENTITY", E::kIDENTITY},
                          {"PLUGIN_V2", E::kPLUGIN_V2},
                          {"SLICE", E::kSLICE},
                          {"SHAPE", E::kSHAPE},
                          {"PARAMETRIC_RELU", E::kPARAMETRIC_RELU},
                          {"RESIZE", E::kRESIZE},
                          {"TRIP_LIMIT", E::kTRIP_LIMIT},
                          {"RECURRENCE", E::kRECURRENCE},
                          {"ITERATOR", E::kITERATOR},
                          {"LOOP_OUTPUT", E::kLOOP_OUTPUT},
                          {"SELECT", E::kSELECT},
                          {"FILL", E::kFILL},
                          {"QUANTIZE", E::kQUANTIZE},
                          {"DEQUANTIZE", E::kDEQUANTIZE},
                          {"CONDITION", E::kCONDITION},
                          {"CONDITIONAL_INPUT", E::kCONDITIONAL_INPUT},
                          {"CONDITIONAL_OUTPUT", E::kCONDITIONAL_OUTPUT},
                          {"SCATTER", E::kSCATTER},
                          {"EINSUM", E::kEINSUM},
                          {"ASSERTION", E::kASSERTION},
                          {"ONE_HOT", E::kONE_HOT},
                          {"NON_ZERO", E::kNON_ZERO},
                          {"GRID_SAMPLE", E::kGRID_SAMPLE},
                          {"NMS", E::kNMS},
                          {"REVERSE_SEQUENCE", E::kREVERSE_SEQUENCE},
                          {"NORMALIZATION", E::kNORMALIZATION},
                          {"PLUGIN_V3", E::kPLUGIN_V3},
                          {"SQUEEZE", E::kSQUEEZE},
                          {"UNSQUEEZE", E::kUNSQUEEZE},
                          {"CUMULATIVE", E::kCUMULATIVE},
                          {"DYNAMIC_QUANTIZE", E::kDYNAMIC_QUANTIZE},
                          {"ATTENTION_INPUT", E::kATTENTION_INPUT},
                          {"ATTENTION_OUTPUT", E::kATTENTION_OUTPUT},
                          {"ROTARY_EMBEDDING", E::kROTARY_EMBEDDING},
                          {"KV_CACHE_UPDATE", E::kKVCACHE_UPDATE},
                          {"MOE", E::kMOE},
                          {"DIST_COLLECTIVE", E::kDIST_COLLECTIVE},
                      });
    }
    {
        using E = nvinfer1::NetworkDefinitionCreationFlag;
        defineEnum<E>(
            m, "NetworkDefinitionCreationFlag",
            "Properties of a network, as bits of Builder.create_network: ``1 << int(flag)``.",
            {
                {"EXPLICIT_BATCH", E::kEXPLICIT_BATCH},
                {"STRONGLY_TYPED", E::kSTRONGLY_TYPED},
                {"PREFER_JIT_PYTHON_PLUGINS", E::kPREFER_JIT_PYTHON_PLUGINS},
                {"PREFER_AOT_PYTHON_PLUGINS", E::kPREFER_AOT_PYTHON_PLUGINS},
            });
    }
}

} // namespace kiln::python
