// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <NvInferRuntime.h>

#include "base/bytes.h"

namespace kiln::api {

/// IHostMemory that owns its bytes.
class HostMemory final : public nvinfer1::IHostMemory {
public:
    explicit HostMemory(Bytes bytes) : bytes_(std::move(bytes)) {}

    void* data() const noexcept override { return const_cast<std::byte*>(bytes_.data()); }
    std::size_t size() const noexcept override { return bytes_.size(); }
    nvinfer1::DataType type() const noexcept override { return nvinfer1::DataType::kINT8; }

private:
    Bytes bytes_;
};

} // namespace kiln::api
