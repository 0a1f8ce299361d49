// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::IProfiler;
using nvinfer1::IProgressMonitor;

class PythonProfiler final : public IProfiler {
public:
    void reportLayerTime(char const* name, float ms) noexcept override {
        notifyUser(static_cast<IProfiler const*>(this), "report_layer_time", name, ms);
    }
};

/// trt.Profiler: prints through Python's own standard output.
class PrintingProfiler : public IProfiler {
public:
    void reportLayerTime(char const* name, float ms) noexcept override {
        Gil const gil;
        if (gil) {
            orPark([&] { PySys_WriteStdout("%.500s: %.6gms\n", name, static_cast<double>(ms)); });
        }
    }
};

class PythonProgressMonitor final : public IProgressMonitor {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    void phaseStart(char const* phase, char const* parent, int32_t steps) noexcept override {
        notifyUser(base(), "phase_start", phase, parent, steps);
    }
    bool stepComplete(char const* phase, int32_t step) noexcept override {
        return callUser(base(), "step_complete", false, phase, step);
    }
    void phaseFinish(char const* phase) noexcept override {
        notifyUser(base(), "phase_finish", phase);
    }

private:
    IProgressMonitor const* base() const noexcept { return this; }
};

} // namespace

void initMonitors(py::module_& m) {
    py::class_<IProfiler, PythonProfiler>(
        m, "IProfiler",
        "Receives the time of each layer. Derive from this class and define report_layer_time().")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("report_layer_time", &IProfiler::reportLayerTime, "layer_name"_a, "ms"_a,
             "Callback: a layer took ``ms`` milliseconds.");
    py::class_<PrintingProfiler, IProfiler>(m, "Profiler", "A profiler that prints.")
        .def(py::init<>(), "A new profiler.")
        .def("report_layer_time", &PrintingProfiler::reportLayerTime, "layer_name"_a, "ms"_a,
             "Prints the name of the layer and its time in milliseconds.");

    py::class_<IProgressMonitor, PythonProgressMonitor>(
        m, "IProgressMonitor",
        "Follows a build, and may stop it. Derive from this class and define the three callbacks.")
        .def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("phase_start", &IProgressMonitor::phaseStart, "phase_name"_a, "parent_phase"_a,
             "num_steps"_a, "Callback: a phase begins. parent_phase: None at the top.")
        .def("step_complete", &IProgressMonitor::stepComplete, "phase_name"_a, "step"_a,
             "Callback: a step of a phase is done; return False to stop the build.")
        .def("phase_finish", &IProgressMonitor::phaseFinish, "phase_name"_a,
             "Callback: a phase is done.");
}

} // namespace kiln::python
