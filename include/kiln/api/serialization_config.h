// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ISerializationConfig: what a plan shall contain.
#pragma once

#include "kiln/api/enum_max.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Choices for ICudaEngine::serializeWithConfig().
enum class SerializationFlag : int32_t {
    kEXCLUDE_WEIGHTS = 0,      //!< Leave out the weights that a refit can bring back.
    kEXCLUDE_LEAN_RUNTIME = 1, //!< Leave out the runtime. Kiln never puts one in; no effect.
    kINCLUDE_REFIT = 2,        //!< Let a plan without weights be refitted after loading.
};

template <>
constexpr int32_t EnumMax<SerializationFlag>() noexcept {
    return 3;
}

//! A set of SerializationFlag: bit i, `1U << i`, stands for the flag of value i.
using SerializationFlags = uint32_t;

//! The choices for one serialization. Implemented by Kiln. Made by
//! ICudaEngine::createSerializationConfig(), deleted by the user.
//!
//! Default: no flag.
class ISerializationConfig : public INoCopy {
public:
    //! Sets the whole set. \return false, with a message, for a bit that is not a flag.
    virtual bool setFlags(SerializationFlags serializationFlags) noexcept = 0;

    //! The set.
    virtual SerializationFlags getFlags() const noexcept = 0;

    //! Removes a flag from the set. \return false, with a message, for a value that is not a flag.
    virtual bool clearFlag(SerializationFlag serializationFlag) noexcept = 0;

    //! Adds a flag to the set. \return false, with a message, for a value that is not a flag.
    virtual bool setFlag(SerializationFlag serializationFlag) noexcept = 0;

    //! Whether a flag is in the set.
    virtual bool getFlag(SerializationFlag serializationFlag) const noexcept = 0;

    ~ISerializationConfig() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
