// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/backend.h"

namespace kiln::target {
namespace {

[[noreturn]] void refuseGraphs(std::string_view target) {
    fail(ErrorKind::kUnsupported,
         "[{}] this target has no graphs: work is done when the call returns. Run the engine "
         "without recording it.",
         target);
}

} // namespace

void Backend::beginCapture(StreamHandle) {
    refuseGraphs(name());
}

GraphHandle Backend::endCapture(StreamHandle) {
    refuseGraphs(name());
}

void Backend::launchGraph(GraphHandle, StreamHandle) {
    refuseGraphs(name());
}

Bytes Backend::pack(KernelRecord const& record, std::size_t, ConstantOperand const&) const {
    fail(ErrorKind::kInternal, "[{}] kernel '{}' packs no constants.", name(), record.kernel);
}

} // namespace kiln::target
