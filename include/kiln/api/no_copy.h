// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// INoCopy: base class of the interfaces that Kiln implements.
#pragma once

#include "kiln/api/macros.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A class that can be neither copied nor moved.
//!
//! If a derived interface has a public destructor, the user who called the create function deletes
//! the object. If the destructor is protected, another object, named in its documentation, owns it.
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
