// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "warn.h"

#include <unordered_set>

#include <kiln/kiln.h>
#include <kiln/message_code.h>

namespace kiln::python {

void warn(std::string const& text) {
    kiln::defaultLogger().log(nvinfer1::ILogger::Severity::kWARNING,
                              std::string(kiln::withMessageCode(text.c_str())).c_str());
}

void warnOnce(std::string const& text) {
    static auto* const told = new std::unordered_set<std::string>; // guarded by the GIL
    if (told->insert(text).second) {
        warn(text);
    }
}

} // namespace kiln::python
