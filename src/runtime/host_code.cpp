// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_code.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace kiln::runtime {
namespace {

/// Whether a plugin of the plan has machine code for the CPU.
bool isHostCode(plugin::PluginRecord const& record) {
    return std::any_of(record.code.begin(), record.code.end(), [](plugin::AotVariant const& own) {
        return std::any_of(own.kernels.begin(), own.kernels.end(),
                           [](plugin::AotKernel const& kernel) {
                               return std::any_of(kernel.images.begin(), kernel.images.end(),
                                                  [](plugin::CodeImage const& image) {
                                                      return image.kind == CodeKind::kHostObject;
                                                  });
                           });
    });
}

} // namespace

void checkHostCode(plan::Document const& document, HostCode const& hostCode) {
    std::vector<std::string> names;
    for (plan::LibraryRecord const& library : document.libraries) {
        names.push_back(fmt::format("plugin library {}", library.name));
    }
    for (plugin::PluginRecord const& record : document.plugins) {
        if (isHostCode(record)) {
            names.push_back(
                fmt::format("compiled plugin {} of layer '{}'", record.id.text(), record.layer));
        }
    }
    if (!names.empty() && !hostCode.allowed) {
        fail(ErrorKind::kInvalidState,
             "[plan] the plan carries host code ({}): expected it to be allowed. If you trust the "
             "plan, allow engine host code on the runtime (--allowHostCode of trtexec).",
             join(names, ", "));
    }
}

} // namespace kiln::runtime
