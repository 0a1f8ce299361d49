// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <NvInferRuntime.h>

#include "zeroed_memory.h"

namespace kiln::python {

struct InterfaceInfoObject {
    std::string kind;
    int32_t major = 1;
    int32_t minor = 0;
};

/// The version of an interface in Python. Objects of the bound classes that users derive from are
/// plain data; when they are passed to Kiln, native interfaces are made for them.
struct VersionedObject : nvinfer1::IVersionedInterface, Zeroed {
    nvinfer1::APILanguage language = nvinfer1::APILanguage::kPYTHON;
    InterfaceInfoObject info;

    VersionedObject() = default;
    explicit VersionedObject(char const* kind, int32_t major = 1) : info{kind, major, 0} {}
    explicit VersionedObject(nvinfer1::IVersionedInterface const& native)
        : language(native.getAPILanguage()) {
        nvinfer1::InterfaceInfo const source = native.getInterfaceInfo();
        info = {source.kind, source.major, source.minor};
    }

    nvinfer1::APILanguage getAPILanguage() const noexcept override { return language; }
    nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override {
        return {info.kind.c_str(), info.major, info.minor};
    }
};

} // namespace kiln::python
