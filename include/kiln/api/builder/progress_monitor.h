// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInferRuntime.h"

namespace nvinfer1 {

namespace v_1_0 {

class IProgressMonitor : public IVersionedInterface {
public:
    constexpr IProgressMonitor() = default;
    virtual ~IProgressMonitor() noexcept = default;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IProgressMonitor", 1, 0};
    }

    virtual void phaseStart(const char* phaseName, const char* parentPhase, int32_t nbSteps) noexcept = 0;
    virtual bool stepComplete(const char* phaseName, int32_t step) noexcept = 0;
    virtual void phaseFinish(const char* phaseName) noexcept = 0;
};

} // namespace v_1_0

using IProgressMonitor = v_1_0::IProgressMonitor;

} // namespace nvinfer1
