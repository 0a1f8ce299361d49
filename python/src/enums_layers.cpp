// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Enums of gather, slice, reduce, unary and fill layers.
#include "bindings.h"

namespace kiln::python {

void initEnumsLayers(py::module_& m) {
    {
        using E = nvinfer1::GatherMode;
        defineEnum<E>(m, "GatherMode", "How a gather layer reads its indices.",
                      {
                          {"DEFAULT", E::kDEFAULT},
                          {"ELEMENT", E::kELEMENT},
                          {"ND", E::kND},
                      });
    }
    {
        using E = nvinfer1::SampleMode;
        defineEnum<E>(m, "SampleMode", "What a slice layer reads outside its input.",
                      {
                          {"STRICT_BOUNDS", E::kSTRICT_BOUNDS},
                          {"WRAP", E::kWRAP},
                          {"CLAMP", E::kCLAMP},
                          {"FILL", E::kFILL},
                          {"REFLECT", E::kREFLECT},
                      });
    }
    {
        using E = nvinfer1::ReduceOperation;
        defineEnum<E>(m, "ReduceOperation", "How a reduce layer combines elements.",
                      {
                          {"SUM", E::kSUM},
                          {"PROD", E::kPROD},
                          {"MAX", E::kMAX},
                          {"MIN", E::kMIN},
                          {"AVG", E::kAVG},
                          {"NONE", E::kNONE},
                      });
    }
    {
        using E = nvinfer1::UnaryOperation;
        defineEnum<E>(m, "UnaryOperation", "The function of a unary layer.",
                      {
                          {"EXP", E::kEXP},     {"LOG", E::kLOG},     {"SQRT", E::kSQRT},
                          {"RECIP", E::kRECIP}, {"ABS", E::kABS},     {"NEG", E::kNEG},
                          {"SIN", E::kSIN},     {"COS", E::kCOS},     {"TAN", E::kTAN},
                          {"SINH", E::kSINH},   {"COSH", E::kCOSH},   {"ASIN", E::kASIN},
                          {"ACOS", E::kACOS},   {"ATAN", E::kATAN},   {"ASINH", E::kASINH},
                          {"ACOSH", E::kACOSH}, {"ATANH", E::kATANH}, {"CEIL", E::kCEIL},
                          {"FLOOR", E::kFLOOR}, {"ERF", E::kERF},     {"NOT", E::kNOT},
                          {"SIGN", E::kSIGN},   {"ROUND", E::kROUND}, {"ISINF", E::kISINF},
                          {"ISNAN", E::kISNAN},
                      });
    }
    {
        using E = nvinfer1::FillOperation;
        defineEnum<E>(m, "FillOperation", "What a fill layer writes.",
                      {
                          {"LINSPACE", E::kLINSPACE},
                          {"RANDOM_UNIFORM", E::kRANDOM_UNIFORM},
                          {"RANDOM_NORMAL", E::kRANDOM_NORMAL},
                      });
    }
}

} // namespace kiln::python
