// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// PluginField: a named attribute of a plugin. A creator receives attributes from a model node or
// from the user of the network API. An IPluginV3 also serializes its state as fields.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The type of the elements of a PluginField.
enum class PluginFieldType : int32_t {
    kFLOAT16 = 0, //!< 16 bits, IEEE 754 binary16.
    kFLOAT32 = 1, //!< float.
    kFLOAT64 = 2, //!< double.
    kINT8 = 3,    //!< int8_t. Also the usual type of raw bytes.
    kINT16 = 4,   //!< int16_t.
    kINT32 = 5,   //!< int32_t.
    kCHAR = 6,    //!< char: a string.
    kDIMS = 7,    //!< nvinfer1::Dims.
    kUNKNOWN = 8, //!< Unknown type; length counts bytes.
    kBF16 = 9,    //!< 16 bits, bfloat16.
    kINT64 = 10,  //!< int64_t.
    kFP8 = 11,    //!< 8 bits, E4M3.
    kINT4 = 12,   //!< 4 bits, two to a byte, the first in the low half.
    kFP4 = 13,    //!< 4 bits, E2M1, two to a byte, the first in the low half.
};

template <>
constexpr int32_t EnumMax<PluginFieldType>() noexcept {
    return 14;
}

//! One attribute: a name and an array. A view: it does not own the name or the data.
//!
//! Fields passed to a creator are valid during the call only. Fields returned by a creator or a
//! plugin must stay valid until the next call to the same object: store names and data in members.
class PluginField {
public:
    //! The name, null-terminated. Unique within a collection.
    AsciiChar const* name;

    //! The elements. In the result of IPluginCreator::getFieldNames() usually nullptr: there is no
    //! default.
    void const* data;

    //! The type of the elements.
    PluginFieldType type;

    //! The number of elements. For kCHAR, without a terminating null character; readers must use
    //! the length.
    int32_t length;

    //! Constructs a field; by default an empty one.
    PluginField(AsciiChar const* name_ = nullptr, void const* data_ = nullptr,
                PluginFieldType type_ = PluginFieldType::kUNKNOWN, int32_t length_ = 0) noexcept
        : name(name_), data(data_), type(type_), length(length_) {}
};

//! A list of attributes. A view, like PluginField.
struct PluginFieldCollection {
    int32_t nbFields{};          //!< The number of fields.
    PluginField const* fields{}; //!< The fields; may be nullptr if nbFields is 0.
};

} // namespace nvinfer1

#pragma GCC visibility pop
