// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

namespace kiln {

void Log::write(Severity severity, std::string const& text) const noexcept {
    if (logger_ != nullptr) {
        logger_->log(severity, text.c_str());
    }
}

} // namespace kiln
