// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IProfiler: receives the time of each layer.
#pragma once

#include "kiln/api/macros.h"
#include "kiln/api/versioned_interface.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Receives the times of layers; see IExecutionContext::setProfiler(). Implemented by the user. It
//! must outlive the context or be replaced.
class IProfiler : public IVersionedInterface {
public:
    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IProfiler", 1, 0};
    }

    //! Receives the time of one layer in one run. Called on the thread that runs the context, for
    //! each layer in execution order.
    //!
    //! \param layerName the name shown by engine inspectors; valid during the call only.
    //! \param ms milliseconds.
    virtual void reportLayerTime(char const* layerName, float ms) noexcept = 0;

    ~IProfiler() noexcept override = default;
};

} // namespace v_1_0

using IProfiler = v_1_0::IProfiler;

} // namespace nvinfer1

#pragma GCC visibility pop
