// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_MACROS_H
#define KILN_API_MACROS_H

#define TENSORRTAPI __attribute__((visibility("default")))
#define TRTNOEXCEPT

#define TRT_DEPRECATED __attribute__((deprecated))
#define TRT_DEPRECATED_BECAUSE(REASON) __attribute__((deprecated(REASON)))
#define TRT_DEPRECATED_ENUM TRT_DEPRECATED
#define TRT_DEPRECATED_API __attribute__((deprecated, visibility("default")))

#define TRT_NODISCARD [[nodiscard]]
#define TRT_NODISCARD_BECAUSE(REASON) [[nodiscard]]

namespace nvinfer1
{

using char_t = char;
using AsciiChar = char_t;

} // namespace nvinfer1

#endif // KILN_API_MACROS_H
