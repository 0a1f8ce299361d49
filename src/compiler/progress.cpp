// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/progress.h"

#include "base/error.h"

namespace kiln::compiler {

ProgressPhase::ProgressPhase(nvinfer1::IProgressMonitor* monitor, char const* name,
                             char const* parent, std::size_t steps)
    : monitor_(monitor), name_(name) {
    if (monitor_ != nullptr) {
        monitor_->phaseStart(name_, parent, static_cast<int32_t>(steps));
    }
}

ProgressPhase::~ProgressPhase() {
    if (monitor_ != nullptr) {
        monitor_->phaseFinish(name_);
    }
}

void ProgressPhase::step() {
    if (monitor_ != nullptr && !monitor_->stepComplete(name_, done_++)) {
        fail(ErrorKind::kInvalidState,
             "[builder] the progress monitor stopped the build after step {} of '{}'. Return true "
             "from the monitor to go on.",
             done_ - 1, name_);
    }
}

} // namespace kiln::compiler
