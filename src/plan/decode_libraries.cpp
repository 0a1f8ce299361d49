// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {

void decodeLibraries(fb::Plan const& plan, PartReader& libraries, Budget& budget,
                     Document& document) {
    decodeAll(plan.libraries(), budget, document.libraries, [&](fb::Library const& library) {
        LibraryRecord record;
        record.name = decodeText(library.name(), budget);
        record.data = libraries.view(library.bytes(), record.name);
        return record;
    });
}

} // namespace kiln::plan
