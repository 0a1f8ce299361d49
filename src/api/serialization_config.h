// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include "api/reporter.h"

namespace kiln::api {

class SerializationConfig final : public nvinfer1::ISerializationConfig {
public:
    SerializationConfig(Log log, nvinfer1::SerializationFlags flags)
        : reporter_(log), flags_(flags) {}

    bool setFlags(nvinfer1::SerializationFlags serializationFlags) noexcept override;
    nvinfer1::SerializationFlags getFlags() const noexcept override { return flags_; }
    bool clearFlag(nvinfer1::SerializationFlag serializationFlag) noexcept override;
    bool setFlag(nvinfer1::SerializationFlag serializationFlag) noexcept override;
    bool getFlag(nvinfer1::SerializationFlag serializationFlag) const noexcept override;

private:
    Reporter reporter_;
    nvinfer1::SerializationFlags flags_;
};

} // namespace kiln::api
