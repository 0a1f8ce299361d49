// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "backend/kernel.h"
#include "graph/op.h"
#include "plugin/plugin_record.h"

namespace kiln::plan {

/// Part that a tensor plays. Values are part of the plan format.
enum class TensorRole : uint8_t {
    kInternal = 0, ///< lives in the context's arena at `offset`
    kInput = 1,    ///< bound by the user
    kOutput = 2,   ///< bound by the user
    kConstant = 3, ///< bytes in the weights section
    kValues = 4,   ///< on the host; its elements are the expressions `values`
};

struct TensorRecord {
    std::string name;
    TensorRole role = TensorRole::kInternal;
    backend::OperandType type;
    graph::ShapeExpr shape;  ///< references into Document::exprs
    uint64_t offset = 0;     ///< kInternal: bytes from the start of the arena, a multiple of 64
    int32_t inputIndex = -1; ///< kInput: the number that kInputExtent nodes name
    /// kConstant. Written: points to the compiler's bytes. Read: points into the plan, 64-byte
    /// aligned there, mapped and not copied.
    ByteView data;
    std::string origin;        ///< kConstant: layer and role of the weights, "conv1/kernel"
    graph::ShapeValues values; ///< kValues: references into Document::exprs, row-major
    /// kInternal: the tensor whose memory this one uses (an alias), a root itself; -1: its own.
    int32_t sharesWith = -1;
    bool shapeOutput = false; ///< kOutput: asked by value, in host memory on every target
    bool debug = false;       ///< reported to debug listeners
};

/// Extents that one input may have under one profile.
struct ProfileRange {
    int32_t tensor = 0; ///< index into Document::tensors
    Dims min{};
    Dims opt{};
    Dims max{};
};

/// Values that a shape input may have under one profile, element by element.
struct ValueRange {
    int32_t tensor = 0; ///< index into Document::tensors
    std::vector<int64_t> min;
    std::vector<int64_t> opt;
    std::vector<int64_t> max;
};

struct ProfileRecord {
    std::vector<ProfileRange> ranges;    ///< one for each dynamic input
    std::vector<ValueRange> values = {}; ///< one for each shape input, by value
};

/// One step of the engine, in order of execution: a kernel or a plugin.
struct StepRecord {
    std::string name;            ///< layer name, or the names of what was fused, joined by " + "
    std::vector<int32_t> inputs; ///< indices into Document::tensors
    std::vector<int32_t> outputs;
    uint64_t workspaceBytes = 0;
    uint64_t workspaceOffset = 0; ///< in the arena, as TensorRecord::offset
    int32_t plugin = -1;          ///< index into Document::plugins; -1: `kernel` counts
    /// Of a plugin whose state, tactic or code is not the same for all profiles: an index into
    /// Document::plugins for each profile, `plugin` for the first. Else empty.
    std::vector<int32_t> profilePlugins;
    /// Of a plugin: the types that its inputs, without shape inputs, have in the network. Its
    /// output types were asked for these; the tensors may have others that it takes.
    std::vector<DataType> declared;
    int32_t shapeInputs = 0; ///< of a plugin: the last inputs, in host memory on every target
    backend::KernelRecord kernel;
    std::vector<std::string> reasons; ///< refused candidates, for the inspector: "name: why"
    std::string metadata;             ///< of the layer, and what the plugin says of itself

    /// The plugin that works under a profile; -1: a kernel does.
    int32_t pluginFor(std::size_t profile) const {
        return profilePlugins.empty() ? plugin : profilePlugins.at(profile);
    }
    /// Each plugin that works under some profile, once; none for a kernel.
    std::set<int32_t> plugins() const;
};

/// A library of plugins that travels in the plan. It is host code: a runtime loads it only if it is
/// told to.
struct LibraryRecord {
    std::string name; ///< of the file, without folders; for messages
    ByteView data;    ///< written: the compiler's bytes. Read: points into the plan.
};

/// A Python module that registers plugins and travels in the plan as text. A runtime runs it only
/// if it is told to.
struct SourceRecord {
    std::string name;                      ///< of the module
    std::vector<plugin::PluginId> plugins; ///< what it registers
    ByteView text;                         ///< as LibraryRecord::data
};

/// More profiles than anyone selects from: opening a plan takes a look at all tensors for each.
inline constexpr std::size_t kMostProfiles = 256;

/// A plan as plain structs: what the compiler fills, the writer turns into bytes, and the reader
/// gives back after it has checked every index, offset and length.
struct Document {
    std::string name;         ///< of the network
    std::string target;       ///< "cpu", "cuda"
    std::string architecture; ///< what the kernels need, DeviceProperties::architecture
    std::string kilnVersion;  ///< read: version of the writer
    bool stronglyTyped = false;
    /// How much inspectors may tell.
    nvinfer1::ProfilingVerbosity verbosity = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    uint64_t arenaBytes = 0; ///< internal tensors and workspaces of one context
    std::vector<graph::ExprNode> exprs;
    std::vector<TensorRecord> tensors; ///< inputs and outputs first, in the network's order
    std::vector<ProfileRecord> profiles;
    std::vector<plugin::PluginRecord> plugins; ///< the manifest
    std::vector<StepRecord> steps;
    std::vector<LibraryRecord> libraries;
    std::vector<SourceRecord> sources;
};

/// The module that registers a plugin; null if none is carried.
SourceRecord const* sourceOf(Document const& document, plugin::PluginId const& id);

} // namespace kiln::plan
