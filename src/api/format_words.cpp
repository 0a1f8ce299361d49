// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/format_words.h"

#include <fmt/format.h>

#include "base/dtype.h"

namespace kiln::api {
namespace {

using nvinfer1::DataType;
using nvinfer1::TensorFormat;

/// "FP32", "Int8"
std::string typeWord(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return "FP32";
    case DataType::kHALF: return "FP16";
    case DataType::kINT4: return "Int4";
    case DataType::kINT8: return "Int8";
    case DataType::kINT32: return "Int32";
    case DataType::kINT64: return "Int64";
    default: break;
    }
    std::string word(nameOf(type));
    for (char& letter : word) {
        letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    }
    return word == "BFLOAT16" ? "BF16" : word;
}

/// The words around the type, and the format's name.
struct Words {
    char const* pattern;
    char const* name;
};

Words wordsOf(TensorFormat format) {
    switch (format) {
    case TensorFormat::kLINEAR: return {"Row major linear {} format", "kLINEAR"};
    case TensorFormat::kCHW2: return {"Two wide channel vectorized row major {} format", "kCHW2"};
    case TensorFormat::kCHW4: return {"Four wide channel vectorized row major {} format", "kCHW4"};
    case TensorFormat::kCHW16:
        return {"Sixteen wide channel vectorized row major {} format", "kCHW16"};
    case TensorFormat::kCHW32:
        return {"Thirty-two wide channel vectorized row major {} format", "kCHW32"};
    case TensorFormat::kCDHW32:
        return {"Thirty-two wide channel vectorized row major {} format with 3 spatial dimensions",
                "kCDHW32"};
    case TensorFormat::kHWC: return {"Channel major {} format", "kHWC"};
    case TensorFormat::kHWC8: return {"Channel major {} format where channel % 8 == 0", "kHWC8"};
    case TensorFormat::kHWC16: return {"Channel major {} format where channel % 16 == 0", "kHWC16"};
    case TensorFormat::kDHWC: return {"Channel major {} format with 3 spatial dimensions", "kDHWC"};
    case TensorFormat::kDHWC8:
        return {"Channel major {} format where channel % 8 == 0 with 3 spatial dimensions",
                "kDHWC8"};
    default: return {"{} format of other hardware", "kDLA"};
    }
}

} // namespace

std::string formatWords(TensorFormat format, DataType type) {
    // The original has shorter words for some types of linear tensors; tools know these exactly.
    if (format == TensorFormat::kLINEAR && type == DataType::kINT8) {
        return "Row major Int8 format";
    }
    if (format == TensorFormat::kLINEAR && (type == DataType::kFLOAT || type == DataType::kINT32 ||
                                            type == DataType::kINT64 || type == DataType::kBOOL)) {
        return "Row major linear " + typeWord(type);
    }
    return fmt::format(fmt::runtime(wordsOf(format).pattern), typeWord(type));
}

std::string formatDescription(TensorFormat format, DataType type) {
    Words const words = wordsOf(format);
    return fmt::format(fmt::runtime(words.pattern), typeWord(type)) + " (" + words.name + ")";
}

} // namespace kiln::api
