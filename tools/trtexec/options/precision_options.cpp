// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "options/option_table.h"
#include "options/words.h"

namespace kiln::trtexec {
namespace {

constexpr char const* kNoSafety = "Kiln has no runtime for safety-certified systems";

} // namespace

OptionGroup precisionOptions() {
    using enum Effect;
    return {
        "Precision",
        {
            {"--fp16", "", kWorks, "Layers may compute in half precision.",
             [](Options& o, std::string const&) { o.build.fp16 = true; }},
            {"--bf16", "", kWorks, "Layers may compute in bfloat16.",
             [](Options& o, std::string const&) { o.build.bf16 = true; }},
            {"--best", "", kWorks,
             "Layers may compute in every type that the builder can choose: float, half precision, "
             "bfloat16, and int8 as with --int8.",
             [](Options& o, std::string const&) {
                 o.build.fp16 = o.build.bf16 = o.build.int8 = true;
             }},
            {"--stronglyTyped", "", kWorks,
             "Types are those of the model; the builder changes none.",
             [](Options& o, std::string const&) { o.build.stronglyTyped = true; }},
            {"--noTF32", "", kWorks,
             "Take TF32 off the list of types. The cpu target computes float as float anyhow.",
             [](Options& o, std::string const&) { o.build.noTf32 = true; }},
            {"--precisionConstraints", "=SPEC", kWorks,
             "What --layerPrecisions and --layerOutputTypes mean: obey (the build fails where that "
             "cannot be done), prefer (a warning) or none (default).",
             [](Options& o, std::string const& value) {
                 o.build.layers.constraints =
                     parsePrecisionConstraints("--precisionConstraints", value);
             }},
            {"--sparsity", "=SPEC", kWorks,
             "disable (default), enable or force: Kiln has no sparse kernels, so enable changes "
             "neither results nor speed. force sets two of each four weights of convolutions and "
             "matrix multiplies to 0, which changes results.",
             [](Options& o, std::string const& value) {
                 if (value != "disable" && value != "enable" && value != "force") {
                     fail("[options] --sparsity: expected one of disable, enable, force, got '{}'",
                          value);
                 }
                 o.build.sparse = value != "disable";
                 o.build.prunes = value == "force";
             }},
            {"--int8", "", kWorks,
             "Layers may compute in int8. Ranges come from --calib; without it, and if the model "
             "is "
             "not quantized, they are made up: times are right then, results are not.",
             [](Options& o, std::string const&) { o.build.int8 = true; }},
            {"--fp8", "", kWorks, "Sets the builder flag FP8, which quantized models do not need.",
             [](Options& o, std::string const&) { o.build.fp8 = true; }},
            {"--int4", "", kWorks,
             "Sets the builder flag INT4, which quantized models do not need.",
             [](Options& o, std::string const&) { o.build.int4 = true; }},
            {"--fp4", "", kWorks, "Sets the builder flag FP4, which quantized models do not need.",
             [](Options& o, std::string const&) { o.build.fp4 = true; }},
            {"--calib", "=FILE", kWorks, "Read the ranges of --int8 from a calibration cache.",
             [](Options& o, std::string const& value) { o.build.calibrationCache = value; }},
            {"--uint8AsymmetricQuantizationDLA", "", kRefused, "Kiln does not support DLA",
             nullptr},
            {"--layerPrecisions", "=LAYER:TYPE,...", kWorks,
             "Types that layers compute in: fp32, fp16, bf16, int32 or int8, as in conv1:fp16. The "
             "layer * means all others that compute on floating-point numbers. Needs "
             "--precisionConstraints.",
             [](Options& o, std::string const& value) {
                 o.build.layers.precisions = parseLayerPrecisions("--layerPrecisions", value);
             }},
            {"--layerOutputTypes", "=LAYER:TYPE,...", kWorks,
             "Types of the outputs of layers, as in conv1:fp16 or split:fp32+fp16. Needs "
             "--precisionConstraints.",
             [](Options& o, std::string const& value) {
                 o.build.layers.outputTypes = parseLayerOutputTypes("--layerOutputTypes", value);
             }},
            {"--layerDeviceTypes", "=LAYER:DEVICE,...", kWorks,
             "Devices of layers: GPU (the target), or DLA, which needs --allowGPUFallback.",
             [](Options& o, std::string const& value) {
                 o.build.layers.devices = parseLayerDevices("--layerDeviceTypes", value);
             }},
            {"--decomposableAttentions", "=NAMES", kWorks,
             "Attentions that may run as their parts; * means all. An attention that has no kernel "
             "of its own does so anyhow.",
             [](Options& o, std::string const& value) {
                 o.build.layers.decomposableAttentions =
                     parseNames("--decomposableAttentions", value);
             }},
            {"--directIO", "", kWorks,
             "No reordering of inputs and outputs: the build fails where a kernel needs another "
             "format than --inputIOFormats and --outputIOFormats name.",
             [](Options& o, std::string const&) { o.build.directIO = true; }},
            {"--distributiveIndependence", "", kRefused,
             "kernels of the cpu target do not promise it", nullptr},
            {"--restricted,--safe", "", kRefused, kNoSafety, nullptr},
            {"--consistency", "", kRefused, kNoSafety, nullptr},
            {"--buildDLAStandalone", "", kRefused, "Kiln does not support DLA", nullptr},
            {"--allowGPUFallback", "", kWorks,
             "Layers with the device DLA in --layerDeviceTypes run on the target.",
             [](Options& o, std::string const&) { o.build.gpuFallback = true; }},
        }};
}

} // namespace kiln::trtexec
