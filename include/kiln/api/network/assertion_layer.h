// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/network/layer.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Fails unless a condition holds. It has no output.
//!
//! Input 0: a tensor of type kBOOL, of rank 0 or 1: all elements must be true. If an element is
//! known
//!     to be false when the engine is built, the build fails. A condition on shapes is checked
//!     when the shapes of a run are known, before any kernel runs.
class IAssertionLayer : public ILayer {
public:
    ~IAssertionLayer() noexcept override = default;

    //! Sets the text of the error. \param message null-terminated, copied.
    virtual void setMessage(char const* message) noexcept = 0;

    //! The text of the error; never null.
    virtual char const* getMessage() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop
