// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ENUM_MAX_H
#define KILN_API_ENUM_MAX_H

#include "kiln/api/macros.h"
#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1
{

namespace impl
{
template <typename T>
struct EnumMaxImpl;
} // namespace impl

template <typename T>
constexpr int32_t EnumMax() noexcept
{
    return impl::EnumMaxImpl<T>::kVALUE;
}

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ENUM_MAX_H
