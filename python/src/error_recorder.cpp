// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "bindings.h"
#include "user_callback.h"

namespace kiln::python {
namespace {

using nvinfer1::ErrorCode;
using nvinfer1::IErrorRecorder;

class PythonErrorRecorder final : public IErrorRecorder {
public:
    nvinfer1::APILanguage getAPILanguage() const noexcept override {
        return nvinfer1::APILanguage::kPYTHON;
    }
    int32_t getNbErrors() const noexcept override {
        return callUser<int32_t>(base(), "get_num_errors", 0);
    }
    ErrorCode getErrorCode(int32_t index) const noexcept override {
        return callUser(base(), "get_error_code", ErrorCode::kUNSPECIFIED_ERROR, index);
    }
    char const* getErrorDesc(int32_t index) const noexcept override {
        text_ = callUser<std::string>(base(), "get_error_desc", "", index);
        return text_.c_str();
    }
    bool hasOverflowed() const noexcept override {
        return callUser(base(), "has_overflowed", false);
    }
    void clear() noexcept override { notifyUser(base(), "clear"); }
    bool reportError(ErrorCode code, char const* text) noexcept override {
        return callUser(base(), "report_error", false, code, text);
    }
    // Python counts the references; objects that use the recorder hold one.
    RefCount incRefCount() noexcept override { return ++count_; }
    RefCount decRefCount() noexcept override { return --count_; }

private:
    IErrorRecorder const* base() const noexcept { return this; }

    mutable std::string text_;
    RefCount count_ = 0;
};

} // namespace

void initErrorRecorder(py::module_& m) {
    py::class_<IErrorRecorder, PythonErrorRecorder> recorder(
        m, "IErrorRecorder",
        "Receives every error of the objects on which it is set. Derive from this class and define "
        "clear, get_error_code, get_error_desc, get_num_errors, has_overflowed and report_error.");
    recorder.def(py::init<>(), "To be called by the __init__ of the derived class.")
        .def("num_errors", &IErrorRecorder::getNbErrors, "The number of stored errors.")
        .def("get_error_code", &IErrorRecorder::getErrorCode, py::arg(),
             "Callback: the ErrorCodeTRT of the error of a given index.")
        .def("get_error_desc", &IErrorRecorder::getErrorDesc, py::arg(),
             "Callback: the text of the error of a given index.")
        .def("has_overflowed", &IErrorRecorder::hasOverflowed,
             "Callback: whether errors were dropped because the recorder is full.")
        .def("clear", &IErrorRecorder::clear, "Callback: removes all errors.")
        .def("report_error", &IErrorRecorder::reportError, py::arg(), py::arg(),
             "Callback: receives an error, its ErrorCodeTRT and its text; returns whether it is "
             "fatal.");
    recorder.attr("MAX_DESC_LENGTH") = py::int_(IErrorRecorder::kMAX_DESC_LENGTH);
}

} // namespace kiln::python
