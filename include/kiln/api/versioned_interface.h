// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IVersionedInterface: identifies the interface and version of a user's object.
#pragma once

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! The language in which an interface is implemented.
enum class APILanguage : int32_t {
    kCPP = 0,    //!< C++, or another compiled language.
    kPYTHON = 1, //!< Python: calls acquire the GIL.
};

template <>
constexpr int32_t EnumMax<APILanguage>() noexcept {
    return 2;
}

//! The name of an interface, e.g. "PLUGIN_V3". A static string; compared by content.
using InterfaceKind = char const*;

//! Name and version of an interface.
class InterfaceInfo {
public:
    InterfaceKind kind; //!< The name.
    int32_t major;      //!< Different major versions are incompatible.
    int32_t minor;      //!< Higher minor versions include all lower ones.
};

//! Base class of the interfaces that users implement.
//!
//! Each interface overrides getInterfaceInfo(); user classes must not override it. Kiln checks the
//! result before it casts to a newer version of an interface, for example to distinguish
//! IPluginV3OneBuildV2 from IPluginV3OneBuild.
class IVersionedInterface {
public:
    //! The language of the implementation. Default: APILanguage::kCPP. Language bindings override
    //! it; other code need not.
    virtual APILanguage getAPILanguage() const noexcept { return APILanguage::kCPP; }

    //! The interface and version that the object implements. Must not change.
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
