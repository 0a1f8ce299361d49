// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_SERIALIZATION_CONFIG_H
#define KILN_API_SERIALIZATION_CONFIG_H

#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class SerializationFlag : int32_t
{
    kEXCLUDE_WEIGHTS = 0,
    kEXCLUDE_LEAN_RUNTIME = 1,
    kINCLUDE_REFIT = 2,
};

template <>
constexpr int32_t EnumMax<SerializationFlag>() noexcept {
    return 3;
}

using SerializationFlags = uint32_t;

class ISerializationConfig : public INoCopy
{
public:
    virtual bool setFlags(SerializationFlags serializationFlags) noexcept = 0;
    virtual SerializationFlags getFlags() const noexcept = 0;
    virtual bool clearFlag(SerializationFlag serializationFlag) noexcept = 0;
    virtual bool setFlag(SerializationFlag serializationFlag) noexcept = 0;
    virtual bool getFlag(SerializationFlag serializationFlag) const noexcept = 0;
    ~ISerializationConfig() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_SERIALIZATION_CONFIG_H
