// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/numpy_file.h"

#include "failure.h"
#include "run/element.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;

char const* descriptionOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "<f4";
    case DataType::kHALF: return "<f2";
    case DataType::kINT8: return "|i1";
    case DataType::kUINT8: return "|u1";
    case DataType::kBOOL: return "|b1";
    case DataType::kINT32: return "<i4";
    case DataType::kINT64: return "<i8";
    default: break;
    }
    fail("[run] expected a type that NumPy has, got {}. Save the tensor as raw or string",
         nameOf(type));
}

} // namespace

std::string numpyHeader(DataType type, nvinfer1::Dims const& dims) {
    std::string shape;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        shape += fmt::format("{},", dims.d[i]);
    }
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descriptionOf(type), shape);
    constexpr size_t kStart = 10; // magic number, version, length
    size_t const total = (kStart + text.size() + 1 + 63) / 64 * 64;
    text.append(total - kStart - text.size() - 1, ' ');
    text += '\n';
    std::string header = "\x93NUMPY";
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(text.size() & 0xFFU);
    header += static_cast<char>(text.size() >> 8U);
    return header + text;
}

} // namespace kiln::trtexec
