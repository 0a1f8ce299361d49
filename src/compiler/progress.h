// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kiln/api/builder/progress_monitor.h"

namespace kiln::compiler {

/// A phase of the build, told to the user's progress monitor, which can stop the build.
class ProgressPhase {
public:
    /// `parent`: the name of the phase around it; null: none. A null monitor is told nothing.
    ProgressPhase(nvinfer1::IProgressMonitor* monitor, char const* name, char const* parent,
                  std::size_t steps);
    ~ProgressPhase();
    ProgressPhase(ProgressPhase const&) = delete;
    ProgressPhase& operator=(ProgressPhase const&) = delete;

    /// A step is complete. Throws kInvalidState if the monitor stops the build.
    void step();

private:
    nvinfer1::IProgressMonitor* monitor_;
    char const* name_;
    int32_t done_ = 0;
};

/// The phase of a whole build.
inline constexpr char const* kBuildPhase = "Building engine";

} // namespace kiln::compiler
