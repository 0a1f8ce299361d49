// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/format_words.h"

#include <fmt/format.h>

#include "base/dtype.h"

namespace kiln::api {
namespace {

using nvinfer1::DataType;
using nvinfer1::TensorFormat;

/// "FP32"
std::string typeWord(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "FP32";
    case DataType::kHALF: return "FP16";
    case DataType::kBF16: return "BF16";
    default: break;
    }
    std::string word(nameOf(type));
    for (char& letter : word) {
        letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    return word;
}

/// The words around the type.
char const* patternOf(TensorFormat format) {
    switch (format) {
    case TensorFormat::kLINEAR: return "Row-major linear {} format";
    case TensorFormat::kCHW2: return "Two-wide channel vectorized row-major {} format";
    case TensorFormat::kCHW4: return "Four-wide channel vectorized row-major {} format";
    case TensorFormat::kCHW16: return "Sixteen-wide channel vectorized row-major {} format";
    case TensorFormat::kCHW32: return "Thirty-two wide channel vectorized row-major {} format";
    case TensorFormat::kCDHW32:
        return "Thirty-two wide channel vectorized row-major {} format with 3 spatial dimensions";
    case TensorFormat::kHWC: return "Channel major {} format";
    case TensorFormat::kHWC8: return "Channel major {} format where C % 8 == 0";
    case TensorFormat::kHWC16: return "Channel major {} format where C % 16 == 0";
    case TensorFormat::kDHWC: return "Channel major {} format with 3 spatial dimensions";
    case TensorFormat::kDHWC8:
        return "Channel major {} format with 3 spatial dimensions where C % 8 == 0";
    default: return "{} format of other hardware";
    }
}

} // namespace

std::string formatWords(TensorFormat format, DataType type) {
    return fmt::format(fmt::runtime(patternOf(format)), typeWord(type));
}

} // namespace kiln::api
