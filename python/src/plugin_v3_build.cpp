// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "bindings.h"
#include "callback_results.h"
#include "exprs.h"
#include "plugin_quick.h"
#include "plugin_v3.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::DimsExprs;
using nvinfer1::DynamicPluginTensorDesc;
using DescArgument = DescList<DynamicPluginTensorDesc>;

/// Implements version 2 of the interface; its one addition has a default in version 1.
class PythonBuild final : public nvinfer1::IPluginV3OneBuildV2 {
public:
    explicit PythonBuild(py::object self)
        : self_(std::move(self)), isV2_(py::isinstance<BuildV2Object>(self_)) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override {
        return {"PLUGIN_V3ONE_BUILD", isV2_ ? 2 : 1, 0};
    }

    int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t inputCount,
                            DynamicPluginTensorDesc const* out,
                            int32_t outputCount) noexcept override {
        return guarded<int32_t>(1, [&] {
            return codeFrom(withBoth(configure_, in, inputCount, out, outputCount),
                            "configure_plugin");
        });
    }

    int32_t getOutputDataTypes(DataType* outputTypes, int32_t outputCount,
                               DataType const* inputTypes,
                               int32_t inputCount) const noexcept override {
        return guarded<int32_t>(1, [&] {
            py::list inputs;
            std::for_each_n(inputTypes, inputCount, [&](DataType type) { inputs.append(type); });
            py::object const result = taken(dataTypes_(self_.ptr(), inputs.ptr()));
            toDataTypes(result, dataTypes_.name(), outputCount, "num_outputs", outputTypes);
            return 0;
        });
    }

    int32_t getOutputShapes(DimsExprs const* inputs, int32_t inputCount,
                            DimsExprs const* shapeInputs, int32_t shapeInputCount,
                            DimsExprs* outputs, int32_t outputCount,
                            nvinfer1::IExprBuilder& builder) noexcept override {
        return guarded<int32_t>(1, [&] {
            ExprCall const call(builder);
            py::list const shapes = call.shapes(inputs, inputCount);
            py::list const values = call.shapes(shapeInputs, shapeInputCount);
            py::object const exprs = call.builder();
            py::object const result =
                taken(outputShapes_(self_.ptr(), shapes.ptr(), values.ptr(), exprs.ptr()));
            toShapes(result, outputShapes_.name(), outputCount, "num_outputs", builder, outputs);
            return 0;
        });
    }

    bool supportsFormatCombination(int32_t position, DynamicPluginTensorDesc const* inOut,
                                   int32_t inputCount, int32_t outputCount) noexcept override {
        return guarded(false, [&] {
            PyObject* const descs = in_.get(inOut, static_cast<std::size_t>(inputCount) +
                                                       static_cast<std::size_t>(outputCount));
            if (descs == nullptr) {
                throw py::error_already_set();
            }
            py::int_ const at(position);
            py::int_ const count(inputCount);
            return toBool(taken(supports_(self_.ptr(), at.ptr(), descs, count.ptr())), self_,
                          supports_.name());
        });
    }

    int32_t getNbOutputs() const noexcept override {
        return guarded<int32_t>(-1, [&] { return smallInteger("num_outputs", 1); });
    }

    int32_t getNbTactics() noexcept override {
        return guarded<int32_t>(0, [&] {
            tactics_.clear();
            if (!validTactics_.defined(self_.ptr())) {
                return 0;
            }
            tactics_ = toTactics(taken(validTactics_(self_.ptr())), validTactics_.name());
            return static_cast<int32_t>(tactics_.size());
        });
    }

    int32_t getValidTactics(int32_t* tactics, int32_t count) noexcept override {
        std::copy_n(tactics_.begin(), std::min<std::size_t>(tactics_.size(), count), tactics);
        return 0;
    }

    int32_t getFormatCombinationLimit() noexcept override {
        return guarded<int32_t>(kDEFAULT_FORMAT_COMBINATION_LIMIT,
                                [&] { return smallInteger("format_combination_limit", 1); });
    }

    char const* getTimingCacheID() noexcept override {
        return optionalText("timing_cache_id", timingCacheId_);
    }
    char const* getMetadataString() noexcept override {
        return optionalText("metadata_string", metadata_);
    }

    std::size_t getWorkspaceSize(DynamicPluginTensorDesc const* in, int32_t inputCount,
                                 DynamicPluginTensorDesc const* out,
                                 int32_t outputCount) const noexcept override {
        return guarded<std::size_t>(0, [&]() -> std::size_t {
            if (!workspace_.defined(self_.ptr())) {
                return 0;
            }
            py::object const result = taken(withBoth(workspace_, in, inputCount, out, outputCount));
            return static_cast<std::size_t>(toInteger(result, workspace_.name(), 0));
        });
    }

    int32_t getAliasedInput(int32_t outputIndex) noexcept override {
        return guarded<int32_t>(-1, [&] {
            if (!isV2_ || !aliased_.defined(self_.ptr())) {
                return -1;
            }
            py::int_ const index(outputIndex);
            return static_cast<int32_t>(
                toInteger(taken(aliased_(self_.ptr(), index.ptr())), aliased_.name(), -1));
        });
    }

private:
    PyObject* withBoth(Callback& callback, DynamicPluginTensorDesc const* in, int32_t inputCount,
                       DynamicPluginTensorDesc const* out, int32_t outputCount) const {
        PyObject* const inputs = in_.get(in, static_cast<std::size_t>(inputCount));
        PyObject* const outputs = out_.get(out, static_cast<std::size_t>(outputCount));
        if (inputs == nullptr || outputs == nullptr) {
            throw py::error_already_set();
        }
        return callback(self_.ptr(), inputs, outputs);
    }

    int32_t smallInteger(char const* attribute, int64_t least) const {
        int64_t const value = integerAttribute(self_, attribute, least);
        return static_cast<int32_t>(std::min<int64_t>(value, INT32_MAX));
    }

    char const* optionalText(char const* attribute, std::string& store) noexcept {
        return guarded<char const*>(nullptr, [&]() -> char const* {
            if (self_.attr(attribute).is_none()) {
                return nullptr;
            }
            store = textAttribute(self_, attribute);
            return store.c_str();
        });
    }

    py::object self_;
    bool isV2_;
    std::string timingCacheId_, metadata_;
    std::vector<int32_t> tactics_;
    // A callback may be looked up, and lists made, while a const method of the interface runs.
    mutable Callback configure_{"configure_plugin"};
    mutable Callback dataTypes_{"get_output_data_types"};
    mutable Callback outputShapes_{"get_output_shapes"};
    mutable Callback supports_{"supports_format_combination"};
    mutable Callback workspace_{"get_workspace_size"};
    mutable Callback validTactics_{"get_valid_tactics"};
    mutable Callback aliased_{"get_aliased_input"};
    mutable DescArgument in_;
    mutable DescArgument out_;
};

} // namespace

Requirements const kBuildRequirements{"IPluginV3OneBuild",
                                      {"num_outputs"},
                                      {"configure_plugin", "get_output_data_types",
                                       "get_output_shapes", "supports_format_combination"}};

std::unique_ptr<nvinfer1::IPluginCapability> makeBuild(py::object self) {
    if (py::isinstance<QuickAotBuildObject>(self)) {
        return makeQuickAotBuild(std::move(self));
    }
    if (py::isinstance<QuickBuildObject>(self)) {
        return makeQuickBuild(std::move(self));
    }
    if (!py::isinstance<BuildObject>(self)) {
        throw py::type_error(fmt::format("get_capability_interface(BUILD): expected an "
                                         "IPluginV3OneBuild or an IPluginV3QuickBuild, got {}",
                                         className(self)));
    }
    checkMembers(self, {&kBuildRequirements});
    return std::make_unique<PythonBuild>(std::move(self));
}

} // namespace kiln::python
