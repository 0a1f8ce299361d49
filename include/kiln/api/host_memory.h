// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IHostMemory: a buffer that the library created and the user owns.
#pragma once

#include "kiln/api/data_type.h"
#include "kiln/api/no_copy.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! A block of host memory, such as a plan or a timing cache. Implemented by Kiln, deleted by the
//! user. It is independent of the object that created it, which may be deleted first.
class IHostMemory : public INoCopy {
public:
    //! The bytes, valid until the object is deleted. The caller may write to them.
    virtual void* data() const noexcept = 0;

    //! The size in bytes.
    virtual std::size_t size() const noexcept = 0;

    //! The type of the elements; DataType::kINT8 for a plan.
    virtual DataType type() const noexcept = 0;

    ~IHostMemory() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
