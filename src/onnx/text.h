// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Text for messages: text("expected ", 3, " dimensions, got ", dims).
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

inline std::ostream& operator<<(std::ostream& out, nvinfer1::Dims const& dims) {
    out << '[';
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        out << (i > 0 ? ", " : "") << dims.d[i];
    }
    return out << ']';
}

inline std::ostream& operator<<(std::ostream& out, std::vector<int64_t> const& values) {
    out << '[';
    for (size_t i = 0; i < values.size(); ++i) {
        out << (i > 0 ? ", " : "") << values[i];
    }
    return out << ']';
}

std::string_view nameOf(nvinfer1::DataType type);

inline std::ostream& operator<<(std::ostream& out, nvinfer1::DataType type) {
    return out << nameOf(type);
}

template <typename... Parts>
std::string text(Parts const&... parts) {
    std::ostringstream out;
    out.exceptions(std::ios::badbit); // running out of memory throws; it does not shorten the text
    (out << ... << parts);
    return out.str();
}

} // namespace kiln::onnx
