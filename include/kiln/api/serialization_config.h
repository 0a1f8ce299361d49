// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ISerializationConfig: options for serialization.
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Options for ICudaEngine::serializeWithConfig().
enum class SerializationFlag : int32_t {
    kEXCLUDE_WEIGHTS = 0,      //!< Omit refittable weights.
    kEXCLUDE_LEAN_RUNTIME = 1, //!< Omit the runtime. No effect: plans never include one.
    kINCLUDE_REFIT = 2,        //!< Keep the engine refittable after loading.
};

template <>
constexpr int32_t EnumMax<SerializationFlag>() noexcept {
    return 3;
}

//! Bit mask of SerializationFlag: bit `1U << i` is the flag with value i.
using SerializationFlags = uint32_t;

//! Options for a serialization, made by ICudaEngine::createSerializationConfig().
//!
//! Default: kINCLUDE_REFIT, and kEXCLUDE_WEIGHTS for an engine whose plan has no weights.
class ISerializationConfig : public INoCopy {
public:
    //! Replaces all flags. \return false, with a message, for a bit that is not a flag.
    virtual bool setFlags(SerializationFlags serializationFlags) noexcept = 0;

    //! All flags as a bit mask.
    virtual SerializationFlags getFlags() const noexcept = 0;

    //! Clears a flag. \return false, with a message, for a value that is not a flag.
    virtual bool clearFlag(SerializationFlag serializationFlag) noexcept = 0;

    //! Sets a flag. \return false, with a message, for a value that is not a flag.
    virtual bool setFlag(SerializationFlag serializationFlag) noexcept = 0;

    //! Whether a flag is set.
    virtual bool getFlag(SerializationFlag serializationFlag) const noexcept = 0;

    ~ISerializationConfig() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
