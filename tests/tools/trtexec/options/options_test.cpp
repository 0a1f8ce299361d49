// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/options.h"

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::vector<std::string> const& arguments) {
    return failureText([&] { parseOptions(arguments); });
}

TEST(ParseOptions, HasTheDefaultsOfTheOriginal) {
    Options const options = parseOptions({"--onnx=m.onnx"});
    EXPECT_EQ(options.model.onnx, "m.onnx");
    EXPECT_EQ(options.inference.iterations, 10);
    EXPECT_EQ(options.inference.warmUpMs, 200);
    EXPECT_EQ(options.inference.durationS, 3);
    EXPECT_EQ(options.reporting.avgRuns, 10);
    EXPECT_THAT(options.reporting.percentiles, ElementsAre(90, 95, 99));
    EXPECT_FALSE(options.build.fp16);
    EXPECT_FALSE(options.build.skipInference);
}

TEST(ParseOptions, ReadsEveryOption) {
    Options const options = parseOptions({"--onnx=m.onnx",
                                          "--saveEngine=m.plan",
                                          "--minShapes=x:1",
                                          "--optShapes=x:2",
                                          "--maxShapes=x:3",
                                          "--shapes=x:2",
                                          "--fp16",
                                          "--memPoolSize=workspace:64",
                                          "--skipInference",
                                          "--iterations=5",
                                          "--warmUp=1.5",
                                          "--duration=0",
                                          "--idleTime=2",
                                          "--loadInputs=x:x.bin",
                                          "--noDataTransfers",
                                          "--dumpOutput",
                                          "--exportOutput=y.json",
                                          "--exportTimes=t.json",
                                          "--avgRuns=3",
                                          "--percentile=50,99.9",
                                          "--verbose",
                                          "--plugins=a.so",
                                          "--plugins=b.py",
                                          "--dynamicPlugins=c.so",
                                          "--staticPlugins=d.so",
                                          "--device=1"});
    EXPECT_EQ(options.build.saveEngine, "m.plan");
    EXPECT_EQ(options.build.profiles.at(0).min.at("x"), Extents{1});
    EXPECT_EQ(options.build.profiles.at(0).opt.at("x"), Extents{2});
    EXPECT_EQ(options.build.profiles.at(0).max.at("x"), Extents{3});
    EXPECT_EQ(options.inference.shapes.at("x"), Extents{2});
    EXPECT_TRUE(options.build.fp16);
    EXPECT_EQ(options.build.memoryPools.at(nvinfer1::MemoryPoolType::kWORKSPACE), size_t{64} << 20);
    EXPECT_TRUE(options.build.skipInference);
    EXPECT_EQ(options.inference.iterations, 5);
    EXPECT_EQ(options.inference.warmUpMs, 1.5);
    EXPECT_EQ(options.inference.durationS, 0);
    EXPECT_EQ(options.inference.idleMs, 2);
    EXPECT_EQ(options.inference.loadInputs.at("x"), "x.bin");
    EXPECT_THAT(options.notes, ElementsAre());
    EXPECT_TRUE(options.inference.noDataTransfers);
    EXPECT_THAT(options.cpuNotes, ElementsAre("--noDataTransfers has no effect on the cpu target: "
                                              "it has no copies to and from a device"));
    EXPECT_EQ(options.system.device, 1);
    EXPECT_TRUE(options.reporting.dumpOutput);
    EXPECT_EQ(options.reporting.exportOutput, "y.json");
    EXPECT_EQ(options.reporting.exportTimes, "t.json");
    EXPECT_EQ(options.reporting.avgRuns, 3);
    EXPECT_THAT(options.reporting.percentiles, ElementsAre(50, 99.9));
    EXPECT_TRUE(options.reporting.verbose);
    EXPECT_THAT(options.system.plugins, ElementsAre("a.so", "b.py", "c.so"));
    EXPECT_THAT(options.system.staticPlugins, ElementsAre("d.so"));
}

TEST(ParseOptions, ReadsStronglyTypedAndLoadEngine) {
    EXPECT_TRUE(parseOptions({"--onnx=m", "--stronglyTyped"}).build.stronglyTyped);
    EXPECT_EQ(parseOptions({"--loadEngine=m.plan"}).model.loadEngine, "m.plan");
}

TEST(ParseOptions, RunsAtTheOptimum) {
    Options const options =
        parseOptions({"--onnx=m", "--optShapes=x:2,y:3", "--maxShapes=z:5", "--shapes=y:4"});
    EXPECT_EQ(options.inference.shapes.at("x"), Extents{2});
    EXPECT_EQ(options.inference.shapes.at("y"), Extents{4});
    EXPECT_EQ(options.inference.shapes.at("z"), Extents{5});
}

TEST(ParseOptions, RefusesByNameWithTheReason) {
    EXPECT_EQ(refusal({"--onnx=m", "--useDLACore=1"}),
              "[options] --useDLACore is not supported: Kiln does not support DLA. Leave it out");
}

TEST(ParseOptions, TypesOfLayers) {
    using nvinfer1::DataType;
    LayerOptions const layers =
        parseOptions({"--onnx=m", "--precisionConstraints=obey",
                      "--layerPrecisions=/conv:1:fp16,'a b':bf16,*:fp32",
                      "--layerOutputTypes=split:fp32+fp16", "--layerDeviceTypes=conv:GPU",
                      "--decomposableAttentions=att,other"})
            .build.layers;
    EXPECT_EQ(layers.constraints, PrecisionConstraints::kObey);
    EXPECT_EQ(layers.precisions, (ByLayer<DataType>{{"/conv:1", DataType::kHALF},
                                                    {"a b", DataType::kBF16},
                                                    {"*", DataType::kFLOAT}}));
    EXPECT_EQ(layers.outputTypes.at("split"),
              (std::vector<DataType>{DataType::kFLOAT, DataType::kHALF}));
    EXPECT_EQ(layers.devices.at("conv"), nvinfer1::DeviceType::kGPU);
    EXPECT_EQ(layers.decomposableAttentions, (std::vector<std::string>{"att", "other"}));
    EXPECT_EQ(refusal({"--onnx=m", "--layerPrecisions=conv"}),
              "[options] --layerPrecisions: expected LAYER:VALUE, got 'conv'");
    EXPECT_EQ(refusal({"--onnx=m", "--layerPrecisions=conv:fp8"}),
              "[options] --layerPrecisions: expected one of fp32, fp16, bf16, int32, int8, got "
              "'fp8'");
}

TEST(ParseOptions, TypesOfQuantizedModels) {
    BuildOptions const build =
        parseOptions({"--onnx=m", "--int8", "--fp8", "--int4", "--fp4", "--calib=c", "--vc"}).build;
    EXPECT_TRUE(build.int8 && build.fp8 && build.int4 && build.fp4 && build.versionCompatible);
    EXPECT_EQ(build.calibrationCache, "c");
}

TEST(ParseOptions, BestAllowsAllTypesThatTheBuilderChooses) {
    Options const options = parseOptions({"--onnx=m", "--best", "--directIO"});
    EXPECT_TRUE(options.build.fp16 && options.build.bf16 && options.build.int8 &&
                options.build.directIO);
}

TEST(ParseOptions, RefusesUnknownOptionsWithNearNames) {
    EXPECT_EQ(refusal({"--onx=m"}), "[options] unknown option '--onx=m'. Near names: --onnx");
    EXPECT_THAT(refusal({"--onnx=m", "--shape=x:1"}), HasSubstr("Near names: --shapes"));
    EXPECT_EQ(refusal({"--onnx=m", "--zzzzzz"}),
              "[options] unknown option '--zzzzzz'. --help lists the options");
    EXPECT_THAT(refusal({"--onnx=m", "word"}), HasSubstr("unknown argument 'word'"));
}

TEST(ParseOptions, WantsOneModel) {
    EXPECT_EQ(refusal({}), "[options] expected a model, got none. Pass --onnx=FILE or "
                           "--loadEngine=FILE");
    EXPECT_THAT(refusal({"--onnx=m", "--loadEngine=p"}), HasSubstr("got both"));
}

TEST(ParseOptions, RefusesContradictions) {
    EXPECT_THAT(refusal({"--onnx=m", "--fp16", "--stronglyTyped"}), HasSubstr("Leave one out"));
    EXPECT_THAT(refusal({"--loadEngine=p", "--fp16"}), HasSubstr("opens a plan as it was built"));
    EXPECT_THAT(refusal({"--loadEngine=p", "--maxShapes=x:1"}), HasSubstr("as it was built"));
    EXPECT_THAT(refusal({"--loadEngine=p", "--timingCacheFile=c"}),
                HasSubstr("Leave out --timingCacheFile"));
    EXPECT_THAT(refusal({"--onnx=m", "--getPlanVersionOnly"}), HasSubstr("expected a plan"));
    EXPECT_THAT(refusal({"--onnx=m", "--noBuilderCache", "--timingCacheFile=c"}),
                HasSubstr("--noBuilderCache keeps no measurements"));
    EXPECT_THAT(refusal({"--onnx=m", "--minShapes=x:2", "--maxShapes=x:1"}),
                HasSubstr("expected min <= opt <= max"));
}

TEST(ParseOptions, NamesTheOptionOfABadValue) {
    EXPECT_THAT(refusal({"--onnx=m", "--iterations=0"}), HasSubstr("--iterations: expected"));
    EXPECT_THAT(refusal({"--onnx=m", "--device=-1"}), HasSubstr("--device: expected"));
    EXPECT_THAT(refusal({"--onnx"}), HasSubstr("--onnx"));
    EXPECT_EQ(refusal({"--onnx=a", "--onnx=b"}),
              "[options] --onnx: expected it once, got it twice. Leave one out");
}

TEST(HelpText, NamesEveryOption) {
    std::string const text = helpText();
    for (char const* name : {"--onnx=FILE",
                             "--saveEngine=FILE",
                             "--loadEngine=FILE",
                             "--plugins",
                             "--staticPlugins=",
                             "--minShapes=SHAPES",
                             "--optShapes=SHAPES",
                             "--maxShapes=SHAPES",
                             "--shapes=SHAPES",
                             "--fp16",
                             "--stronglyTyped",
                             "--iterations=N",
                             "--warmUp=MS",
                             "--duration=S",
                             "--loadInputs=",
                             "--dumpOutput",
                             "--exportOutput=FILE",
                             "--verbose",
                             "--help",
                             "--skipInference",
                             "--noDataTransfers"}) {
        EXPECT_THAT(text, HasSubstr(name));
    }
}

} // namespace
} // namespace kiln::trtexec
