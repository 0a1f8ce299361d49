// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_VERSIONED_INTERFACE_H
#define KILN_API_VERSIONED_INTERFACE_H

#include "kiln/api/enum_max.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class APILanguage : int32_t
{
    kCPP = 0,
    kPYTHON = 1,
};

namespace impl
{
template <>
struct EnumMaxImpl<APILanguage>
{
    static constexpr int32_t kVALUE{2};
};
} // namespace impl

using InterfaceKind = char const*;

class InterfaceInfo
{
public:
    InterfaceKind kind;
    int32_t major;
    int32_t minor;
};

class IVersionedInterface
{
public:
    virtual APILanguage getAPILanguage() const noexcept
    {
        return APILanguage::kCPP;
    }
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

#endif // KILN_API_VERSIONED_INTERFACE_H
