// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "sym_exprs.h"

#include <optional>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"

namespace kiln::python {
namespace {

using nvinfer1::IDimensionExpr;
using nvinfer1::IKernelLaunchParams;
using nvinfer1::ISymExpr;

void setExpr(SymExprObject& self, py::object const& value) {
    if (py::isinstance<py::capsule>(value)) {
        self.expr.native = py::reinterpret_borrow<py::capsule>(value).get_pointer<IDimensionExpr>();
        return;
    }
    if (!py::isinstance<ExprObject>(value)) {
        throw py::type_error(fmt::format("[ISymExpr] expr: expected an IDimensionExpr, got {}",
                                         Py_TYPE(value.ptr())->tp_name));
    }
    self.expr = value.cast<ExprObject const&>();
    static_cast<void>(self.expr.get());
}

[[noreturn]] int unreadable(SymExprObject const&) {
    throw py::attribute_error("expected an attribute of ISymExpr to be set, got an attempt to "
                              "read one. They are for Kiln to read");
}

std::optional<SymExprObject> copyOfExpr(ISymExpr* native, ExprScope const& scope) {
    if (native == nullptr) {
        return std::nullopt;
    }
    SymExprObject copy;
    copy.type = native->getType();
    copy.dtype = native->getDataType();
    copy.expr = {static_cast<IDimensionExpr const*>(native->getExpr()), scope, {}};
    return copy;
}

void checkLaunchScope(ExprScope const& scope, char const* what) {
    if (!scope || !*scope) {
        throw std::runtime_error(fmt::format("[{}] expected use inside get_launch_params, got use "
                                             "after it returned",
                                             what));
    }
}

int32_t position(SymExprsObject const& self, py::ssize_t index) {
    py::ssize_t const length = self.get().getNbSymExprs();
    py::ssize_t const at = index < 0 ? index + length : index;
    if (at < 0 || at >= length) {
        throw py::index_error(fmt::format("[ISymExprs] index {} is out of range for {} arguments. "
                                          "Set nbSymExprs first.",
                                          index, length));
    }
    return static_cast<int32_t>(at);
}

constexpr char const* kForeign = "expected an ISymExpr with an expression of this call, got "
                                 "one without, or of another call";

bool setItem(SymExprsObject const& self, py::ssize_t index, SymExprObject& value) {
    if (!self.get().setSymExpr(position(self, index), &value)) {
        throw py::value_error(fmt::format("[ISymExprs] {}: {}", index, kForeign));
    }
    return true;
}

void setCount(SymExprsObject const& self, int32_t count) {
    if (!self.get().setNbSymExprs(count)) {
        throw py::value_error(
            fmt::format("[ISymExprs] nbSymExprs: expected 0 to 4096, got {}", count));
    }
}

using Get = ISymExpr* (IKernelLaunchParams::*)() noexcept;
using Set = bool (IKernelLaunchParams::*)(ISymExpr*) noexcept;

void bindLaunchParam(py::class_<LaunchParamsObject>& cls, char const* name, Get get, Set set,
                     char const* doc) {
    cls.def_property(
        name,
        [get](LaunchParamsObject const& self) {
            return copyOfExpr((self.get().*get)(), self.scope);
        },
        [set, name](LaunchParamsObject const& self, SymExprObject& value) {
            if (!(self.get().*set)(&value)) {
                throw py::value_error(fmt::format("[KernelLaunchParams] {}: {}", name, kForeign));
            }
        },
        doc);
}

} // namespace

nvinfer1::ISymExprs& SymExprsObject::get() const {
    checkLaunchScope(scope, "ISymExprs");
    return *native;
}

IKernelLaunchParams& LaunchParamsObject::get() const {
    checkLaunchScope(scope, "KernelLaunchParams");
    return *native;
}

void initSymExprs(py::module_& m) {
    py::class_<SymExprObject>(m, "ISymExpr",
                              "A scalar of a kernel that depends on shapes. Set its attributes, "
                              "and assign it; Kiln then reads it.")
        .def(py::init<>(), "A 32-bit integer without an expression.")
        .def_property(
            "type", &unreadable,
            [](SymExprObject& self, nvinfer1::PluginArgType type) { self.type = type; },
            "PluginArgType: the kind. Default: INT. Write only.")
        .def_property(
            "dtype", &unreadable,
            [](SymExprObject& self, nvinfer1::PluginArgDataType type) { self.dtype = type; },
            "PluginArgDataType: the width. Default: INT32. Write only.")
        .def_property("expr", &unreadable, &setExpr,
                      "IDimensionExpr, or a capsule of one: the value. Write only.");

    py::class_<SymExprsObject>(m, "ISymExprs", "The scalar arguments of a kernel, to be set.")
        .def("__len__", [](SymExprsObject const& self) { return self.get().getNbSymExprs(); })
        .def(
            "__getitem__",
            [](SymExprsObject const& self, py::ssize_t index) {
                return copyOfExpr(self.get().getSymExpr(position(self, index)), self.scope);
            },
            py::arg(), "ISymExpr | None: a copy of what was set.")
        .def("__setitem__", &setItem, py::arg(), py::arg(), "Sets an argument.")
        .def_property(
            "nbSymExprs", [](SymExprsObject const& self) { return self.get().getNbSymExprs(); },
            &setCount, "int: the number of arguments. Default: 0.");

    py::class_<LaunchParamsObject> launch(m, "KernelLaunchParams",
                                          "Grid, block and shared memory of a launch, to be "
                                          "set. Defaults: 1, and 0 bytes.");
    using P = IKernelLaunchParams;
    bindLaunchParam(launch, "grid_x", &P::getGridX, &P::setGridX, "ISymExpr: blocks along x.");
    bindLaunchParam(launch, "grid_y", &P::getGridY, &P::setGridY, "ISymExpr: blocks along y.");
    bindLaunchParam(launch, "grid_z", &P::getGridZ, &P::setGridZ, "ISymExpr: blocks along z.");
    bindLaunchParam(launch, "block_x", &P::getBlockX, &P::setBlockX, "ISymExpr: threads along x.");
    bindLaunchParam(launch, "block_y", &P::getBlockY, &P::setBlockY, "ISymExpr: threads along y.");
    bindLaunchParam(launch, "block_z", &P::getBlockZ, &P::setBlockZ, "ISymExpr: threads along z.");
    bindLaunchParam(launch, "shared_mem", &P::getSharedMem, &P::setSharedMem,
                    "ISymExpr: bytes of dynamic shared memory.");
}

} // namespace kiln::python
