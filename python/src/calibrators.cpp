// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// INT8 calibrators, which users implement in Python; see IInt8Calibrator.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "message_code.h"
#include "native_object.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::CalibrationAlgoType;
using nvinfer1::IInt8Calibrator;
using nvinfer1::IInt8EntropyCalibrator;
using nvinfer1::IInt8EntropyCalibrator2;
using nvinfer1::IInt8LegacyCalibrator;
using nvinfer1::IInt8MinMaxCalibrator;

/// The callbacks that all kinds of calibrators share.
template <typename Base>
class PythonCalibrator : public Base {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    int32_t getBatchSize() const noexcept override {
        return callUser(base(), "get_batch_size", int32_t{0});
    }
    bool getBatch(void* bindings[], char const* names[], int32_t count) noexcept override {
        Gil const gil;
        if (!gil) {
            return false;
        }
        std::vector<std::string> const inputs(names, names + count);
        using Addresses = std::optional<std::vector<std::uintptr_t>>;
        auto const batch = callUser(base(), "get_batch", Addresses(), inputs);
        if (!batch.has_value() || batch->size() != inputs.size()) {
            return false; // None ends the calibration
        }
        for (std::size_t i = 0; i < batch->size(); ++i) {
            bindings[i] = toPointer((*batch)[i]);
        }
        return true;
    }
    void const* readCalibrationCache(std::size_t& length) noexcept override {
        return read(cache_, length, "read_calibration_cache");
    }
    void writeCalibrationCache(void const* data, std::size_t length) noexcept override {
        Gil const gil;
        if (gil) {
            notifyUser(base(), "write_calibration_cache",
                       py::memoryview::from_memory(data, static_cast<py::ssize_t>(length)));
        }
    }

protected:
    Base const* base() const noexcept { return this; }

    /// Calls a callback that returns bytes or None, and stores the bytes in `to`.
    template <typename... Args>
    void const* read(std::string& to, std::size_t& length, char const* name,
                     Args... arguments) const noexcept {
        Gil const gil;
        if (gil) {
            auto const bytes = callUser(base(), name, std::optional<py::bytes>(), arguments...);
            to = bytes.has_value() ? std::string(*bytes) : std::string();
        }
        length = to.size();
        return to.empty() ? nullptr : to.data();
    }

private:
    std::string cache_; ///< result of the last readCalibrationCache
};

/// The kind whose algorithm the user chooses.
class PythonFreeCalibrator final : public PythonCalibrator<IInt8Calibrator> {
public:
    nvinfer1::InterfaceInfo getInterfaceInfo() const noexcept override {
        return {"IInt8Calibrator", 1, 0};
    }
    CalibrationAlgoType getAlgorithm() noexcept override {
        return callUser(base(), "get_algorithm", CalibrationAlgoType::kENTROPY_CALIBRATION_2);
    }
};

class PythonLegacyCalibrator final : public PythonCalibrator<IInt8LegacyCalibrator> {
public:
    double getQuantile() const noexcept override { return callUser(base(), "get_quantile", 0.0); }
    double getRegressionCutoff() const noexcept override {
        return callUser(base(), "get_regression_cutoff", 0.0);
    }
    void const* readHistogramCache(std::size_t& length) noexcept override {
        return read(histogram_, length, "read_histogram_cache", length);
    }
    void writeHistogramCache(void const* data, std::size_t length) noexcept override {
        Gil const gil;
        if (gil) {
            notifyUser(base(), "write_histogram_cache",
                       py::memoryview::from_memory(data, static_cast<py::ssize_t>(length)), length);
        }
    }

private:
    std::string histogram_;
};

/// Throws for a callback that the derived class must define.
[[noreturn]] void failNoCallback(py::handle self, char const* name) {
    setError(PyExc_NotImplementedError,
             fmt::format("[calibrator] expected {} to define {}(), the class does not",
                         Py_TYPE(self.ptr())->tp_name, name));
    throw py::error_already_set();
}

template <typename Class>
void bindCalibratorCallbacks(Class& cls) {
    cls.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def(
            "get_batch_size",
            [](py::object const& self) -> int { failNoCallback(self, "get_batch_size"); },
            "Callback: samples in a batch, an int.")
        .def(
            "get_batch",
            [](py::object const& self, std::vector<std::string> const&) -> std::vector<int64_t> {
                failNoCallback(self, "get_batch");
            },
            "names"_a,
            "Callback: addresses of the next batch in device memory, an int for each input of "
            "``names``; None at the end of the data.")
        .def(
            "read_calibration_cache",
            [](py::object const& self) -> py::bytes {
                failNoCallback(self, "read_calibration_cache");
            },
            "Callback: the cache of an earlier calibration, or None.")
        .def(
            "write_calibration_cache",
            [](py::object const& self, py::object const&) {
                failNoCallback(self, "write_calibration_cache");
            },
            "cache"_a, "Callback: receives the result of a calibration, valid during the call.");
}

template <typename Base, typename Trampoline>
void bindCalibratorKind(py::module_& m, char const* name, char const* doc) {
    py::class_<Base, IInt8Calibrator, Trampoline> cls(m, name, doc);
    bindCalibratorCallbacks(cls);
    cls.def("get_algorithm", &Base::getAlgorithm, "The CalibrationAlgoType of this class.");
}

} // namespace

void initCalibrators(py::module_& m) {
    py::class_<IInt8Calibrator, PythonFreeCalibrator> cls(
        m, "IInt8Calibrator",
        "Source of INT8 calibration data. Derive from one of the classes that fix the algorithm, "
        "or from this one. A build with BuilderFlag.INT8 reads the cache, or runs the network with "
        "all batches and writes the cache.");
    bindCalibratorCallbacks(cls);
    cls.def(
        "get_algorithm",
        [](py::object const& self) -> CalibrationAlgoType {
            failNoCallback(self, "get_algorithm");
        },
        "Callback: returns the CalibrationAlgoType, which turns samples into ranges.");
    bindCalibratorKind<IInt8EntropyCalibrator, PythonCalibrator<IInt8EntropyCalibrator>>(
        m, "IInt8EntropyCalibrator", "Calibrates by least loss of information, before fusion.");
    bindCalibratorKind<IInt8EntropyCalibrator2, PythonCalibrator<IInt8EntropyCalibrator2>>(
        m, "IInt8EntropyCalibrator2",
        "Calibrates by least loss of information, one range for each tensor.");
    bindCalibratorKind<IInt8MinMaxCalibrator, PythonCalibrator<IInt8MinMaxCalibrator>>(
        m, "IInt8MinMaxCalibrator", "Calibrates by the smallest and the largest value.");
    bindCalibratorKind<IInt8LegacyCalibrator, PythonLegacyCalibrator>(
        m, "IInt8LegacyCalibrator",
        "Calibrates by a quantile and a cutoff. The derived class also defines get_quantile(), "
        "get_regression_cutoff(), read_histogram_cache(length) and write_histogram_cache(data, "
        "length).");
}

} // namespace kiln::python
