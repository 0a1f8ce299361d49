// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/versioned_interface.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Receives the progress of a build and can cancel it. Users derive from it.
//!
//! A build is a tree of phases, each with steps. Phases may overlap. All methods must be
//! thread-safe. Names are valid during the call only.
class IProgressMonitor : public IVersionedInterface {
public:
    constexpr IProgressMonitor() = default;
    virtual ~IProgressMonitor() noexcept = default;

    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IProgressMonitor", 1, 0};
    }

    //! A phase begins.
    //! \param phaseName unique among the running phases.
    //! \param parentPhase the enclosing phase; null for the outermost one.
    //! \param nbSteps number of steps; more than 0.
    virtual void phaseStart(char const* phaseName, char const* parentPhase,
                            int32_t nbSteps) noexcept = 0;

    //! A step of a phase is done.
    //! \param step 0 .. nbSteps - 1, increasing; steps may be skipped.
    //! \return true to continue, false to cancel the build as soon as possible.
    virtual bool stepComplete(char const* phaseName, int32_t step) noexcept = 0;

    //! A phase ends, because it is complete or cancelled.
    virtual void phaseFinish(char const* phaseName) noexcept = 0;
};

} // namespace v_1_0

using IProgressMonitor = v_1_0::IProgressMonitor;

} // namespace nvinfer1

#pragma GCC visibility pop
