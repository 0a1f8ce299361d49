// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "options/option_table.h"

namespace kiln::trtexec {
namespace {

constexpr char const* kNoLayerTypes =
    "types of single layers cannot be set yet; a strongly typed model says them itself";
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
             "none, prefer or obey. No constraint can be violated: --layerPrecisions and "
             "--layerOutputTypes are refused.",
             [](Options&, std::string const& value) {
                 if (value != "none" && value != "prefer" && value != "obey") {
                     fail("[options] --precisionConstraints: expected none, prefer or obey, got "
                          "'{}'",
                          value);
                 }
             }},
            {"--sparsity", "=SPEC", kWorks,
             "disable or enable: the cpu target has no sparse kernels, so results and speed stay. "
             "force, which alters weights, is refused.",
             [](Options&, std::string const& value) {
                 if (value != "disable" && value != "enable") {
                     fail("[options] --sparsity: expected disable or enable, got '{}'", value);
                 }
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
            {"--layerPrecisions", "=SPEC", kRefused, kNoLayerTypes, nullptr},
            {"--layerOutputTypes", "=SPEC", kRefused, kNoLayerTypes, nullptr},
            {"--layerDeviceTypes", "=SPEC", kRefused, "Kiln does not support DLA", nullptr},
            {"--decomposableAttentions", "=NAMES", kRefused,
             "Kiln has no attention layer yet that it could take apart", nullptr},
            {"--directIO", "", kWorks,
             "No reordering of inputs and outputs: the build fails where a kernel needs another "
             "format than --inputIOFormats and --outputIOFormats name.",
             [](Options& o, std::string const&) { o.build.directIO = true; }},
            {"--distributiveIndependence", "", kRefused,
             "kernels of the cpu target do not promise it", nullptr},
            {"--restricted,--safe", "", kRefused, kNoSafety, nullptr},
            {"--consistency", "", kRefused, kNoSafety, nullptr},
            {"--buildDLAStandalone", "", kRefused, "Kiln does not support DLA", nullptr},
            {"--allowGPUFallback", "", kNote, "there is no DLA to fall back from", nullptr},
        }};
}

} // namespace kiln::trtexec
