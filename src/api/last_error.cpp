// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/last_error.h"

#include <string>
#include <utility>

#include <kiln/kiln.h>

#include "base/per_thread.h"

namespace kiln {
namespace {

PerThread<std::string> lastError;

} // namespace

namespace api {

void keepLastError(char const* text) noexcept {
    try {
        lastError.get() = text;
    } catch (...) {
        if (std::string* const known = lastError.find()) {
            known->clear();
        }
    }
}

} // namespace api

char const* takeLastError() noexcept {
    static PerThread<std::string> taken;
    std::string* const kept = lastError.find();
    if (kept == nullptr || kept->empty()) {
        return "";
    }
    try {
        return (taken.get() = std::exchange(*kept, {})).c_str();
    } catch (...) {
        return "";
    }
}

} // namespace kiln
