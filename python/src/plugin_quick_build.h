// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <kiln/aot.h>

#include "bindings.h"
#include "callback_results.h"
#include "exprs.h"
#include "plugin_quick.h"

namespace kiln::python {

/// A build part for a Python object. Base: one of the three interfaces with IPluginV3QuickBuild.
template <typename Base>
class PythonQuickBuild : public Base {
public:
    using DataType = nvinfer1::DataType;
    using DimsExprs = nvinfer1::DimsExprs;
    using DynamicDesc = nvinfer1::DynamicPluginTensorDesc;
    using Desc = nvinfer1::PluginTensorDesc;

    explicit PythonQuickBuild(py::object self) : self_(std::move(self)) {}

    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }

    int32_t getOutputDataTypes(DataType* outputTypes, int32_t outputCount,
                               DataType const* inputTypes, int32_t const* inputRanks,
                               int32_t inputCount) const noexcept override {
        return guarded<int32_t>(1, [&] {
            py::list types;
            py::list ranks;
            for (int32_t i = 0; i < inputCount; ++i) {
                types.append(inputTypes[i]);
                ranks.append(inputRanks[i]);
            }
            py::object const result = taken(dataTypes_(self_.ptr(), types.ptr(), ranks.ptr()));
            toDataTypes(result, dataTypes_.name(), outputCount, kCountedBy, outputTypes);
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
            toShapes(result, outputShapes_.name(), outputCount, kCountedBy, builder, outputs);
            return 0;
        });
    }

    int32_t configurePlugin(DynamicDesc const* in, int32_t inputCount, DynamicDesc const* out,
                            int32_t outputCount) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::list const inputs = listOf(in, inputCount);
            py::list const outputs = listOf(out, outputCount);
            return codeFrom(configure_(self_.ptr(), inputs.ptr(), outputs.ptr()),
                            configure_.name());
        });
    }

    /// Calls Python once for the list, from which getSupportedFormatCombinations() copies.
    int32_t getNbSupportedFormatCombinations(DynamicDesc const* inOut, int32_t inputCount,
                                             int32_t outputCount) noexcept override {
        return guarded<int32_t>(-1, [&] {
            int32_t const operands = inputCount + outputCount;
            py::list const descs = listOf(inOut, operands);
            py::int_ const count(inputCount);
            py::object const result = taken(combinationsOf_(self_.ptr(), descs.ptr(), count.ptr()));
            combinations_ = toDescs(result, operands);
            return static_cast<int32_t>(combinations_.size()) / operands;
        });
    }

    int32_t getSupportedFormatCombinations(DynamicDesc const*, int32_t inputCount,
                                           int32_t outputCount, Desc* supported,
                                           int32_t count) noexcept override {
        auto const asked =
            static_cast<std::size_t>(count) * static_cast<std::size_t>(inputCount + outputCount);
        std::copy_n(combinations_.begin(), std::min(asked, combinations_.size()), supported);
        return asked <= combinations_.size() ? 0 : 1;
    }

    int32_t getNbOutputs() const noexcept override {
        return guarded<int32_t>(-1, [&] {
            if (!outputCount_.defined(self_.ptr())) {
                return 0;
            }
            int64_t const count = toInteger(taken(outputCount_(self_.ptr())), kCountedBy, 0);
            return static_cast<int32_t>(std::min<int64_t>(count, INT32_MAX));
        });
    }

    int32_t getAliasedInput(int32_t outputIndex) noexcept override {
        return guarded<int32_t>(-1, [&] {
            if (!aliased_.defined(self_.ptr())) {
                return -1;
            }
            py::int_ const index(outputIndex);
            return static_cast<int32_t>(
                toInteger(taken(aliased_(self_.ptr(), index.ptr())), aliased_.name(), -1));
        });
    }

    int32_t getNbTactics() noexcept override {
        return guarded<int32_t>(0, [&] {
            tactics_.clear();
            if (validTactics_.defined(self_.ptr())) {
                tactics_ = toTactics(taken(validTactics_(self_.ptr())), validTactics_.name());
            }
            return static_cast<int32_t>(tactics_.size());
        });
    }

    int32_t getValidTactics(int32_t* tactics, int32_t count) noexcept override {
        std::copy_n(tactics_.begin(), std::min<std::size_t>(tactics_.size(), count), tactics);
        return 0;
    }

    char const* getTimingCacheID() noexcept override { return text(timingCacheId_, idText_); }
    char const* getMetadataString() noexcept override { return text(metadata_, metadataText_); }

protected:
    static constexpr char const* kCountedBy = "get_num_outputs";

    template <typename T>
    static py::list listOf(T const* values, int32_t count) {
        py::list result;
        std::for_each_n(values, count, [&](T const& value) { result.append(value); });
        return result;
    }

    py::object self_;

private:
    std::vector<Desc> toDescs(py::handle result, int32_t operands) const {
        auto const items = itemsOf(result);
        if (!items) {
            throw py::type_error(fmt::format("{}: expected a list of PluginTensorDesc, got {}",
                                             combinationsOf_.name(), className(result)));
        }
        std::vector<Desc> descs;
        for (py::object const& item : *items) {
            if (!py::isinstance<Desc>(item)) {
                throw py::type_error(fmt::format("{}: expected a list of PluginTensorDesc, got {} "
                                                 "in it",
                                                 combinationsOf_.name(), className(item)));
            }
            descs.push_back(item.cast<Desc const&>());
        }
        if (descs.empty() || descs.size() % static_cast<std::size_t>(operands) != 0) {
            throw py::value_error(fmt::format("{}: expected one PluginTensorDesc for each of {} "
                                              "inputs and outputs, or a multiple, got {}",
                                              combinationsOf_.name(), operands, descs.size()));
        }
        return descs;
    }

    char const* text(Callback& callback, std::string& store) noexcept {
        return guarded<char const*>(nullptr, [&]() -> char const* {
            if (!callback.defined(self_.ptr())) {
                return nullptr;
            }
            py::object const result = taken(callback(self_.ptr()));
            if (result.is_none()) {
                return nullptr;
            }
            if (!py::isinstance<py::str>(result)) {
                throw py::type_error(
                    fmt::format("{}: expected a str, got {}", callback.name(), className(result)));
            }
            store = result.cast<std::string>();
            return store.c_str();
        });
    }

    std::vector<Desc> combinations_;
    std::vector<int32_t> tactics_;
    std::string idText_, metadataText_;
    // A callback may be looked up while a const method of the interface runs.
    mutable Callback dataTypes_{"get_output_data_types"};
    mutable Callback outputCount_{kCountedBy};
    Callback outputShapes_{"get_output_shapes"};
    Callback configure_{"configure_plugin"};
    Callback combinationsOf_{"get_supported_format_combinations"};
    Callback aliased_{"get_aliased_input"};
    Callback validTactics_{"get_valid_tactics"};
    Callback timingCacheId_{"get_timing_cache_id"};
    Callback metadata_{"get_metadata_string"};
};

} // namespace kiln::python
