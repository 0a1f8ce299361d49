// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/versioned_interface.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Told by the builder how far a build has come, and able to cancel it. Users derive from it.
//!
//! A build is a tree of phases, each with steps. Phases may overlap and calls may come from several
//! threads at once. Names are valid during the call only.
class IProgressMonitor : public IVersionedInterface {
public:
    constexpr IProgressMonitor() = default;
    virtual ~IProgressMonitor() noexcept = default;

    //! Name and version of this interface.
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"IProgressMonitor", 1, 0};
    }

    //! A phase begins.
    //! \param phaseName unique among the phases that are running.
    //! \param parentPhase the phase that it is part of; null for the outermost one.
    //! \param nbSteps number of steps; more than 0.
    virtual void phaseStart(char const* phaseName, char const* parentPhase,
                            int32_t nbSteps) noexcept = 0;

    //! A step of a phase is done.
    //! \param step 0 .. nbSteps - 1, rising; steps may be left out.
    //! \return true to go on, false to cancel the build as soon as possible.
    virtual bool stepComplete(char const* phaseName, int32_t step) noexcept = 0;

    //! A phase ends, be it done or cancelled.
    virtual void phaseFinish(char const* phaseName) noexcept = 0;
};

} // namespace v_1_0

using IProgressMonitor = v_1_0::IProgressMonitor;

} // namespace nvinfer1

#pragma GCC visibility pop
