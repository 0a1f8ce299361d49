// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"
#include "options/values.h"

namespace kiln::trtexec {
namespace {

/// The optimization profile selected by the last --profile.
ProfileShapes& profileOf(Options& options) {
    return options.build.profiles[options.build.currentProfile];
}

constexpr char const* kNoCalibration =
    "ranges come from the cache of --calib or are made up, which needs no shapes";

} // namespace

OptionGroup buildOptions() {
    using enum Effect;
    return {
        "Build",
        {
            {"--minShapes", "=SHAPES", kWorks,
             "Smallest shapes of the optimization profile, as in x:1x8x8,y:4. A missing one of the "
             "three follows from the others. For a shape tensor: its values.",
             [](Options& o, std::string const& value) {
                 profileOf(o).min = parseShapes("--minShapes", value);
             },
             true},
            {"--optShapes", "=SHAPES", kWorks, "Shapes that the engine is tuned for.",
             [](Options& o, std::string const& value) {
                 profileOf(o).opt = parseShapes("--optShapes", value);
             },
             true},
            {"--maxShapes", "=SHAPES", kWorks, "Largest shapes of the profile.",
             [](Options& o, std::string const& value) {
                 profileOf(o).max = parseShapes("--maxShapes", value);
             },
             true},
            {"--profile", "=N", kWorks,
             "The shapes that follow belong to optimization profile N (default 0).",
             [](Options& o, std::string const& value) {
                 selectProfile(o, static_cast<size_t>(parseCount("--profile", value, 0)));
             },
             true},
            {"--minShapesCalib", "=SHAPES", kNote, kNoCalibration, nullptr},
            {"--optShapesCalib", "=SHAPES", kNote, kNoCalibration, nullptr},
            {"--maxShapesCalib", "=SHAPES", kNote, kNoCalibration, nullptr},
            {"--calibProfile", "=N", kNote, kNoCalibration, nullptr},
            {"--inputIOFormats", "=TYPE:FORMAT,...", kWorks,
             "Types and formats of the inputs in their order, as in fp32:chw,int8:chw4+chw32. One "
             "serves for all.",
             [](Options& o, std::string const& value) {
                 o.build.inputFormats = parseIOFormats("--inputIOFormats", value);
             }},
            {"--outputIOFormats", "=TYPE:FORMAT,...", kWorks, "The same for the outputs.",
             [](Options& o, std::string const& value) {
                 o.build.outputFormats = parseIOFormats("--outputIOFormats", value);
             }},
            {"--memPoolSize", "=POOL:SIZE,...", kWorks,
             "Limits of memory pools; in MiB, or with a suffix B, K, M or G. workspace limits the "
             "scratch memory of one layer; tacticSharedMem, dlaSRAM, dlaLocalDRAM and "
             "dlaGlobalDRAM are kept, but the cpu target has no such memory.",
             [](Options& o, std::string const& value) {
                 parseMemoryPools("--memPoolSize", value, o.build.memoryPools);
             }},
            {"--saveEngine", "=FILE", kWorks, "Write the plan to this file.",
             [](Options& o, std::string const& value) { o.build.saveEngine = value; }},
            {"--skipInference,--buildOnly", "", kWorks,
             "Stop once the engine is built and saved, or opened.",
             [](Options& o, std::string const&) { o.build.skipInference = true; }},
            {"--profilingVerbosity", "=LEVEL", kWorks,
             "What the engine tells about its layers: layer_names_only (default), detailed or "
             "none.",
             [](Options& o, std::string const& value) {
                 o.build.profilingVerbosity = parseVerbosity("--profilingVerbosity", value);
             }},
            {"--markDebug", "=TENSOR,...", kWorks, "Tensors that --saveDebugTensors may save.",
             [](Options& o, std::string const& value) {
                 o.build.debugTensors = parseNames("--markDebug", value);
             }},
            {"--markUnfusedTensorsAsDebugTensors", "", kWorks,
             "Every tensor that no fusion removes can be saved.",
             [](Options& o, std::string const&) { o.build.markUnfusedTensors = true; }},
            {"--preview", "=FEATURES", kWorks,
             "Switch preview features on (+) or off (-), as in +aliasedPluginIO1003. Also "
             "profileSharing0806, runtimeActivationResize1010, multiDeviceRuntime1016.",
             [](Options& o, std::string const& value) {
                 o.build.previewFeatures = parsePreviewFeatures("--preview", value);
             }},
            {"--pluginInstanceNorm,--pi", "", kNote,
             "Kiln has no plugin for InstanceNormalization to prefer", nullptr},
            {"--refitFromOnnx", "=FILE", kWorks,
             "Give the engine the weights of this ONNX model before it runs.",
             [](Options& o, std::string const& value) { o.build.refitFromOnnx = value; }},
            {"--minTiming", "=N", kRefused, "it is gone since TensorRT 10; pass --avgTiming",
             nullptr},
            {"--workspace", "=N", kRefused,
             "it is gone since TensorRT 10; pass --memPoolSize=workspace:SIZE", nullptr},
            {"--batch,--maxBatch", "=N", kRefused,
             "it is gone since TensorRT 10; the batch is an axis of --shapes and --optShapes",
             nullptr},
            {"--explicitBatch", "", kNote, "the batch is always an axis of the inputs", nullptr},
        }};
}

} // namespace kiln::trtexec
