// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// PluginField: an attribute of a plugin, by name. Attributes come from the node of a model or from
// the user of the network API, go to the plugin's creator, and are what an IPluginV3 is saved as.
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
    kCHAR = 6,    //!< char: a text.
    kDIMS = 7,    //!< nvinfer1::Dims.
    kUNKNOWN = 8, //!< Nothing known about the elements; length counts bytes.
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

//! One attribute: a name and an array. A view; whoever makes it owns what it points to.
//!
//! What a creator is given is valid only during the call. What a creator or a plugin returns must
//! stay valid until the next call to the same object: keep names and data in members.
class PluginField {
public:
    //! The name, zero-terminated. Unique within a collection.
    AsciiChar const* name;

    //! The elements. In the list of IPluginCreator::getFieldNames() usually nullptr, meaning that
    //! there is no default.
    void const* data;

    //! Their type.
    PluginFieldType type;

    //! Their number. Of a kCHAR text: without a terminating zero. Readers go by the length.
    int32_t length;

    //! A field of the given parts; by default an empty one.
    PluginField(AsciiChar const* name_ = nullptr, void const* data_ = nullptr,
                PluginFieldType type_ = PluginFieldType::kUNKNOWN, int32_t length_ = 0) noexcept
        : name(name_), data(data_), type(type_), length(length_) {}
};

//! A list of attributes. A view, like its elements.
struct PluginFieldCollection {
    int32_t nbFields{};          //!< The number of fields.
    PluginField const* fields{}; //!< The fields; nullptr only when there are none.
};

} // namespace nvinfer1

#pragma GCC visibility pop
