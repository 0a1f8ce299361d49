// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_quick_build.h"

#include <cstring>
#include <tuple>
#include <variant>

#include <pybind11/stl.h>

#include "sym_exprs.h"

namespace kiln::python {
namespace {

using nvinfer1::IExprBuilder;
using nvinfer1::IKernelLaunchParams;
using nvinfer1::IPluginV3QuickAOTBuild;
using nvinfer1::IPluginV3QuickBuild;
using nvinfer1::ISymExprs;

using QuickBuild = PythonQuickBuild<IPluginV3QuickBuild>;

/// For a plugin that defines get_kernel and get_launch_params.
class QuickAotBuild final : public PythonQuickBuild<IPluginV3QuickAOTBuild> {
public:
    using PythonQuickBuild::PythonQuickBuild;

    int32_t getLaunchParams(DimsExprs const* inputs, DynamicDesc const* inOut, int32_t inputCount,
                            int32_t outputCount, IKernelLaunchParams* launchParams,
                            ISymExprs* extraArgs, IExprBuilder& builder) noexcept override {
        return guarded<int32_t>(1, [&] {
            ExprCall const call(builder);
            py::list const shapes = call.shapes(inputs, inputCount);
            py::list const descs = listOf(inOut, inputCount + outputCount);
            py::int_ const count(inputCount);
            py::object const launch = py::cast(LaunchParamsObject{launchParams, call.scope()});
            py::object const extra = py::cast(SymExprsObject{extraArgs, call.scope()});
            py::object const exprs = call.builder();
            return codeFrom(launchParams_(self_.ptr(), shapes.ptr(), descs.ptr(), count.ptr(),
                                          launch.ptr(), extra.ptr(), exprs.ptr()),
                            launchParams_.name());
        });
    }

    int32_t getKernel(Desc const* in, int32_t inputCount, Desc const* out, int32_t outputCount,
                      char const** kernelName, char** compiledKernel,
                      int32_t* compiledKernelSize) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::list const inputs = listOf(in, inputCount);
            py::list const outputs = listOf(out, outputCount);
            py::object const result = taken(kernel_(self_.ptr(), inputs.ptr(), outputs.ptr()));
            auto const items = toSequence(result, kernel_.name(), 2, "str and bytes",
                                          "the kernel's name and code");
            if (!py::isinstance<py::str>(items[0]) ||
                !(py::isinstance<py::bytes>(items[1]) || py::isinstance<py::str>(items[1]))) {
                throw py::type_error(fmt::format("{}: expected the kernel's name as str and its "
                                                 "code as bytes, got {} and {}",
                                                 kernel_.name(), className(items[0]),
                                                 className(items[1])));
            }
            name_ = items[0].cast<std::string>();
            code_ = items[1].cast<std::string>();
            *kernelName = name_.c_str();
            *compiledKernel = code_.data();
            *compiledKernelSize = static_cast<int32_t>(code_.size());
            return 0;
        });
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::int_ const number(tactic);
            return codeFrom(tactic_(self_.ptr(), number.ptr()), tactic_.name());
        });
    }

private:
    std::string name_, code_; // result of the last getKernel
    Callback launchParams_{"get_launch_params"};
    Callback kernel_{"get_kernel"};
    Callback tactic_{"set_tactic"};
};

/// For a plugin made of decorated functions, which fills all of kiln::IAotCode at once.
class DecoratedAotBuild final : public PythonQuickBuild<kiln::IAotBuild> {
public:
    using PythonQuickBuild::PythonQuickBuild;

    int32_t getCode(DimsExprs const* inputs, DynamicDesc const* inOut, int32_t inputCount,
                    int32_t outputCount, char const* target, char const* architecture,
                    kiln::IAotCode& code, IExprBuilder& builder) noexcept override {
        return guarded<int32_t>(1, [&] {
            ExprCall const call(builder);
            py::list const shapes = call.shapes(inputs, inputCount);
            py::list const descs = listOf(inOut, inputCount + outputCount);
            py::int_ const count(inputCount);
            py::str const where(target);
            py::str const kind(architecture);
            py::object const exprs = call.builder();
            py::object const kernels =
                taken(code_(self_.ptr(), shapes.ptr(), descs.ptr(), count.ptr(), where.ptr(),
                            kind.ptr(), exprs.ptr()));
            for (py::handle const kernel : kernels) {
                if (!give(kernel.cast<Kernel>(), code)) {
                    return 1;
                }
            }
            return 0;
        });
    }

    // Kiln calls getCode() instead.
    int32_t getLaunchParams(DimsExprs const*, DynamicDesc const*, int32_t, int32_t,
                            IKernelLaunchParams*, ISymExprs*, IExprBuilder&) noexcept override {
        return 1;
    }
    int32_t getKernel(Desc const*, int32_t, Desc const*, int32_t, char const**, char**,
                      int32_t*) noexcept override {
        return 1;
    }

    int32_t setTactic(int32_t tactic) noexcept override {
        return guarded<int32_t>(1, [&] {
            py::int_ const number(tactic);
            return codeFrom(tactic_(self_.ptr(), number.ptr()), tactic_.name());
        });
    }

private:
    using Argument = std::pair<int32_t, std::variant<ExprObject, double>>;
    using Kernel = std::tuple<std::string, std::vector<py::bytes>, std::vector<ExprObject>,
                              std::vector<Argument>>;

    /// Passes one kernel to Kiln; false if Kiln refused it, and reported the reason.
    static bool give(Kernel const& kernel, kiln::IAotCode& code) {
        auto const& [entry, images, launch, arguments] = kernel;
        if (!code.beginKernel(entry.c_str())) {
            return false;
        }
        for (py::bytes const& image : images) {
            std::string_view const bytes = image;
            if (!code.addImage(bytes.data(), bytes.size())) {
                return false;
            }
        }
        std::array<nvinfer1::IDimensionExpr const*, 7> values{};
        std::transform(launch.begin(), launch.end(), values.begin(),
                       [](ExprObject const& value) { return &value.get(); });
        if (!code.setLaunch(values.data(), values.data() + 3, *values[6])) {
            return false;
        }
        return std::all_of(arguments.begin(), arguments.end(), [&](Argument const& argument) {
            auto const type = static_cast<kiln::ArgumentType>(argument.first);
            auto const* value = std::get_if<ExprObject>(&argument.second);
            return value != nullptr ? code.addInteger(type, value->get())
                                    : code.addReal(type, std::get<double>(argument.second));
        });
    }

    Callback code_{"_kiln_aot_code"};
    Callback tactic_{"set_tactic"};
};

} // namespace

Requirements const kQuickBuildRequirements{"IPluginV3QuickBuild",
                                           {},
                                           {"configure_plugin", "get_output_data_types",
                                            "get_output_shapes",
                                            "get_supported_format_combinations"}};
Requirements const kQuickAotBuildRequirements{
    "IPluginV3QuickAOTBuild", {}, {"get_kernel", "get_launch_params", "set_tactic"}};

std::unique_ptr<nvinfer1::IPluginCapability> makeQuickBuild(py::object self) {
    checkMembers(self, quickRequirements(self));
    return std::make_unique<QuickBuild>(std::move(self));
}

std::unique_ptr<nvinfer1::IPluginCapability> makeQuickAotBuild(py::object self) {
    checkMembers(self, quickRequirements(self));
    if (py::hasattr(self, "_kiln_aot_code")) {
        return std::make_unique<DecoratedAotBuild>(std::move(self));
    }
    return std::make_unique<QuickAotBuild>(std::move(self));
}

} // namespace kiln::python
