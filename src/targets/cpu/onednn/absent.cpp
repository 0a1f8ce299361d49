// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled in place of this folder's other sources if the build did not find oneDNN.
#include "targets/cpu/onednn/onednn.h"

namespace kiln::targets::cpu::onednn {

target::LibraryStatus status() {
    return {"oneDNN",
            {},
            {},
            "oneDNN was not found when Kiln was built. Install onednn-cpu-gomp and "
            "onednn-devel-cpu-gomp 2023.2.0, and build again"};
}

void addKernel(target::KernelRegistry&, std::string_view, std::string_view) {}

} // namespace kiln::targets::cpu::onednn
