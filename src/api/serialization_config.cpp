// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/serialization_config.h"

namespace kiln::api {

using nvinfer1::SerializationFlag;
using nvinfer1::SerializationFlags;

namespace {

constexpr SerializationFlags kAll = (1U << nvinfer1::EnumMax<SerializationFlag>()) - 1U;

/// 0 for values that are no flags.
SerializationFlags bitOf(SerializationFlag flag) {
    auto const number = static_cast<uint32_t>(flag);
    return number < static_cast<uint32_t>(nvinfer1::EnumMax<SerializationFlag>()) ? 1U << number
                                                                                  : 0U;
}

} // namespace

bool SerializationConfig::setFlags(SerializationFlags serializationFlags) noexcept {
    return reporter_.guard(false, [&] {
        if ((serializationFlags & ~kAll) != 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] serialization config: expected flags within {:#x}, got {:#x}. Shift 1 "
                 "by a SerializationFlag.",
                 kAll, serializationFlags);
        }
        flags_ = serializationFlags;
        return true;
    });
}

bool SerializationConfig::clearFlag(SerializationFlag serializationFlag) noexcept {
    SerializationFlags const bit = bitOf(serializationFlag);
    return bit != 0 ? setFlags(flags_ & ~bit) : setFlags(~0U); // the latter reports
}

bool SerializationConfig::setFlag(SerializationFlag serializationFlag) noexcept {
    SerializationFlags const bit = bitOf(serializationFlag);
    return setFlags(bit != 0 ? flags_ | bit : ~0U);
}

bool SerializationConfig::getFlag(SerializationFlag serializationFlag) const noexcept {
    return (flags_ & bitOf(serializationFlag)) != 0;
}

} // namespace kiln::api
