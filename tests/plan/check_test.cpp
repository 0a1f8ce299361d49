// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans with correct hashes and contradictory contents: each must be refused with the message of
// its check.
#include "plan/check.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "plan/attack.h"
#include "plan/encode.h"
#include "plan/plan_fixture.h"
#include "plan/reader.h"

namespace kiln::plan::testing {
namespace {

using ::testing::HasSubstr;

template <typename Change>
std::string errorAfter(Change change) {
    Document document = richDocument();
    change(document);
    Bytes const plan = assemble(document);
    try {
        read(plan);
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kCorruptData);
        return error.what();
    }
    return "no error";
}

class PlanCheck : public ::testing::TestWithParam<Attack> {};

TEST_P(PlanCheck, Refuses) {
    EXPECT_THAT(errorAfter(GetParam().change), HasSubstr(GetParam().expected));
}

using graph::ExprOp;
using graph::realBits;

void add(Document& document, graph::ExprNode const& node) {
    document.exprs.push_back(node);
}

constexpr char const* kExpr = ": expected a known operation on inputs and earlier expressions";

Attack const kExprAttacks[] = {
    {"OwnOperand", [](Document& d) { d.exprs[4].b = 4; }, kExpr},
    {"LaterOperand", [](Document& d) { d.exprs[4].a = 7; }, kExpr},
    {"NegativeOperand", [](Document& d) { d.exprs[4].a = -1; }, kExpr},
    {"UnknownOp", [](Document& d) { d.exprs[4].op = graph::ExprOp{9}; }, kExpr},
    {"HighOp", [](Document& d) { d.exprs[4].op = graph::ExprOp{255}; }, kExpr},
    {"UnknownInput", [](Document& d) { d.exprs[2].a = 3; }, "[plan] expression 2: expected"},
    {"UnknownAxis", [](Document& d) { d.exprs[2].b = 3; }, "got operation 1 on 0 and 3"},
    {"NegativeAxis", [](Document& d) { d.exprs[2].b = -1; }, kExpr},
    {"HostValueBehindTheEnd", [](Document& d) { d.exprs[3].b = 3; }, kExpr},
    {"HostValueBeforeTheStart", [](Document& d) { d.exprs[3].b = -1; }, kExpr},
    {"HostValueOfADataTensor", [](Document& d) { d.exprs[3].a = 4; }, kExpr},
    {"SizeTensorBound", [](Document& d) { d.exprs[6].b = 6; }, kExpr},
    {"SizeTensorNumber", [](Document& d) { d.exprs[6].a = 100; }, kExpr},
    {"RealNotANumber", [](Document& d) { add(d, {ExprOp::kReal, 0, 0, realBits(std::nan(""))}); },
     kExpr},
    {"RealInfinite", [](Document& d) { add(d, {ExprOp::kReal, 0, 0, realBits(HUGE_VAL)}); }, kExpr},
    {"RealSumOfIntegers", [](Document& d) { add(d, {ExprOp::kRealSum, 0, 1, 0}); }, kExpr},
    {"SumOfReals",
     [](Document& d) {
         add(d, {ExprOp::kToReal, 0, 0, 0});
         add(d, {ExprOp::kSum, 0, 8, 0});
     },
     "[plan] expression 9: expected a known operation"},
    {"FloorOfAnInteger", [](Document& d) { add(d, {ExprOp::kFloor, 0, 0, 0}); }, kExpr},
    {"UnaryOfTwo", [](Document& d) { add(d, {ExprOp::kToReal, 0, 1, 0}); }, kExpr},
    {"RealExtent",
     [](Document& d) {
         add(d, {ExprOp::kToReal, 0, 0, 0});
         d.tensors[2].shape[1] = 8;
     },
     "expected the number of an integer expression below 9, got 8"},
};

Attack const kTensorAttacks[] = {
    {"ShapeBehindTheEnd", [](Document& d) { d.tensors[2].shape[1] = 8; },
     "[plan] tensor 'y', dimension 1: expected the number of an integer expression below 8, got 8"},
    {"ShapeNegative", [](Document& d) { d.tensors[2].shape[1] = -1; }, "below 8, got -1"},
    {"UnknownType", [](Document& d) { d.tensors[2].type.type = DataType{12}; },
     "expected a known role, type and format, got 2, 12 and 0"},
    {"UnknownFormat", [](Document& d) { d.tensors[2].type.format = TensorFormat{13}; },
     "expected a known role, type and format"},
    {"UnknownRole", [](Document& d) { d.tensors[7].role = TensorRole{5}; },
     "expected a known role, type and format, got 5"},
    {"NegativeExtent", [](Document& d) { d.exprs[1].value = -8; },
     "[plan] tensor 'x', dimension 2: expected an extent of 0 or more, got -8"},
    {"ConstantTooShort", [](Document& d) { d.tensors[5].data = d.tensors[5].data.first(8); },
     "[plan] constant 'b': expected 12 bytes for [3] elements of float32, got 8"},
    {"ConstantOfDynamicShape", [](Document& d) { d.tensors[5].shape[0] = 2; },
     "[plan] constant 'b': expected constant extents"},
    {"ConstantInOtherFormat", [](Document& d) { d.tensors[5].type.format = TensorFormat::kHWC; },
     "[plan] constant 'b': expected constant extents and a format that fits them, got [3] and hwc"},
    {"OrderOfItsOwnOfAnInput", [](Document& d) { d.tensors[0].type.tag = 5; },
     "[plan] tensor 'x': expected an order of elements of the target's own in constants and "
     "internal tensors only, got 5"},
    {"ConstantTooLargeToCount", [](Document& d) { d.exprs[0].value = int64_t{1} << 62; },
     "[plan] "},
    {"OffsetUnaligned", [](Document& d) { d.tensors[8].offset = 32; },
     "[plan] tensor 'conv': expected an aligned place in the arena of 4096 bytes"},
    {"OffsetBehindTheArena", [](Document& d) { d.tensors[7].offset = 4160; },
     "got 0 bytes at offset 4160"},
    {"TensorPassesTheArena", [](Document& d) { d.tensors[8].offset = 4032; },
     "got 96 bytes at offset 4032"},
    {"OffsetOverflows", [](Document& d) { d.tensors[8].offset = ~uint64_t{63}; },
     "got 96 bytes at offset 18446744073709551552"},
    {"OffsetOfAnInput", [](Document& d) { d.tensors[0].offset = 64; },
     "an offset in internal tensors"},
    {"NumberOfAnOutput", [](Document& d) { d.tensors[2].inputIndex = 0; },
     "an input number in inputs only"},
    {"SameInputNumber", [](Document& d) { d.tensors[1].inputIndex = 0; },
     "[plan] input 'sizes': expected an input number of its own below 2, got 0"},
    {"NegativeInputNumber", [](Document& d) { d.tensors[1].inputIndex = -1; }, "got -1"},
    {"InputNumberBehindTheInputs", [](Document& d) { d.tensors[1].inputIndex = 2; }, "got 2"},
    {"HugeInputNumber", [](Document& d) { d.tensors[1].inputIndex = 1 << 30; }, "got 1073741824"},
    {"SameName", [](Document& d) { d.tensors[2].name = "x"; },
     "[plan] input or output 'x': expected a name of its own"},
    {"NoName", [](Document& d) { d.tensors[2].name = ""; }, "expected a name of its own"},
    {"OutputBehindConstants",
     [](Document& d) {
         d.tensors[7].role = TensorRole::kOutput;
         d.tensors[7].offset = 0;
     },
     "a place before all other tensors"},
    {"ValuesOfFloat", [](Document& d) { d.tensors[10].type.type = DataType::kFLOAT; },
     "[plan] host tensor 'host': expected a value for each element of a linear int32, int64 or "
     "bool "
     "tensor, got 3"},
    {"TooFewValues", [](Document& d) { d.tensors[10].values.pop_back(); },
     "got 2 for [3] of int32"},
    {"ValueBehindTheTable", [](Document& d) { d.tensors[10].values[0] = 8; },
     "[plan] host tensor 'host': expected numbers of integer expressions below 8, got 8"},
    {"ValuesOfAnInput", [](Document& d) { d.tensors[0].values = {0}; },
     "values in host tensors only"},
    {"SharesWithItself", [](Document& d) { d.tensors[11].sharesWith = 11; },
     "[plan] tensor 'in place': expected to share the memory of an input, an output or an internal "
     "tensor with elements of equal size, which is linear if the shapes, types or beginnings "
     "differ, got tensor 11 from expression -1 on"},
    {"SharesWithAnother", [](Document& d) { d.tensors[11].sharesWith = 7; }, "got tensor 7"},
    {"SharesBehindTheEnd", [](Document& d) { d.tensors[11].sharesWith = 99; }, "got tensor 99"},
    {"SharesWithElementsOfAnotherSize",
     [](Document& d) { d.tensors[11].type.type = DataType::kHALF; }, "got tensor 8"},
    {"SharesWithAnUnknownType",
     [](Document& d) { d.tensors[11].type.type = static_cast<DataType>(99); }, "in place"},
    {"BeginsBehindTheTable", [](Document& d) { d.tensors[11].begin = 99; },
     "got tensor 8 from expression 99 on"},
    {"BeginsInItself", [](Document& d) { d.tensors[8].begin = 0; }, "shared memory in internal"},
    {"SharesWithAConstant", [](Document& d) { d.tensors[11].sharesWith = 3; }, "got tensor 3"},
};

Attack const kProfileAttacks[] = {
    {"NoProfile", [](Document& d) { d.profiles.clear(); },
     "[plan] expected a profile for 1 dynamic inputs and 1 shape inputs, got none"},
    {"NoValues", [](Document& d) { d.profiles[1].values.clear(); },
     "[plan] profile 1: expected values for each shape input, got none for 'sizes'"},
    {"TooFewValues", [](Document& d) { d.profiles[0].values[0].opt.pop_back(); },
     "[plan] profile 0, values of tensor 1: expected min <= opt <= max for each element"},
    {"ValuesOutOfOrder", [](Document& d) { d.profiles[0].values[0].min[1] = 5; },
     "expected min <= opt <= max for each element"},
    {"ValuesOfAnOutput", [](Document& d) { d.profiles[0].values[0].tensor = 2; },
     "values of tensor 2"},
    {"NoRange", [](Document& d) { d.profiles[1].ranges.clear(); },
     "[plan] profile 1: expected a range for each dynamic input, got none for 'x'"},
    {"TwoRanges", [](Document& d) { d.profiles[1].ranges[1] = d.profiles[1].ranges[0]; },
     "[plan] profile 1: expected one range for each input, got two for tensor 0"},
    {"RangeOfAnOutput", [](Document& d) { d.profiles[0].ranges[0].tensor = 2; },
     "[plan] profile 0: expected the number of an input tensor, got 2"},
    {"RangeBehindTheEnd", [](Document& d) { d.profiles[0].ranges[0].tensor = 9; },
     "input tensor, got 9"},
    {"RangeNegative", [](Document& d) { d.profiles[0].ranges[0].tensor = -1; },
     "input tensor, got -1"},
    {"MinAboveOpt", [](Document& d) { d.profiles[0].ranges[0].min.d[0] = 5; },
     "[plan] profile 0, input 'x': expected min <= opt <= max for shape [-1,3,8]"},
    {"OptAboveMax", [](Document& d) { d.profiles[0].ranges[0].opt.d[0] = 33; }, "min <= opt"},
    {"NegativeMin", [](Document& d) { d.profiles[0].ranges[0].min.d[0] = -1; }, "min <= opt"},
    {"OtherThanFixed", [](Document& d) { d.profiles[0].ranges[0].max.d[1] = 4; }, "min <= opt"},
    {"OtherRank", [](Document& d) { d.profiles[0].ranges[0].max.nbDims = 2; }, "min <= opt"},
    {"MaxTooLargeToCount", [](Document& d) { d.profiles[0].ranges[0].max.d[0] = INT64_MAX; },
     "min <= opt"},
};

Attack const kPluginAttacks[] = {
    {"UnknownStyle", [](Document& d) { d.plugins[0].style = plugin::PluginStyle{7}; },
     "[plan] plugin 'CircPadPlugin' of layer 'pad': expected a name, a known style"},
    {"FieldsInV2", [](Document& d) { d.plugins[0].fields = d.plugins[1].fields; },
     "its kind of state, got style 0, 22 bytes and 6 fields"},
    {"BlobInV3", [](Document& d) { d.plugins[1].blob = d.plugins[0].blob; },
     "its kind of state, got style 1"},
    {"NamelessPlugin", [](Document& d) { d.plugins[1].id.name = ""; }, "expected a name"},
    {"FieldLongerThanItsBytes", [](Document& d) { d.plugins[1].fields[0].length = 5; },
     "field 'pads': expected a known type and the bytes of its elements, got type 5, 5 elements"},
    {"FieldOfNegativeLength", [](Document& d) { d.plugins[1].fields[0].length = -1; },
     "field 'pads'"},
    {"FieldOfUnknownType", [](Document& d) { d.plugins[1].fields[0].type = 14; }, "got type 14"},
    {"FieldOfNegativeType", [](Document& d) { d.plugins[1].fields[0].type = -1; }, "got type -1"},
    {"NibblesLongerThanTheirBytes", [](Document& d) { d.plugins[1].fields[3].length = 5; },
     "field 'nibbles'"},
    {"UntypedLongerThanItsBytes", [](Document& d) { d.plugins[1].fields[4].length = 4; },
     "field 'raw'"},
};

plugin::AotKernel& kernelOf(Document& d) {
    return d.plugins[2].code[0].kernels[0];
}

constexpr char const* kKernel = "expected an entry point, known expressions and images with code";

Attack const kCodeAttacks[] = {
    {"CodeOfAPluginThatIsMade", [](Document& d) { d.plugins[1].code = d.plugins[2].code; },
     "expected code if it is compiled ahead of time, and none otherwise, got 2 variants"},
    {"NoCode", [](Document& d) { d.plugins[2].code.clear(); },
     "[plan] plugin 'fill' of layer 'fill': expected code if it is compiled"},
    {"NoKernels", [](Document& d) { d.plugins[2].code[1].kernels.clear(); },
     "expected a target and its kernels, got 'cpu' with 0 kernels"},
    {"NoTarget", [](Document& d) { d.plugins[2].code[1].target.clear(); },
     "expected a target and its kernels, got ''"},
    {"NoEntry", [](Document& d) { kernelOf(d).entry.clear(); }, kKernel},
    {"EntryWithAZero", [](Document& d) { kernelOf(d).entry = std::string("a\0b", 3); },
     "[plan] plugin 'fill' of layer 'fill', kernel 'a"},
    {"GridBehindTheEnd", [](Document& d) { kernelOf(d).grid[1] = 8; }, kKernel},
    {"BlockNegative", [](Document& d) { kernelOf(d).block[2] = -1; }, kKernel},
    {"SharedBehindTheEnd", [](Document& d) { kernelOf(d).sharedBytes = 99; }, kKernel},
    {"ScalarBehindTheEnd", [](Document& d) { kernelOf(d).scalars[0].value = 8; }, kKernel},
    {"ScalarOfUnknownType", [](Document& d) { kernelOf(d).scalars[1].type = ScalarType{6}; },
     kKernel},
    {"ManyNullPointers", [](Document& d) { kernelOf(d).nullPointers = 9; }, kKernel},
    {"NoImages", [](Document& d) { kernelOf(d).images.clear(); }, kKernel},
    {"EmptyImage", [](Document& d) { kernelOf(d).images[0].bytes.clear(); }, kKernel},
    {"ImageOfUnknownKind", [](Document& d) { kernelOf(d).images[0].kind = CodeKind{3}; }, kKernel},
};

Attack const kLibraryAttacks[] = {
    {"NamelessLibrary", [](Document& d) { d.libraries[0].name = ""; },
     "[plan] plugin library '': expected a file name without folders and its bytes, got 70 bytes"},
    {"LibraryInAFolder", [](Document& d) { d.libraries[1].name = "../libscale.so"; },
     "[plan] plugin library '../libscale.so': expected a file name without folders"},
    {"NamelessSource", [](Document& d) { d.sources[0].name = ""; },
     "[plan] Python source '': expected the name of a module, its text and a plugin or more, got "
     "30 "
     "bytes and 2 plugins"},
    {"SourceInAFolder", [](Document& d) { d.sources[0].name = "../pads"; },
     "[plan] Python source '../pads': expected the name of a module"},
    {"SourceWithADigit", [](Document& d) { d.sources[0].name = "2d"; },
     "[plan] Python source '2d': expected the name of a module"},
    {"EmptySource", [](Document& d) { d.sources[0].text = {}; },
     "[plan] Python source 'pads': expected the name of a module, its text and a plugin or more, "
     "got 0 bytes and 2 plugins"},
    {"SourceOfNothing", [](Document& d) { d.sources[0].plugins.clear(); },
     "[plan] Python source 'pads': expected the name of a module, its text and a plugin or more, "
     "got 30 bytes and 0 plugins"},
    {"TwoSources", [](Document& d) { d.sources.push_back(d.sources[0]); },
     "[plan] Python source 'pads': expected each name once"},
    {"EmptyLibrary", [](Document& d) { d.libraries[1].data = {}; },
     "[plan] plugin library 'libscale.so': expected a file name without folders and its bytes, "
     "got 0 bytes"},
};

constexpr char const* kReads = "expected to read inputs, constants and outputs of earlier steps";
constexpr char const* kByProfile = "expected the number of a plugin of one name and style";
constexpr char const* kDeclared = "expected a known type for each input of a plugin";
constexpr char const* kWrites = "expected to write tensors that no other step writes";

Attack const kStepAttacks[] = {
    {"ReadsBehindTheEnd", [](Document& d) { d.steps[1].inputs[0] = 9; }, kReads},
    {"ReadsNegative", [](Document& d) { d.steps[1].inputs[0] = -2; }, kReads},
    {"PluginReadsAbsent", [](Document& d) { d.steps[0].inputs[0] = kAbsent; }, kReads},
    {"ReadsBeforeItIsWritten", [](Document& d) { d.steps[0].inputs[0] = 8; }, kReads},
    {"ReadsItsOwnOutput", [](Document& d) { d.steps[0].inputs[0] = 7; }, kReads},
    {"WritesBehindTheEnd", [](Document& d) { d.steps[1].outputs[0] = 99; }, kWrites},
    {"WritesNegative", [](Document& d) { d.steps[1].outputs[0] = -1; }, kWrites},
    {"WritesAConstant", [](Document& d) { d.steps[1].outputs[0] = 3; }, kWrites},
    {"WritesAnInput", [](Document& d) { d.steps[1].outputs[0] = 0; }, kWrites},
    {"WritesTwice", [](Document& d) { d.steps[1].outputs[0] = 7; }, kWrites},
    {"PluginReadsAPackedConstant", [](Document& d) { d.steps[2].inputs[0] = 4; },
     "[plan] step 'scale': expected 'w again' in a public format, got order 17 of the target's "
     "own"},
    {"WritesNothing", [](Document& d) { d.steps[1].outputs.clear(); },
     "[plan] step 'conv + relu': expected 1 or more outputs, got 0"},
    {"LeavesAnOutputUnwritten", [](Document& d) { d.steps.pop_back(); },
     "[plan] tensor 'y': expected a step that writes it, got none"},
    {"PluginBehindTheEnd", [](Document& d) { d.steps[0].plugin = 4; },
     "expected a plugin number below 4, or -1 for a kernel, got 4"},
    {"PluginsOfTooFewProfiles", [](Document& d) { d.steps[2].profilePlugins.pop_back(); },
     "for each of 2 profiles, or none, got 1 numbers"},
    {"PluginsOfAKernel", [](Document& d) { d.steps[1].profilePlugins = {1, 1}; }, kByProfile},
    {"PluginOfAProfileBehindTheEnd", [](Document& d) { d.steps[2].profilePlugins[1] = 4; },
     kByProfile},
    {"PluginOfAProfileNegative", [](Document& d) { d.steps[2].profilePlugins[1] = -1; },
     kByProfile},
    {"PluginOfAProfileIsAnother", [](Document& d) { d.steps[2].profilePlugins[1] = 0; },
     kByProfile},
    {"PluginOfTheFirstProfileIsAnother", [](Document& d) { d.steps[2].profilePlugins[0] = 3; },
     kByProfile},
    {"PluginOfTwoSteps",
     [](Document& d) {
         d.steps[0] = d.steps[2];
         d.steps[0].inputs = {0, 1, 1};
         d.steps[0].outputs = {7};
         d.steps[2].outputs = {2, 9, 11};
     },
     "expected a plugin that no other step uses, got number 1"},
    {"TooFewDeclaredTypes", [](Document& d) { d.steps[2].declared.pop_back(); }, kDeclared},
    {"DeclaredTypesOfAKernel", [](Document& d) { d.steps[1].declared = {DataType::kFLOAT}; },
     kDeclared},
    {"DeclaredTypeUnknown",
     [](Document& d) { d.steps[0].declared[0] = static_cast<DataType>(200); }, kDeclared},
    {"PluginNegative", [](Document& d) { d.steps[0].plugin = -2; }, "got -2"},
    {"ShapeInputsOfAKernel", [](Document& d) { d.steps[1].shapeInputs = 1; },
     "expected at most as many shape inputs as the plugin has inputs, got 1"},
    {"ShapeInputsBehindTheEnd", [](Document& d) { d.steps[0].shapeInputs = 9; }, "got 9"},
    {"ShapeInputsNegative", [](Document& d) { d.steps[0].shapeInputs = -1; }, "got -1"},
    {"NoKernel", [](Document& d) { d.steps[1].kernel.kernel = ""; },
     "expected the name of a kernel, got none"},
    {"CandidateWithoutName", [](Document& d) { d.steps[1].candidates[0].kernel = ""; },
     "expected at most 64 candidates, each with a name"},
    {"CandidateOfNoTime",
     [](Document& d) {
         d.steps[1].candidates[1].seconds = std::numeric_limits<double>::quiet_NaN();
     },
     "a finite time of 0 or more"},
    {"CandidateBeforeItsStart", [](Document& d) { d.steps[1].candidates[1].seconds = -1.0; },
     "a finite time of 0 or more"},
    {"CandidateThatTellsTooMuch",
     [](Document& d) { d.steps[1].candidates[0].refusal = std::string(501, 'x'); },
     "a refusal of at most 500 bytes"},
    {"TooManyCandidates",
     [](Document& d) { d.steps[1].candidates.resize(65, {"k", 0.0, false, {}}); },
     "got 65 candidates"},
    {"WorkspaceUnaligned", [](Document& d) { d.steps[1].workspaceOffset = 3073; },
     "expected an aligned workspace in the arena of 4096 bytes, got 1000 bytes at offset 3073"},
    {"WorkspacePassesTheArena", [](Document& d) { d.steps[1].workspaceBytes = 1025; },
     "got 1025 bytes at offset 3072"},
    {"WorkspaceOverflows", [](Document& d) { d.steps[1].workspaceBytes = ~uint64_t{0}; },
     "got 18446744073709551615 bytes"},
    {"WorkspaceOfAProfileTooLarge", [](Document& d) { d.steps[1].profileWorkspaces[1] = 1001; },
     "expected the bytes of a workspace for each of 2 profiles, at most 1000, got 2 numbers"},
    {"WorkspaceOfAProfileMissing", [](Document& d) { d.steps[1].profileWorkspaces.pop_back(); },
     "at most 1000, got 1 numbers"},
    {"ArenaTooSmall", [](Document& d) { d.arenaBytes = 64; }, "in the arena of 64 bytes"},
};

INSTANTIATE_TEST_SUITE_P(Exprs, PlanCheck, ::testing::ValuesIn(kExprAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Tensors, PlanCheck, ::testing::ValuesIn(kTensorAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Profiles, PlanCheck, ::testing::ValuesIn(kProfileAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Plugins, PlanCheck, ::testing::ValuesIn(kPluginAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Code, PlanCheck, ::testing::ValuesIn(kCodeAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Libraries, PlanCheck, ::testing::ValuesIn(kLibraryAttacks), kNameOf);
INSTANTIATE_TEST_SUITE_P(Steps, PlanCheck, ::testing::ValuesIn(kStepAttacks), kNameOf);

} // namespace
} // namespace kiln::plan::testing
