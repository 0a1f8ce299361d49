// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Kiln's additions to the API.
#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <kiln/kiln.h>
#include <kiln/message_code.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings.h"
#include "extra_layers.h"
#include "failure.h"
#include "keep_alive.h"
#include "warn.h"

namespace kiln::python {
namespace {

void setThreads(int32_t count) {
    if (count < 0) {
        throw py::value_error(
            fmt::format("[threads] expected 1 or more, or 0 for the default, got {}", count));
    }
    kiln::setNumThreads(count);
}

void setTarget(std::optional<std::string> const& target) {
    if (!kiln::setDefaultTarget(target ? target->c_str() : nullptr)) {
        throw py::value_error(kiln::targetProblem(target->c_str()));
    }
}

/// Opens the libraries under TensorRT's names, which forward to Kiln's. The run path of this module
/// contains their folder. Once open, the whole process finds them by these names, and by the names
/// that end in .10, which are their sonames.
void openOriginalNames() {
    for (char const* const name : {"libnvinfer.so", "libnvinfer_plugin.so", "libnvonnxparser.so"}) {
        // A missing library fails later, in the program that opens it.
        static_cast<void>(dlopen(name, RTLD_LAZY | RTLD_LOCAL));
    }
}

} // namespace

void initKiln(py::module_& m) {
    m.def("raise_errors", &setRaiseErrors, "on"_a,
          "Sets whether a call that fails because of an exception in a callback raises it.\n\n"
          "on: bool. Default: False, the call returns None or False, and the traceback goes to the "
          "logger.");
    m.def(
        "open_engine",
        [](nvinfer1::IRuntime& runtime, std::filesystem::path const& path) {
            return apiCall([&] { return kiln::openEngine(runtime, path.c_str()); });
        },
        "runtime"_a, "path"_a, KeepAlive<0, 1>(),
        "Opens a plan file by mapping it; returns its ICudaEngine, None on failure.\n\n"
        "runtime: Runtime. path: str or path of the plan, which must not change while the engine "
        "exists.");
    m.def(
        "_check_plan",
        [](std::filesystem::path const& path, nvinfer1::ILogger& logger) {
            return apiCall([&] { return kiln::checkPlan(path.c_str(), logger); });
        },
        "path"_a, "logger"_a, "See kiln.check_plan.");
    m.def(
        "_describe_plan",
        [](std::filesystem::path const& path, nvinfer1::ILogger& logger) {
            std::unique_ptr<nvinfer1::IHostMemory> const text(
                apiCall([&] { return kiln::describePlan(path.c_str(), logger); }));
            return text == nullptr
                       ? std::optional<std::string>()
                       : std::string(static_cast<char const*>(text->data()), text->size());
        },
        "path"_a, "logger"_a, "See kiln.describe_plan.");
    m.def(
        "found_shape",
        [](nvinfer1::IExecutionContext& context, std::string const& name) {
            nvinfer1::Dims shape{-1, {}};
            apiCall([&] { // raises the exception of a callback if the call fails
                shape = kiln::foundShape(context, name.c_str());
                return shape.nbDims >= 0;
            });
            return shape;
        },
        "context"_a, "name"_a,
        "The shape of a tensor after the last run, with the sizes that plugins computed.\n\n"
        "context: IExecutionContext. name: str, of an input or output.\n"
        "IExecutionContext.get_tensor_shape returns -1 for extents that size tensors determine, "
        "because the next run may compute others. This function returns those of the last run, "
        "and waits for them if the run was asynchronous. -1 for an extent that is not known, as "
        "before the first run. Rank -1, with a message, for an unknown name and for a size above "
        "its bound.");
    m.def("set_num_threads", &setThreads, "count"_a,
          "Sets how many threads a parallel step may use.\n\n"
          "count: int; 0 restores the default, KILN_NUM_THREADS or every CPU of this process.");
    m.def("num_threads", &kiln::numThreads, "How many threads a parallel step may use.");
    m.def("default_target", &kiln::defaultTarget,
          "The target that engines are built for: 'cpu', 'cuda', 'cuda:sm_90'.");
    m.def("set_default_target", &setTarget, "target"_a,
          "Sets the target that engines are built for from now on.\n\n"
          "target: 'cpu', 'cuda', 'cuda:sm_80+sm_90' (with the architectures of a plan that runs "
          "elsewhere), or None for the default: KILN_TARGET, else cuda if a driver answers, else "
          "cpu. Raises ValueError, with the reason, if engines cannot be built for it.");
    m.def(
        "_describe_target",
        [](std::optional<std::string> const& target) {
            return kiln::describeTarget(target ? target->c_str() : nullptr);
        },
        "target"_a, "See kiln.describe_target.");
    m.def("_open_original_names", &openOriginalNames, "See kiln.install_as_tensorrt.");
    m.def("_warn", &warn, "text"_a,
          "Logs a warning that belongs to no builder, runtime or parser.");
    m.def("_add_library_folder", &kiln::addLibraryFolder, "folder"_a,
          "Adds a folder to search for libraries that are opened at run time.");
    m.def("message_code", &kiln::messageCode, "message"_a,
          "The code at the end of a message, such as 'run-17'; '' if there is none.\n\n"
          "message: str, from a logger, an error recorder or an exception. Only messages of Kiln "
          "have codes. kiln explain CODE, on the command line, explains one.");
    m.def("_with_message_code", &kiln::withMessageCode, "message"_a, "See kiln._messages.");
    m.def("_build_target", &kiln::buildTarget, "See kiln.build_target.");
    addExtraLayers(m);
    m.attr("kiln_version") = kiln::version();
}

} // namespace kiln::python
