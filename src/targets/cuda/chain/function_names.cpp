// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/chain/function_names.h"

namespace kiln::targets::cuda {

using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::UnaryOperation;

char const* functionName(ActivationType type) {
    switch (type) {
    case ActivationType::kRELU: return "Relu";
    case ActivationType::kSIGMOID: return "Sigmoid";
    case ActivationType::kTANH: return "Tanh";
    case ActivationType::kLEAKY_RELU: return "LeakyRelu";
    case ActivationType::kELU: return "Elu";
    case ActivationType::kSELU: return "Selu";
    case ActivationType::kSOFTSIGN: return "Softsign";
    case ActivationType::kSOFTPLUS: return "Softplus";
    case ActivationType::kCLIP: return "Clip";
    case ActivationType::kHARD_SIGMOID: return "HardSigmoid";
    case ActivationType::kSCALED_TANH: return "ScaledTanh";
    case ActivationType::kTHRESHOLDED_RELU: return "ThresholdedRelu";
    case ActivationType::kGELU_ERF: return "GeluErf";
    case ActivationType::kGELU_TANH: return "GeluTanh";
    }
    return "";
}

char const* functionName(ElementWiseOperation operation) {
    switch (operation) {
    case ElementWiseOperation::kSUM: return "Sum";
    case ElementWiseOperation::kPROD: return "Product";
    case ElementWiseOperation::kMAX: return "Maximum";
    case ElementWiseOperation::kMIN: return "Minimum";
    case ElementWiseOperation::kSUB: return "Difference";
    case ElementWiseOperation::kDIV: return "Quotient";
    case ElementWiseOperation::kPOW: return "Power";
    case ElementWiseOperation::kFLOOR_DIV: return "FloorQuotient";
    case ElementWiseOperation::kAND: return "And";
    case ElementWiseOperation::kOR: return "Or";
    case ElementWiseOperation::kXOR: return "Xor";
    case ElementWiseOperation::kEQUAL: return "Equal";
    case ElementWiseOperation::kGREATER: return "Greater";
    case ElementWiseOperation::kLESS: return "Less";
    }
    return "";
}

char const* functionName(UnaryOperation operation) {
    switch (operation) {
    case UnaryOperation::kEXP: return "Exponential";
    case UnaryOperation::kLOG: return "Logarithm";
    case UnaryOperation::kSQRT: return "SquareRoot";
    case UnaryOperation::kRECIP: return "Reciprocal";
    case UnaryOperation::kABS: return "Absolute";
    case UnaryOperation::kNEG: return "Negative";
    case UnaryOperation::kSIN: return "Sine";
    case UnaryOperation::kCOS: return "Cosine";
    case UnaryOperation::kTAN: return "Tangent";
    case UnaryOperation::kSINH: return "HyperbolicSine";
    case UnaryOperation::kCOSH: return "HyperbolicCosine";
    case UnaryOperation::kASIN: return "ArcSine";
    case UnaryOperation::kACOS: return "ArcCosine";
    case UnaryOperation::kATAN: return "ArcTangent";
    case UnaryOperation::kASINH: return "AreaHyperbolicSine";
    case UnaryOperation::kACOSH: return "AreaHyperbolicCosine";
    case UnaryOperation::kATANH: return "AreaHyperbolicTangent";
    case UnaryOperation::kCEIL: return "Ceiling";
    case UnaryOperation::kFLOOR: return "Floor";
    case UnaryOperation::kERF: return "ErrorFunction";
    case UnaryOperation::kNOT: return "Not";
    case UnaryOperation::kSIGN: return "Sign";
    case UnaryOperation::kROUND: return "Round";
    case UnaryOperation::kISINF: return "IsInfinite";
    case UnaryOperation::kISNAN: return "IsNan";
    }
    return "";
}

} // namespace kiln::targets::cuda
