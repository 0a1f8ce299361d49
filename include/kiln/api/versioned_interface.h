// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IVersionedInterface: how Kiln learns which interface, and which version of it, an object of the
// user has.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The language in which an interface is implemented.
enum class APILanguage : int32_t {
    kCPP = 0,    //!< C++, or anything that looks like it.
    kPYTHON = 1, //!< Python: calling it takes the interpreter's lock.
};

template <>
constexpr int32_t EnumMax<APILanguage>() noexcept {
    return 2;
}

//! The name of an interface, e.g. "PLUGIN_V3". A text with static lifetime; compared by content.
using InterfaceKind = char const*;

//! Name and version of an interface.
class InterfaceInfo {
public:
    InterfaceKind kind; //!< The name.
    int32_t major;      //!< Versions of different major number cannot stand for each other.
    int32_t minor;      //!< A higher number has everything that a lower one has.
};

//! The root of the interfaces that users implement.
//!
//! Each interface overrides getInterfaceInfo(); classes derived from it leave that override alone.
//! Kiln looks at the answer before it casts to a newer version of an interface: that is how, for
//! instance, IPluginV3OneBuildV2 is told from IPluginV3OneBuild.
class IVersionedInterface {
public:
    //! The language of the implementation. Default: APILanguage::kCPP. Language bindings override
    //! it; other code need not.
    virtual APILanguage getAPILanguage() const noexcept { return APILanguage::kCPP; }

    //! The interface and version that the object implements. The same answer every time.
    virtual InterfaceInfo getInterfaceInfo() const noexcept = 0;

    virtual ~IVersionedInterface() noexcept = default;

protected:
    constexpr IVersionedInterface() = default;
    constexpr IVersionedInterface(IVersionedInterface const&) = default;
    constexpr IVersionedInterface(IVersionedInterface&&) = default;
    IVersionedInterface& operator=(IVersionedInterface const&) & = default;
    IVersionedInterface& operator=(IVersionedInterface&&) & = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
