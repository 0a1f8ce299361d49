// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/encode.h"
#include "plan/encode_values.h"

namespace kiln::plan {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

auto encodeExprs(FlatBufferBuilder& builder, std::vector<graph::ExprNode> const& nodes) {
    std::vector<fb::Expr> exprs;
    exprs.reserve(nodes.size());
    for (graph::ExprNode const& node : nodes) {
        exprs.emplace_back(node.value, node.a, node.b, static_cast<uint8_t>(node.op));
    }
    return builder.CreateVectorOfStructs(exprs);
}

auto encodeBytes(FlatBufferBuilder& builder, Bytes const& bytes) {
    return builder.CreateVector(reinterpret_cast<uint8_t const*>(bytes.data()), bytes.size());
}

auto encodeExtents(FlatBufferBuilder& builder, Dims const& dims) {
    return builder.CreateVector(dims.d, static_cast<std::size_t>(dims.nbDims));
}

Offset<fb::Layout> encodeLayout(FlatBufferBuilder& builder,
                                std::optional<target::Layout> const& layout) {
    if (!layout.has_value()) {
        return 0;
    }
    auto const name = builder.CreateString(layout->name);
    return fb::CreateLayout(builder, name, layout->traits.channelsFromEnd,
                            layout->traits.channelsLast, layout->traits.vector);
}

Offset<fb::Tensor> encodeTensor(FlatBufferBuilder& builder, TensorRecord const& tensor,
                                uint64_t weightOffset) {
    bool const constant = tensor.role == TensorRole::kConstant;
    auto const name = builder.CreateString(tensor.name);
    auto const origin = builder.CreateString(tensor.origin);
    auto const shape = builder.CreateVector(tensor.shape.extent.data(),
                                            static_cast<std::size_t>(tensor.shape.rank));
    auto const values = builder.CreateVector(tensor.values);
    auto const layout = encodeLayout(builder, tensor.layout);
    return fb::CreateTensor(
        builder, name, static_cast<uint8_t>(tensor.role), static_cast<uint8_t>(tensor.type.type),
        static_cast<uint8_t>(tensor.type.format), shape, constant ? weightOffset : tensor.offset,
        tensor.constantBytes(), tensor.inputIndex, origin, values, tensor.sharesWith.number(),
        tensor.debug, tensor.shapeOutput, tensor.type.tag, tensor.begin, layout, tensor.folded,
        tensor.weight.number(), tensor.isStripped(), tensor.unfused);
}

Offset<fb::Profile> encodeProfile(FlatBufferBuilder& builder, ProfileRecord const& profile) {
    auto const ranges = encodeAll(builder, profile.ranges, [&](ProfileRange const& range) {
        auto const min = encodeExtents(builder, range.min);
        auto const opt = encodeExtents(builder, range.opt);
        auto const max = encodeExtents(builder, range.max);
        return fb::CreateRange(builder, range.tensor.number(), min, opt, max);
    });
    auto const values = encodeAll(builder, profile.values, [&](ValueRange const& range) {
        auto const min = builder.CreateVector(range.min);
        auto const opt = builder.CreateVector(range.opt);
        auto const max = builder.CreateVector(range.max);
        return fb::CreateValues(builder, range.tensor.number(), min, opt, max);
    });
    return fb::CreateProfile(builder, ranges, values);
}

Offset<fb::Plugin> encodePlugin(FlatBufferBuilder& builder, plugin::PluginRecord const& record) {
    auto const fields = encodeAll(builder, record.fields, [&](plugin::FieldValue const& field) {
        auto const name = builder.CreateString(field.name);
        return fb::CreateField(builder, name, field.type, field.length, field.data.size());
    });
    auto const name = builder.CreateString(record.id.name);
    auto const version = builder.CreateString(record.id.version);
    auto const space = builder.CreateString(record.id.space);
    auto const layer = builder.CreateString(record.layer);
    auto const code = encodeCode(builder, record.code);
    return fb::CreatePlugin(builder, static_cast<uint8_t>(record.style), name, version, space,
                            record.needsPython, layer, record.tactic, record.blob.size(), fields,
                            code);
}

Offset<fb::Kernel> encodeKernel(FlatBufferBuilder& builder, target::KernelRecord const& kernel) {
    auto const name = builder.CreateString(kernel.kernel);
    auto const op = builder.CreateString(kernel.op);
    auto const parameters = encodeBytes(builder, kernel.parameters);
    return fb::CreateKernel(builder, name, op, parameters, kernel.code.size());
}

Offset<fb::Control> encodeControl(FlatBufferBuilder& builder, ControlRecord const& control) {
    auto const bodies = encodeAll(builder, control.bodies, [&](Body const& body) {
        auto const inputs = encodeIds(builder, body.inputs);
        auto const outputs = encodeIds(builder, body.outputs);
        return fb::CreateBody(builder, body.steps, inputs, outputs, body.condition.number(),
                              body.testedAfter);
    });
    auto const slices = encodeIds(builder, control.slices);
    std::vector<int32_t> extents;
    for (FoundExtent const& extent : control.extents) {
        extents.insert(extents.end(), {extent.size.number(), extent.output, extent.axis});
    }
    auto const found = builder.CreateVector(extents);
    Offset<flatbuffers::String> message;
    if (!control.message.empty()) {
        message = builder.CreateString(control.message);
    }
    return fb::CreateControl(builder, static_cast<uint8_t>(control.kind), control.value, bodies,
                             control.decider.number(), control.carried, slices, control.backward,
                             control.reversed, message, found);
}

auto encodeCandidates(FlatBufferBuilder& builder, std::vector<CandidateRecord> const& candidates) {
    return encodeAll(builder, candidates, [&](CandidateRecord const& candidate) {
        auto const kernel = builder.CreateString(candidate.kernel);
        Offset<flatbuffers::String> refusal;
        if (!candidate.refusal.empty()) {
            refusal = builder.CreateString(candidate.refusal);
        }
        return fb::CreateCandidate(builder, kernel, candidate.seconds, candidate.timed, refusal);
    });
}

Offset<fb::Step> encodeStep(FlatBufferBuilder& builder, StepRecord const& step) {
    Offset<fb::Kernel> kernel;
    if (step.isKernel()) {
        kernel = encodeKernel(builder, step.kernel);
    }
    Offset<fb::Control> control;
    if (step.control.has_value()) {
        control = encodeControl(builder, *step.control);
    }
    auto const name = builder.CreateString(step.name);
    auto const inputs = encodeIds(builder, step.inputs);
    auto const outputs = encodeIds(builder, step.outputs);
    auto const encodeReason = [&](std::string const& reason) {
        return fb::CreateReason(builder, builder.CreateString(reason));
    };
    auto const reasons = encodeAll(builder, step.reasons, encodeReason);
    auto const rewrites = encodeAll(builder, step.rewrites, encodeReason);
    auto const metadata = builder.CreateString(step.metadata);
    auto const profilePlugins = encodeIds(builder, step.profilePlugins);
    std::vector<uint8_t> types;
    for (DataType const type : step.declared) {
        types.push_back(static_cast<uint8_t>(type));
    }
    auto const declared = builder.CreateVector(types);
    Offset<flatbuffers::Vector<Offset<fb::OtherKernel>>> others; // no vectors where there are none
    Offset<flatbuffers::Vector<int32_t>> profileKernels;
    if (!step.otherKernels.empty()) {
        others = encodeAll(builder, step.otherKernels, [&](OtherKernel const& other) {
            auto const own = encodeKernel(builder, other.kernel);
            return fb::CreateOtherKernel(builder, own, encodeIds(builder, other.inputs));
        });
    }
    if (!step.profileKernels.empty()) {
        profileKernels = builder.CreateVector(step.profileKernels);
    }
    Offset<flatbuffers::Vector<uint64_t>> workspaces;
    if (!step.profileWorkspaces.empty()) {
        workspaces = builder.CreateVector(step.profileWorkspaces);
    }
    Offset<flatbuffers::Vector<Offset<fb::Candidate>>> candidates;
    if (!step.candidates.empty()) {
        candidates = encodeCandidates(builder, step.candidates);
    }
    return fb::CreateStep(builder, name, inputs, outputs, step.workspaceBytes, step.workspaceOffset,
                          step.plugin.number(), kernel, reasons, metadata, step.shapeInputs,
                          profilePlugins, declared, rewrites, control, others, profileKernels,
                          workspaces, candidates);
}

} // namespace

Bytes encodeMetadata(Document const& document, WeightLayout const& weights) {
    FlatBufferBuilder builder;
    auto const exprs = encodeExprs(builder, document.exprs);
    auto offset = weights.offsetOf.begin();
    auto const tensors = encodeAll(builder, document.tensors, [&](TensorRecord const& tensor) {
        return encodeTensor(builder, tensor, *offset++);
    });
    auto const profiles = encodeAll(builder, document.profiles, [&](ProfileRecord const& record) {
        return encodeProfile(builder, record);
    });
    auto const plugins =
        encodeAll(builder, document.plugins, [&](plugin::PluginRecord const& record) {
            return encodePlugin(builder, record);
        });
    auto const steps = encodeAll(builder, document.steps,
                                 [&](StepRecord const& step) { return encodeStep(builder, step); });
    auto const libraries =
        encodeAll(builder, document.libraries, [&](LibraryRecord const& library) {
            auto const file = builder.CreateString(library.name);
            return fb::CreateLibrary(builder, file, library.data.size());
        });
    auto const sources = encodeSources(builder, document.sources);
    auto const recipes = encodeRecipes(builder, document.weights, weights.sourceOffsets);
    auto const fixed = encodeFixed(builder, document.fixedWeights);
    auto const name = builder.CreateString(document.name);
    auto const architecture = builder.CreateString(document.architecture);
    fb::FinishPlanBuffer(
        builder, fb::CreatePlan(builder, name, architecture, document.stronglyTyped,
                                static_cast<uint8_t>(document.verbosity), document.arenaBytes,
                                exprs, tensors, profiles, plugins, steps, libraries, sources,
                                document.refittable, recipes, fixed, document.weightStreaming,
                                static_cast<uint8_t>(document.compatibility)));
    auto const* raw = reinterpret_cast<std::byte const*>(builder.GetBufferPointer());
    return {raw, raw + builder.GetSize()};
}

} // namespace kiln::plan
