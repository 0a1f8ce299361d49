// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

namespace kiln::python {
namespace {

int itemSize(nvinfer1::DataType type) {
    using nvinfer1::DataType;
    switch (type) {
    case DataType::kINT64: return 8;
    case DataType::kFLOAT:
    case DataType::kINT32: return 4;
    case DataType::kHALF:
    case DataType::kBF16: return 2;
    default: return 1;
    }
}

} // namespace

void initEnumsData(py::module_& m) {
    {
        using E = nvinfer1::DataType;
        py::object const type = defineEnum<E>(
            m, "DataType",
            "The type of the elements of a tensor. ``itemsize`` is the size of one in bytes.",
            {
                {"FLOAT", E::kFLOAT},
                {"HALF", E::kHALF},
                {"INT8", E::kINT8},
                {"INT32", E::kINT32},
                {"BOOL", E::kBOOL},
                {"UINT8", E::kUINT8},
                {"FP8", E::kFP8},
                {"BF16", E::kBF16},
                {"INT64", E::kINT64},
                {"INT4", E::kINT4},
                {"FP4", E::kFP4},
                {"E8M0", E::kE8M0},
            });
        type.attr("itemsize") =
            py::module_::import("builtins")
                .attr("property")(
                    py::cpp_function(&itemSize), py::none(), py::none(),
                    "Bytes of one element; 1 for the 4-bit types, of which a byte holds two.");
    }
    {
        using E = nvinfer1::TensorFormat;
        defineEnum<E>(m, "TensorFormat", "The memory layout of a tensor.",
                      {
                          {"LINEAR", E::kLINEAR},
                          {"CHW2", E::kCHW2},
                          {"HWC8", E::kHWC8},
                          {"CHW4", E::kCHW4},
                          {"CHW16", E::kCHW16},
                          {"CHW32", E::kCHW32},
                          {"DHWC8", E::kDHWC8},
                          {"CDHW32", E::kCDHW32},
                          {"HWC", E::kHWC},
                          {"DLA_LINEAR", E::kDLA_LINEAR},
                          {"DLA_HWC4", E::kDLA_HWC4},
                          {"HWC16", E::kHWC16},
                          {"DHWC", E::kDHWC},
                      });
    }
    {
        using E = nvinfer1::TensorLocation;
        defineEnum<E>(
            m, "TensorLocation",
            "Where the memory of a tensor is: on the device of the target, or on the host.",
            {
                {"DEVICE", E::kDEVICE},
                {"HOST", E::kHOST},
            });
    }
    {
        using E = nvinfer1::TensorIOMode;
        defineEnum<E>(m, "TensorIOMode",
                      "Whether a tensor of an engine is an input, an output or neither.",
                      {
                          {"NONE", E::kNONE},
                          {"INPUT", E::kINPUT},
                          {"OUTPUT", E::kOUTPUT},
                      });
    }
    {
        using E = nvinfer1::WeightsRole;
        defineEnum<E>(m, "WeightsRole", "What a layer uses weights for.",
                      {
                          {"KERNEL", E::kKERNEL},
                          {"BIAS", E::kBIAS},
                          {"SHIFT", E::kSHIFT},
                          {"SCALE", E::kSCALE},
                          {"CONSTANT", E::kCONSTANT},
                          {"ANY", E::kANY},
                      });
    }
    {
        using E = nvinfer1::DeviceType;
        defineEnum<E>(m, "DeviceType", "The kind of device that a layer runs on.",
                      {
                          {"GPU", E::kGPU},
                          {"DLA", E::kDLA},
                      });
    }
}

} // namespace kiln::python
