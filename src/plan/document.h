// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <NvInferRuntime.h>

#include "base/ids.h"
#include "graph/op.h"
#include "kiln/api/builder/hardware_compatibility_level.h"
#include "plugin/plugin_record.h"
#include "target/kernel.h"
#include "target/layout.h"
#include "target/recipe.h"

namespace kiln::plan {

using TensorId = NumberId<struct TensorTag>;    ///< of Document::tensors
using WeightId = NumberId<struct WeightTag>;    ///< of Document::weights
using PluginIndex = NumberId<struct PluginTag>; ///< of Document::plugins

/// Role of a tensor. Values are part of the plan format.
enum class TensorRole : uint8_t {
    kInternal = 0, ///< in the context's arena at `offset`
    kInput = 1,    ///< bound by the user
    kOutput = 2,   ///< bound by the user
    kConstant = 3, ///< bytes in the weights section
    kValues = 4,   ///< on the host; its elements are given by the expressions `values`
};

/// The order that a kernel wants for the elements of a constant, which are packed when the plan is
/// written.
struct Packing {
    std::size_t bytes = 0; ///< of the result
    /// Equal for packings that give equal bytes for equal elements.
    std::string key;
    std::function<Bytes(ByteView elements)> pack;
};

/// Kernels may load vectors of this many bytes from the beginning of any tensor.
inline constexpr std::size_t kViewAlignment = 64;

struct TensorRecord {
    std::string name;
    TensorRole role = TensorRole::kInternal;
    target::OperandType type;
    std::optional<target::Layout> layout; ///< kInternal: of a type with a tag
    graph::ShapeExpr shape;               ///< references into Document::exprs
    uint64_t offset = 0;     ///< kInternal: bytes from the start of the arena, a multiple of 64
    int32_t inputIndex = -1; ///< kInput: the input number in expressions
    /// kConstant. When writing: bytes of the caller. When reading: points into the mapped plan, at
    /// an offset that is a multiple of 64.
    ByteView data;
    /// kConstant, when writing: in place of `data`. Computed while the plan is written, one
    /// constant at a time.
    target::RecipePtr recipe;
    std::shared_ptr<Packing const> packing; ///< with a recipe: what is done to its elements
    /// kConstant: layer and role of the weights, "conv1/kernel"; of several, joined by
    /// kOriginSeparator.
    std::string origin;
    bool folded = false; ///< kConstant: computed from those weights
    /// kConstant of a refittable plan without `data`, recipe and packing: the bytes that the plan
    /// omits.
    uint64_t strippedBytes = 0;
    /// kConstant of a refittable plan: what is computed before the constant is packed; none: it
    /// depends on no weights of the network.
    WeightId weight;
    graph::ShapeValues values; ///< kValues: references into Document::exprs, row-major
    /// kInternal: the tensor whose memory this one uses, which uses its own; none: own memory. If
    /// no step writes this tensor, it is a view, possibly with another shape.
    TensorId sharesWith;
    /// A view: reference into Document::exprs, the elements of that memory before its first one,
    /// together a multiple of kViewAlignment bytes. -1: none, a view of the beginning.
    int32_t begin = -1;
    bool shapeOutput = false; ///< kOutput: a shape tensor, in host memory on every target
    bool debug = false;       ///< reported to debug listeners
    bool unfused = false;     ///< the same, because it was not fused away
    bool isShown() const noexcept { return debug || unfused; }

    /// kConstant: bytes in the weights section.
    std::size_t constantBytes() const {
        return packing != nullptr  ? packing->bytes
               : recipe != nullptr ? recipe->bytes()
               : !data.empty()     ? data.size()
                                   : strippedBytes;
    }
    /// kConstant: whether its elements are not there.
    bool isStripped() const {
        return strippedBytes > 0 && data.empty() && recipe == nullptr && packing == nullptr;
    }
    /// The name of its format or layout.
    std::string_view formatName() const {
        return layout ? std::string_view(layout->name) : nameOf(type.format);
    }
    /// Bytes at these extents, except of packed constants. Throws kInvalidArgument.
    std::size_t bytesAt(Dims const& dims) const {
        return layout ? target::bytesIn({&*layout, 1}, type, dims, name)
                      : storageBytes(type.type, type.format, dims, name);
    }
};

inline constexpr std::string_view kOriginSeparator = " + ";

/// An operand of an operation on weights: their elements, with these extents.
struct WeightOperand {
    WeightId weight = 0; ///< before the reader
    Dims dims{};
};

/// A recipe in a plan: how constants are computed when weights of the network change. A source, or
/// an operation of graph/ops on weights before it.
struct WeightRecord {
    std::string name; ///< of a source: layer and role, "conv1/kernel"; empty: made by Kiln
    target::OperandType type;
    uint64_t sourceBytes = 0; ///< of a source
    /// Of a source: its elements, or empty if no constant is computed with it beside others.
    ByteView data;
    std::shared_ptr<Bytes const> owner; ///< when writing: what `data` points into, or null
    std::string op;                     ///< of an operation: Op::kind(); empty: a source
    Bytes parameters;                   ///< of an operation: Op::save()
    std::vector<WeightOperand> operands;
    Dims dims{};       ///< of the result of an operation
    std::string label; ///< of a source: the name that the network gave it; empty: none
};

/// Weights of the network that cannot change in a refittable plan, because the compiler used their
/// elements: new elements must be equal.
struct FixedWeights {
    std::string name;  ///< layer and role
    std::string label; ///< the name that the network gave them; empty: none
    DataType type = DataType::kFLOAT;
    uint64_t bytes = 0;
    uint64_t hash = 0; ///< hashBytes() of the elements

    bool operator==(FixedWeights const&) const = default;
};

/// Allowed extents of one input in one profile.
struct ProfileRange {
    TensorId tensor = 0;
    Dims min{};
    Dims opt{};
    Dims max{};
};

/// Allowed values of one shape input in one profile, element by element.
struct ValueRange {
    TensorId tensor = 0;
    std::vector<int64_t> min;
    std::vector<int64_t> opt;
    std::vector<int64_t> max;
};

struct ProfileRecord {
    std::vector<ProfileRange> ranges;    ///< one for each dynamic input
    std::vector<ValueRange> values = {}; ///< one for each shape input
};

/// In the inputs of a kernel's step: an operand that is not there.
inline constexpr TensorId kAbsent = -1;

/// Kinds of control steps. Values are part of the plan format.
enum class ControlKind : uint8_t {
    kRepeat = 0,  ///< runs one body `value` times; carried values go from pass to pass
    kBranch = 1,  ///< runs the first of two bodies if `value` is not 0, else the second
    kRequire = 2, ///< has no body; the run fails with `message` if `value` or an element is 0
};

/// Steps that a control step runs. They stand behind it in Document::steps, so nothing that goes
/// through all steps (kernels, operands, plugins) needs to know of bodies.
struct Body {
    int32_t steps = 0; ///< number of steps, those of nested bodies included
    /// The only tensors of the parent that the body reads, beside constants and host tensors. A
    /// repeated body also reads its carried values here: they are the outputs of the control step.
    std::vector<TensorId> inputs;
    /// By output of the control step: the tensor that is copied to it at the end of each pass.
    std::vector<TensorId> outputs;
    /// Of a loop that tests each pass: the scalar that `testedAfter` steps of the body compute. A
    /// pass ends there, and with it the loop, if it is 0. None: no test.
    TensorId condition = {};
    int32_t testedAfter = 0;
};

/// An extent of a result of a branch, or of a stack of a loop, that only the run knows: the host
/// notes that of the body that ran, or of the first pass (0 without one), as the value of a size
/// tensor, which no one else writes. All passes must have the same.
struct FoundExtent {
    TensorId size = 0;
    int32_t output = 0; ///< of the control step
    int32_t axis = 0;
};

/// What makes a step a control step. Its outputs are internal or network outputs. The outputs of a
/// loop are the carried values, then stacks of the values of all passes along axis 0. Its inputs
/// are the initial values, then tensors of which the passes take slices along axis 0.
struct ControlRecord {
    ControlKind kind = ControlKind::kRepeat;
    /// Number of passes, or condition: known when the step starts; -1: `decider`.
    graph::ExprRef value = 0;
    std::vector<Body> bodies;
    /// With value -1: an input of the step, a tensor of integers or truth values which the host
    /// reads when the step starts. A scalar, but for kRequire.
    TensorId decider = {};
    int32_t carried = 0;                   ///< of a loop: number of carried values
    std::vector<TensorId> slices = {};     ///< of a loop: internal tensors, which the body reads
    int32_t backward = 0;                  ///< so many of the last slices begin at the last pass
    int32_t reversed = 0;                  ///< so many of the last outputs are stacked from the end
    std::string message = {};              ///< of kRequire
    std::vector<FoundExtent> extents = {}; ///< of a loop or a branch

    /// Number of steps in all bodies.
    std::size_t steps() const noexcept;
    /// "Repeat", "Branch", "Require".
    std::string kindName() const;
    /// Whether the host reads a decision from memory of the device.
    bool waits() const noexcept;
};

/// Bodies may lie in bodies, this deep.
inline constexpr std::size_t kMostNestedBodies = 16;

/// A kernel that the build considered for a step, for reports.
struct CandidateRecord {
    std::string kernel;
    double seconds = 0.0; ///< 0: not known
    bool timed = false;   ///< measured, else estimated
    std::string refusal;  ///< why it was refused; empty: it works
};

/// A step has at most this many, and their refusals at most so many bytes each.
inline constexpr std::size_t kMostCandidates = 64;
inline constexpr std::size_t kMostRefusalBytes = 500;

/// A kernel that runs a step in other profiles than the first, because it is faster there.
struct OtherKernel {
    target::KernelRecord kernel; ///< of the same operation as that of the step
    /// Those of the step, but for constants that this kernel has in another order.
    std::vector<TensorId> inputs;
};

/// One step of the engine, in order of execution: a kernel, a plugin or a control step.
struct StepRecord {
    std::string name;             ///< layer name, or the names of fused layers joined by " + "
    std::vector<TensorId> inputs; ///< or kAbsent
    std::vector<TensorId> outputs;
    uint64_t workspaceBytes = 0;
    uint64_t workspaceOffset = 0; ///< in the arena, like TensorRecord::offset
    /// By profile: bytes that suffice there, at most workspaceBytes. Empty: that in all profiles.
    std::vector<uint64_t> profileWorkspaces;
    PluginIndex plugin; ///< none: uses `kernel`
    /// For a plugin whose state, tactic or code differs between profiles: its plugin for each
    /// profile, the first equal to `plugin`. Else empty.
    std::vector<PluginIndex> profilePlugins;
    /// For a plugin: the types of its inputs in the network, without shape inputs. Its output types
    /// were computed from these; the tensors may have other types that it supports.
    std::vector<DataType> declared;
    int32_t shapeInputs = 0;     ///< plugin: number of last inputs, in host memory on every target
    target::KernelRecord kernel; ///< if the step has neither plugin nor control
    std::vector<OtherKernel> otherKernels;
    /// With other kernels, by profile: 0 for `kernel`, n for otherKernels[n - 1]; 0 for the first
    /// profile. Else empty.
    std::vector<int32_t> profileKernels;
    std::optional<ControlRecord> control; ///< `plugin` is none then
    std::vector<std::string> reasons;     ///< rejected candidates, for the inspector: "name: why"
    /// Patterns that made the step, and the layers that they replaced: "fold_scale: bn1".
    std::vector<std::string> rewrites;
    /// With detailed verbosity: what was considered for the first profile.
    std::vector<CandidateRecord> candidates;
    std::string metadata; ///< of the layer and of the plugin

    /// The plugin that runs in a profile; none for a kernel.
    PluginIndex pluginFor(std::size_t profile) const {
        return profilePlugins.empty() ? plugin : profilePlugins.at(profile);
    }
    uint64_t workspaceFor(std::size_t profile) const {
        return profileWorkspaces.empty() ? workspaceBytes : profileWorkspaces.at(profile);
    }
    /// The plugins of all profiles, each once; empty for a kernel.
    std::set<PluginIndex> plugins() const;
    /// The number of the kernel that runs in a profile, 0 for `kernel`.
    std::size_t kernelFor(std::size_t profile) const {
        return profileKernels.empty() ? 0 : static_cast<std::size_t>(profileKernels.at(profile));
    }
    std::size_t kernelCount() const noexcept { return 1 + otherKernels.size(); }
    target::KernelRecord const& kernelAt(std::size_t number) const {
        return number == 0 ? kernel : otherKernels.at(number - 1).kernel;
    }
    std::vector<TensorId> const& inputsAt(std::size_t number) const {
        return number == 0 ? inputs : otherKernels.at(number - 1).inputs;
    }
    bool isKernel() const noexcept { return plugin.isNone() && !control.has_value(); }
};

/// A plugin library inside the plan. It is host code: a runtime loads it only if allowed.
struct LibraryRecord {
    std::string name; ///< file name without folders, for messages
    ByteView data;    ///< when writing: the compiler's bytes; when reading: points into the plan
};

/// Source text of a Python module that registers plugins. A runtime runs it only if allowed.
struct SourceRecord {
    std::string name;                      ///< of the module
    std::vector<plugin::PluginId> plugins; ///< the plugins that it registers
    ByteView text;                         ///< like LibraryRecord::data
};

/// Limit of profiles, because opening a plan checks all tensors for each profile.
inline constexpr std::size_t kMostProfiles = 256;

/// A plan as plain structs. The compiler fills it and the writer serializes it. The reader returns
/// it after it has checked every index, offset and length.
struct Document {
    std::string name;         ///< of the network
    std::string target;       ///< "cpu", "cuda"
    std::string architecture; ///< required by the kernels, as in DeviceProperties::architecture
    std::string kilnVersion;  ///< when reading: version of the writer
    bool stronglyTyped = false;
    bool versionCompatible = false; ///< later versions of Kiln open the plan
    /// How much detail engine inspectors may show.
    nvinfer1::ProfilingVerbosity verbosity = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    uint64_t arenaBytes = 0; ///< internal tensors and workspaces of one context
    std::vector<graph::ExprNode> exprs;
    Table<TensorId, TensorRecord> tensors; ///< inputs and outputs first, in the network's order
    std::vector<ProfileRecord> profiles;
    Table<PluginIndex, plugin::PluginRecord> plugins; ///< all plugins that the plan needs
    std::vector<StepRecord> steps;
    std::vector<LibraryRecord> libraries;
    std::vector<SourceRecord> sources;
    bool refittable = false; ///< weights of the network can change: `weights` are there
    Table<WeightId, WeightRecord> weights; ///< operands before their readers
    std::vector<FixedWeights> fixedWeights;
    bool weightStreaming = false; ///< an engine may keep weights in host memory
    /// Which other GPUs the plan was built for.
    nvinfer1::HardwareCompatibilityLevel compatibility =
        nvinfer1::HardwareCompatibilityLevel::kNONE;
};

/// What is known of weights of the network by layer and role, beside their recipes.
struct WeightNames {
    std::map<std::string, std::string, std::less<>> labels; ///< names that the network gave
    std::set<std::string, std::less<>> fixed;               ///< those that cannot change
};

/// Makes a document refittable before it is written: adds the recipes of its constants, with the
/// elements of the sources that constants are computed with beside others.
void addWeights(Document& document, WeightNames const& names = {});

/// Removes the elements of all constants and sources that depend on weights which can change: the
/// plan needs these weights before it runs.
void stripWeights(Document& document);

/// The role of the memory that a tensor uses: its own role, or that of the tensor it shares with.
TensorRole memoryRole(Document const& document, TensorId tensor);

/// The Python source in the plan that registers a plugin; null if there is none.
SourceRecord const* sourceOf(Document const& document, plugin::PluginId const& id);

} // namespace kiln::plan
