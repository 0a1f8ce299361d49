// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/late_reports.h"

#include <utility>

#include "plugin/failure.h"

namespace kiln::plugin {
namespace {

constinit thread_local LateReports* current = nullptr;

} // namespace

LateReports::LateReports(Sink sink)
    : sink_(std::move(sink)), outer_(std::exchange(current, this)) {}

LateReports::~LateReports() {
    current = outer_;
}

void LateReports::tellWithoutText() noexcept {
    takeReportedText();
    if (current != nullptr) {
        current->sink_(
            "[plugin] a plugin raised an error while it was destroyed. There is no memory to "
            "say which one.");
    }
}

void LateReports::take(std::string_view layer, PluginId const& id,
                       std::string_view phase) noexcept {
    if (!hasReportedText()) {
        return;
    }
    try {
        take(callbackName(layer, id, phase));
    } catch (...) {
        tellWithoutText();
    }
}

void LateReports::take(std::string_view where) noexcept {
    if (!hasReportedText()) {
        return;
    }
    try {
        std::string const text = std::string(where) + ": raised an error\n" + takeReportedText();
        if (current != nullptr) {
            current->sink_(text.c_str());
        }
    } catch (...) {
        tellWithoutText();
    }
}

} // namespace kiln::plugin
