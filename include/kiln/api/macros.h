// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes and the character type used by every other header.
#pragma once

//! Exports a function from a library that is built with hidden visibility. Classes are exported by
//! the visibility pragma that surrounds the declarations of each header: type information that is
//! private to one library would break catching and casting across libraries.
#define TENSORRTAPI __attribute__((visibility("default")))

//! Empty. Kept because classes written for older releases put it behind their methods.
#define TRTNOEXCEPT

// Marks names that have a successor. Kiln puts it on functions only, so a warning appears where a
// program calls one, not wherever a class is named. The older plugin classes carry no mark at all:
// they work, and are meant to.
#define TRT_DEPRECATED __attribute__((deprecated))
#define TRT_DEPRECATED_BECAUSE(REASON) __attribute__((deprecated(REASON)))
#define TRT_DEPRECATED_ENUM TRT_DEPRECATED
#define TRT_DEPRECATED_API __attribute__((deprecated, visibility("default")))

// Marks results that must be looked at. The reason is for the reader: C++17 cannot state it.
#define TRT_NODISCARD [[nodiscard]]
#define TRT_NODISCARD_BECAUSE(REASON) [[nodiscard]]

namespace nvinfer1 {

//! The character type of the API: UTF-8 code units.
using char_t = char;

//! Character type of names that plugins and messages carry. Kiln keeps and shows such texts as
//! UTF-8; plain ASCII is the safe choice for the names of plugins, versions and namespaces.
using AsciiChar = char_t;

} // namespace nvinfer1
