// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"
#include "options/values.h"

namespace kiln::trtexec {

OptionGroup inferenceOptions() {
    using enum Effect;
    return {
        "Inference",
        {
            {"--shapes", "=SHAPES", kWorks,
             "Shapes to run with; for a shape tensor its values. Default: the optimum of the "
             "profile.",
             [](Options& o, std::string const& value) {
                 o.inference.shapes = parseShapes("--shapes", value);
             }},
            {"--loadInputs", "=NAME:FILE,...", kWorks,
             "Values of inputs: raw bytes in the tensor's type and C order. Other inputs get "
             "random values, the same in each run.",
             [](Options& o, std::string const& value) {
                 o.inference.loadInputs = parseNamedFiles("--loadInputs", value);
             }},
            {"--useProfile", "=N", kWorks, "Run with optimization profile N (default 0).",
             [](Options& o, std::string const& value) {
                 o.inference.profile =
                     static_cast<int32_t>(parseCountUpTo("--useProfile", value, 0, INT32_MAX));
             }},
            {"--iterations", "=N", kWorks, "Run at least this often (default 10).",
             [](Options& o, std::string const& value) {
                 o.inference.iterations = parseCount("--iterations", value, 1);
             }},
            {"--warmUp", "=MS", kWorks, "Run this long before measuring (default 200 ms).",
             [](Options& o, std::string const& value) {
                 o.inference.warmUpMs = parseAmount("--warmUp", value);
             }},
            {"--duration", "=S", kWorks,
             "Measure at least this long (default 3 s). -1: until the process is ended.",
             [](Options& o, std::string const& value) {
                 o.inference.endless = value == "-1";
                 o.inference.durationS = o.inference.endless ? 0 : parseAmount("--duration", value);
             }},
            {"--sleepTime", "=MS", kWorks,
             "Let this long pass between the start of a run and its work (default 0 ms). It counts "
             "as part of the run's latency.",
             [](Options& o, std::string const& value) {
                 o.inference.sleepMs = parseAmount("--sleepTime", value);
             }},
            {"--idleTime", "=MS", kWorks, "Sleep this long between two runs (default 0 ms).",
             [](Options& o, std::string const& value) {
                 o.inference.idleMs = parseAmount("--idleTime", value);
             }},
            {"--infStreams,--streams", "=N", kWorks,
             "Use N execution contexts (default 1), which take turns; with --threads they run side "
             "by side.",
             [](Options& o, std::string const& value) {
                 o.inference.streams = parseCountUpTo("--infStreams", value, 1, 1024);
             }},
            {"--threads", "", kWorks, "Drive each execution context by a thread of its own.",
             [](Options& o, std::string const&) { o.inference.threads = true; }},
            {"--timeDeserialize", "", kWorks,
             "Open the plan several times and print how long that takes.",
             [](Options& o, std::string const&) { o.inference.timeDeserialize = true; }},
            {"--separateProfileRun", "", kWorks,
             "Take the times of layers in a run of their own, so that they do not slow down the "
             "measured one.",
             [](Options& o, std::string const&) { o.inference.separateProfileRun = true; }},
            {"--saveDebugTensors", "=NAME:FILE,...", kWorks,
             "Write values of debug tensors, as raw bytes, from one run before the measured ones.",
             [](Options& o, std::string const& value) {
                 o.inference.debugFiles = parseNamedFiles("--saveDebugTensors", value);
             }},
            {"--saveAllDebugTensors", "=FORMAT,...", kWorks,
             "Write all debug tensors, each as NAME.FORMAT: summary, numpy (NAME.npy), string, "
             "raw.",
             [](Options& o, std::string const& value) {
                 o.inference.debugFormats = parseDebugFormats("--saveAllDebugTensors", value);
             }},
            {"--allocationStrategy", "=SPEC", kWorks,
             "When a context takes its memory: static (for all profiles), profile or runtime.",
             [](Options& o, std::string const& value) {
                 o.inference.allocation = parseAllocation("--allocationStrategy", value);
             }},
            {"--noDataTransfers", "", kCuda,
             "Copy inputs once, before the runs, and outputs once, after them.",
             [](Options& o, std::string const&) { o.inference.noDataTransfers = true; }, false,
             "it has no copies to and from a device"},
            {"--exposeDMA", "", kNote, "copies and runs of a stream take turns anyway", nullptr},
            {"--useManagedMemory", "", kNote, "buffers are plain memory of the target", nullptr},
            {"--useSpinWait,--spin", "", kNote, "waiting for a run is left to the driver", nullptr},
            {"--useCudaGraph", "", kCuda, "Record one run into a graph and launch that.",
             [](Options& o, std::string const&) { o.inference.cudaGraph = true; }, false,
             "a run is a flat list of calls already"},
            {"--persistentCacheRatio", "=R", kNote, "it has no such cache", nullptr},
            {"--weightStreamingBudget", "=SIZE", kWorks,
             "How much of the weights stays on the device, of a plan built with "
             "--allowWeightStreaming: -2 (default): all. -1: what fits. Else a percentage, as in "
             "25%, or bytes, as in 512M. The rest is copied in each run. On cpu kernels read all "
             "weights in the plan.",
             [](Options& o, std::string const& value) {
                 o.inference.weightBudget = parseWeightBudget("--weightStreamingBudget", value);
             }},
            {"--timeRefit", "", kWorks,
             "Measure how long the engine takes for the weights of --refitFromOnnx or --onnx.",
             [](Options& o, std::string const&) { o.inference.timeRefit = true; }},
        }};
}

} // namespace kiln::trtexec
