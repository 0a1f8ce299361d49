// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/capture.h"

namespace kiln::runtime {
namespace {

[[noreturn]] void refuse(std::string const& what, char const* remedy) {
    fail(ErrorKind::kInvalidState, "[run] {}, which a stream capture cannot wait for. {}", what,
         remedy);
}

} // namespace

void CaptureState::ask(target::Device const& device, target::StreamHandle stream) {
    lastStream_ = stream;
    lastEnd_ = 0;
    recording_ = false;
    target::Capture const state = device.capture(stream);
    if (state == target::Capture::kInvalidated) {
        fail(ErrorKind::kInvalidState,
             "[run] the capture of the stream was ended before this run, by a call that cannot be "
             "recorded. Begin it again without that call.");
    }
    recording_ = state == target::Capture::kActive;
}

void expectRecordable(Watchers const& watchers) {
    if (watchers.sync()) {
        refuse("KILN_SYNC=1 or debug_sync waits for each layer",
               "Unset it before the stream is captured.");
    }
    if (watchers.profiler() != nullptr) {
        refuse("the profiler measures when layers are done",
               "Take it from the context before the stream is captured.");
    }
    if (watchers.showsTensors()) {
        refuse("the debug listener is shown tensors of this run",
               "Take it from the context before the stream is captured.");
    }
}

void refuseToWait(std::string const& step, std::string const& decider) {
    std::string const why =
        decider.empty() ? "its sizes are needed on the host, and known only when it has run"
                        : fmt::format("{} depends on a size that it finds on the device", decider);
    refuse(step + ": " + why, "Run this engine without a capture.");
}

void refuseDecision(std::string const& step) {
    refuse(step + ": the host decides by a value that the device computes",
           "Run this engine without a capture.");
}

void refuseUpload() {
    fail(ErrorKind::kInvalidState,
         "[run] shapes or shape inputs changed, and their values have to be brought to the "
         "device, which a stream capture cannot record. Run once with these shapes before the "
         "stream is captured.");
}

void failRecording(bool isPluginCode, std::string const& text) {
    fail(isPluginCode ? ErrorKind::kPlugin : ErrorKind::kDevice, "{}{}", text,
         isPluginCode ? "\nThe stream is being captured: there a plugin may only put work on the "
                        "stream that it is given. It cannot wait, allocate, or copy to or from "
                        "pageable memory; allocate where the plugin is attached to the context or "
                        "told of new shapes, or run this engine without a capture."
                      : "");
}

} // namespace kiln::runtime
