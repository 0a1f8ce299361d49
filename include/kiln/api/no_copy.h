// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// INoCopy: the base of the interfaces that Kiln implements.
#pragma once

#include "kiln/api/macros.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! An object that is handled by pointer or reference only: it can be neither copied nor moved.
//!
//! Where a derived interface has a public destructor, the user who got the object from a create
//! function deletes it. Where the destructor is protected, the object belongs to another one, which
//! its documentation names.
class INoCopy {
protected:
    constexpr INoCopy() = default;
    virtual ~INoCopy() noexcept = default;

    INoCopy(INoCopy const& other) = delete;
    INoCopy& operator=(INoCopy const& other) = delete;
    INoCopy(INoCopy&& other) = delete;
    INoCopy& operator=(INoCopy&& other) = delete;
};

} // namespace nvinfer1

#pragma GCC visibility pop
