// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes and the character type used by every other header.
#pragma once

//! Exports a function from a library that is built with hidden visibility. Classes are exported by
//! the visibility pragma in each header: type information must be shared for exceptions and casts
//! to work across libraries.
#define TENSORRTAPI __attribute__((visibility("default")))

//! Empty. For source compatibility with classes written for older releases.
#define TRTNOEXCEPT

// Marks deprecated names. Kiln marks only functions and enumerators, so a warning appears where a
// program uses one, not wherever a class is named. The older plugin classes are not marked: they
// remain supported.
#define TRT_DEPRECATED __attribute__((deprecated))
#define TRT_DEPRECATED_BECAUSE(REASON) __attribute__((deprecated(REASON)))
#define TRT_DEPRECATED_ENUM TRT_DEPRECATED
#define TRT_DEPRECATED_API __attribute__((deprecated, visibility("default")))

// Marks results that must not be ignored. The reason is documentation only: C++17 cannot state it.
#define TRT_NODISCARD [[nodiscard]]
#define TRT_NODISCARD_BECAUSE(REASON) [[nodiscard]]

namespace nvinfer1 {

//! The character type of the API: UTF-8 code units.
using char_t = char;

//! Character type of plugin names and messages. Kiln treats such strings as UTF-8; ASCII is
//! recommended for names of plugins, versions and namespaces.
using AsciiChar = char_t;

} // namespace nvinfer1
