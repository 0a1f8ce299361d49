// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/device.h"

namespace kiln::target {
namespace {

[[noreturn]] void refuseGraphs(std::string_view target) {
    fail(ErrorKind::kUnsupported,
         "[{}] this target has no graphs: work is done when the call returns. Run the engine "
         "without recording it.",
         target);
}

} // namespace

void Device::beginCapture(StreamHandle) {
    refuseGraphs(target());
}

GraphHandle Device::endCapture(StreamHandle) {
    refuseGraphs(target());
}

void Device::launchGraph(GraphHandle, StreamHandle) {
    refuseGraphs(target());
}

Bytes Backend::pack(KernelRecord const& record, std::size_t, ConstantOperand const&) const {
    fail(ErrorKind::kInternal, "[{}] kernel '{}' packs no constants.", name(), record.kernel);
}

} // namespace kiln::target
