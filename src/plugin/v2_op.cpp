// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/v2_op.h"

#include "base/text.h"
#include "plugin/late_reports.h"
#include "plugin/spare_tensors.h"

namespace kiln::plugin {
namespace {

using nvinfer1::IPluginV2;

// Limit on a plugin's state: more is an error, such as an uninitialized size.
constexpr std::size_t kLargestState = std::size_t{1} << 32U;

} // namespace

V2Op::V2Op(PluginStyle style, IPluginV2& plugin, Ownership ownership, std::string_view layer)
    : code_(libraryOf(&plugin)), style_(style), plugin_(plugin),
      owned_(ownership == Ownership::kOwned) {
    setLayer(layer);
}

V2Op::~V2Op() {
    takeReportedText(); // drops an error of an earlier callback
    if (attached_ && style_ != PluginStyle::kV2) {
        ext().detachFromContext();
        LateReports::take(layer(), id_, "detachFromContext");
    }
    V2Op::terminate();
    if (owned_) {
        plugin_.destroy();
        LateReports::take(layer(), id_, "destroy");
    }
}

void V2Op::identify() {
    takeReportedText();
    id_.name = orEmpty(plugin_.getPluginType());
    id_.version = orEmpty(plugin_.getPluginVersion());
    id_.space = orEmpty(plugin_.getPluginNamespace());
    auto const tag = static_cast<uint32_t>(plugin_.getTensorRTVersion()) >> 24U;
    id_.inPython = (tag & nvinfer1::kPLUGIN_VERSION_PYTHON_BIT) != 0;
    outputCount_ = plugin_.getNbOutputs();
    if (hasReportedText()) {
        failCallback(layer(), id_, "identity", "raised an error");
    }
    if (id_.name.empty() || id_.version.empty()) {
        failCallback(layer(), id_, "identity",
                     "expected a plugin type and a plugin version, got an empty text");
    }
    checkOutputCount(layer(), id_, outputCount_);
}

int32_t V2Op::combinationLimit() const {
    return nvinfer1::IPluginV2DynamicExt::kFORMAT_COMBINATION_LIMIT;
}

void V2Op::askOutputTypes(std::span<DataType const> inputs, std::span<DataType> outputs) const {
    std::vector<DataType> const types = withSpare(inputs, DataType::kFLOAT);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        outputs[i] = run("getOutputDataType", [&] {
            return ext().getOutputDataType(static_cast<int32_t>(i), types.data(), countOf(inputs));
        });
        checkResult(layer(), id_, "getOutputDataType", [&] { bitsOf(outputs[i]); });
    }
}

std::unique_ptr<PluginOp> V2Op::clone() const {
    IPluginV2* const copy = makingCallback(
        layer(), id_, "clone", [&] { return plugin_.clone(); },
        [&](IPluginV2* made) {
            if (made != &plugin_) {
                made->destroy();
            }
        });
    if (copy == &plugin_) {
        failCallback(layer(), id_, "clone",
                     "expected a new plugin object, returned the object itself. Return a copy");
    }
    std::unique_ptr<V2Op> op = adapterOf(
        Ownership::kOwned, [&] { return another(*copy, Ownership::kOwned); },
        [&] { copy->destroy(); });
    op->identify();
    return op;
}

PluginRecord V2Op::save() const {
    PluginRecord record;
    record.style = style();
    record.id = id_;
    record.needsPython = id_.inPython;
    record.layer = layer();
    std::size_t const size =
        run("getSerializationSize", [&] { return plugin_.getSerializationSize(); });
    if (size > kLargestState) {
        failCallback(layer(), id_, "getSerializationSize",
                     fmt::format("expected at most {} bytes, returned {}", kLargestState, size));
    }
    record.blob.resize(size);
    std::byte none{}; // plugins may memcpy to the address of an empty state
    run("serialize", [&] { plugin_.serialize(size == 0 ? &none : record.blob.data()); });
    return record;
}

void V2Op::initialize() {
    checkedCallback(layer(), id_, "initialize", [&] { return plugin_.initialize(); });
    initialized_ = true;
}

void V2Op::terminate() noexcept {
    if (initialized_) {
        initialized_ = false;
        takeReportedText(); // drops an error of an earlier callback
        plugin_.terminate();
        LateReports::take(layer(), id_, "terminate");
    }
}

std::unique_ptr<PluginOp> V2Op::attach(ContextServices const& services) {
    std::unique_ptr<PluginOp> copy = clone();
    static_cast<V2Op&>(*copy).attachHere(services);
    return copy;
}

std::unique_ptr<PluginOp> V2Op::attachForTiming(ContextServices const& services) {
    std::unique_ptr<V2Op> borrowed = another(plugin_, Ownership::kBorrowed);
    borrowed->id_ = id_;
    borrowed->outputCount_ = outputCount_;
    borrowed->attachHere(services);
    return borrowed;
}

void V2Op::attachHere(ContextServices const& services) {
    if (style_ != PluginStyle::kV2) {
        run("attachToContext",
            [&] { ext().attachToContext(nullptr, nullptr, services.allocator); });
    }
    attached_ = true;
}

std::unique_ptr<PluginOp> adaptV2(IPluginV2& plugin, Ownership ownership, std::string_view layer) {
    using nvinfer1::PluginVersion;
    auto const tag = static_cast<uint32_t>(plugin.getTensorRTVersion()) >> 24U;
    auto const generation = static_cast<PluginVersion>(
        tag & ~static_cast<uint32_t>(nvinfer1::kPLUGIN_VERSION_PYTHON_BIT));
    switch (generation) {
    case PluginVersion::kV2: return adaptV2Batch(plugin, PluginStyle::kV2, ownership, layer);
    case PluginVersion::kV2_EXT: return adaptV2Batch(plugin, PluginStyle::kV2Ext, ownership, layer);
    case PluginVersion::kV2_IOEXT:
        return adaptV2Batch(plugin, PluginStyle::kV2IOExt, ownership, layer);
    case PluginVersion::kV2_DYNAMICEXT:
        return adaptV2DynamicExt(static_cast<nvinfer1::IPluginV2DynamicExt&>(plugin), ownership,
                                 layer);
    default: break;
    }
    return adapterOf(
        ownership,
        [&]() -> std::unique_ptr<PluginOp> {
            fail(ErrorKind::kUnsupported,
                 "[plugin] layer '{}', plugin {} (version {}): expected an IPluginV2, "
                 "IPluginV2Ext, IPluginV2IOExt or IPluginV2DynamicExt, got plugin interface "
                 "generation {}. Leave getTensorRTVersion() to the base class.",
                 layer, orEmpty(plugin.getPluginType()), orEmpty(plugin.getPluginVersion()),
                 static_cast<int32_t>(generation));
        },
        [&] { plugin.destroy(); });
}

} // namespace kiln::plugin
