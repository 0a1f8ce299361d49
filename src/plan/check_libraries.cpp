// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/check.h"

namespace kiln::plan {

void checkLibraries(Document const& document, ErrorKind kind) {
    for (LibraryRecord const& library : document.libraries) {
        bool const named = !library.name.empty() && library.name.find('/') == std::string::npos;
        if (!named || library.data.empty()) {
            fail(kind,
                 "[plan] plugin library '{}': expected a file name without folders and its bytes, "
                 "got {} bytes. Build the plan again.",
                 library.name, library.data.size());
        }
    }
}

} // namespace kiln::plan
