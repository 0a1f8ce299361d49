// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "exprs.h"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include "bindings.h"

namespace kiln::python {

/// An argument that is an expression or an integer.
struct Operand {
    ExprObject value;
};

} // namespace kiln::python

namespace pybind11::detail {

template <>
class type_caster<kiln::python::Operand> {
public:
    PYBIND11_TYPE_CASTER(kiln::python::Operand,
                         const_name("kiln._core.IDimensionExpr | typing.SupportsIndex"));

    bool load(handle source, bool) {
        using kiln::python::ExprObject;
        if (isinstance<ExprObject>(source)) {
            value.value = source.cast<ExprObject const&>();
            return true;
        }
        value.value = {};
        if (!kiln::python::isSequence(source)) {
            value.value.number = kiln::python::integerFrom(source);
        }
        return value.value.number.has_value();
    }
};

} // namespace pybind11::detail

namespace kiln::python {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::Dims;
using nvinfer1::IDimensionExpr;

void checkScope(ExprScope const& scope, char const* what) {
    if (!scope || !*scope) {
        throw std::runtime_error(fmt::format(
            "[{}] expected use inside the callback that it was given to, got use after it "
            "returned. Keep numbers, not expressions.",
            what));
    }
}

/// None for null. (With std::optional in signatures, type checkers would require a None check.)
std::unique_ptr<ExprObject> wrap(IDimensionExpr const* native, ExprScope const& scope) {
    return native == nullptr ? nullptr
                             : std::make_unique<ExprObject>(ExprObject{native, scope, {}});
}

[[noreturn]] void failNone(py::ssize_t index) {
    throw py::value_error(fmt::format(
        "[DimsExprs] dimension {}: expected an IDimensionExpr, got None, which "
        "IExprBuilder.operation returns for an unknown operation, a division by the constant 0 "
        "and an overflow",
        index));
}

DimsExprsObject extentsOf(py::iterable const& values) {
    DimsExprsObject result;
    for (py::handle const value : values) {
        if (value.is_none()) {
            failNone(static_cast<py::ssize_t>(result.extents.size()));
        }
        py::detail::make_caster<Operand> extent;
        if (!extent.load(value, true)) {
            throw py::type_error(fmt::format(
                "[DimsExprs] expected an IDimensionExpr or an int for each extent, got {}",
                Py_TYPE(value.ptr())->tp_name));
        }
        result.extents.push_back(py::detail::cast_op<Operand&>(extent).value);
    }
    if (result.extents.size() > static_cast<std::size_t>(Dims::MAX_DIMS)) {
        throw py::value_error(fmt::format("[DimsExprs] expected at most {} dimensions, got {}",
                                          static_cast<int>(Dims::MAX_DIMS), result.extents.size()));
    }
    return result;
}

std::size_t position(DimsExprsObject const& shape, py::ssize_t index) {
    auto const length = static_cast<py::ssize_t>(shape.extents.size());
    py::ssize_t const at = index < 0 ? index + length : index;
    if (at < 0 || at >= length) {
        throw py::index_error(
            fmt::format("[DimsExprs] index {} is out of range for {} dimensions", index, length));
    }
    return static_cast<std::size_t>(at);
}

} // namespace

IDimensionExpr const& ExprObject::get(nvinfer1::IExprBuilder& builder) const {
    return number ? *builder.constant(*number) : get();
}

IDimensionExpr const& ExprObject::get() const {
    if (native == nullptr) {
        throw py::value_error("[IDimensionExpr] expected an expression, got an extent that was "
                              "never set. Set every element of DimsExprs.");
    }
    checkScope(scope, "IDimensionExpr");
    return *native;
}

nvinfer1::IExprBuilder& ExprBuilderObject::get() const {
    checkScope(scope, "IExprBuilder");
    return *native;
}

DimsExprsObject DimsExprsObject::from(nvinfer1::DimsExprs const& shape, ExprScope const& scope) {
    DimsExprsObject result;
    for (int32_t i = 0; i < shape.nbDims; ++i) {
        result.extents.push_back({shape.d[i], scope, {}});
    }
    return result;
}

nvinfer1::DimsExprs DimsExprsObject::native(nvinfer1::IExprBuilder& builder) const {
    nvinfer1::DimsExprs result{static_cast<int32_t>(extents.size()), {}};
    for (std::size_t i = 0; i < extents.size(); ++i) {
        result.d[i] = &extents[i].get(builder);
    }
    return result;
}

py::list ExprCall::shapes(nvinfer1::DimsExprs const* values, int32_t count) const {
    py::list result;
    for (int32_t i = 0; i < count; ++i) {
        result.append(DimsExprsObject::from(values[i], scope_));
    }
    return result;
}

nvinfer1::DimsExprs toDimsExprs(py::handle value, nvinfer1::IExprBuilder& builder,
                                char const* callback, int32_t output) {
    if (py::isinstance<DimsExprsObject>(value)) {
        return value.cast<DimsExprsObject const&>().native(builder);
    }
    if (!isSequence(value)) {
        throw py::type_error(fmt::format("{}: expected a DimsExprs for output {}, got {}", callback,
                                         output, Py_TYPE(value.ptr())->tp_name));
    }
    return extentsOf(py::reinterpret_borrow<py::iterable>(value)).native(builder);
}

void initExprs(py::module_& m) {
    py::class_<ExprObject>(m, "IDimensionExpr",
                           "A symbolic extent. Valid only inside the callback that received it.")
        .def(
            "is_constant",
            [](ExprObject const& self) { return self.number || self.get().isConstant(); },
            "Whether the value is known while the engine is built.")
        .def(
            "get_constant_value",
            [](ExprObject const& self) {
                return self.number ? *self.number : self.get().getConstantValue();
            },
            "The value as an int, if is_constant(); else -2**63, which is not an extent.")
        .def(
            "is_size_tensor",
            [](ExprObject const& self) { return !self.number && self.get().isSizeTensor(); },
            "Whether this is a size tensor, an extent that the plugin computes when it runs.");

    py::class_<DimsExprsObject>(m, "DimsExprs", "A shape of symbolic extents.")
        .def(py::init<>(), "No dimensions.")
        .def(py::init([](int rank) {
                 if (rank < 0 || rank > Dims::MAX_DIMS) {
                     throw py::value_error(
                         fmt::format("[DimsExprs] expected 0 to {} dimensions, got {}",
                                     static_cast<int>(Dims::MAX_DIMS), rank));
                 }
                 DimsExprsObject result;
                 result.extents.resize(static_cast<std::size_t>(rank));
                 return result;
             }),
             "The rank; set every extent before use.")
        .def(py::init(&extentsOf),
             "The extents, e.g. a list or another DimsExprs; integers stand for constants.")
        .def("__len__", [](DimsExprsObject const& self) { return self.extents.size(); })
        .def("__getitem__", [](DimsExprsObject const& self,
                               py::ssize_t index) { return self.extents[position(self, index)]; })
        .def("__iter__",
             [](DimsExprsObject const& self) -> py::typing::Iterator<ExprObject> {
                 py::list items;
                 for (ExprObject const& extent : self.extents) {
                     items.append(extent);
                 }
                 return py::iter(items);
             })
        .def("__setitem__",
             [](DimsExprsObject& self, py::ssize_t index, std::optional<Operand> const& extent) {
                 if (!extent.has_value()) {
                     failNone(index);
                 }
                 self.extents[position(self, index)] = extent->value;
             });

    py::class_<ExprBuilderObject>(m, "IExprBuilder",
                                  "Creates symbolic extents. Valid only inside the callback that "
                                  "received it.")
        .def(py::init<>(), "A builder without a callback, which creates nothing.")
        .def(
            "constant",
            [](ExprBuilderObject const& self, int64_t value) {
                return wrap(self.get().constant(value), self.scope);
            },
            "An extent of a given value.")
        .def(
            "operation",
            [](ExprBuilderObject const& self, DimensionOperation op, Operand const& first,
               Operand const& second) {
                nvinfer1::IExprBuilder& builder = self.get();
                return wrap(
                    builder.operation(op, first.value.get(builder), second.value.get(builder)),
                    self.scope);
            },
            "The extent ``first op second``; None for an unknown operation, a division by the "
            "constant 0 and an overflow.\n\n"
            "Example: ``expr_builder.operation(trt.DimensionOperation.SUM, inputs[0][1], one)``.")
        .def(
            "declare_size_tensor",
            [](ExprBuilderObject const& self, int32_t outputIndex, Operand const& opt,
               Operand const& upper) {
                nvinfer1::IExprBuilder& builder = self.get();
                return wrap(builder.declareSizeTensor(outputIndex, opt.value.get(builder),
                                                      upper.value.get(builder)),
                            self.scope);
            },
            "An extent that the plugin writes to its output of the given index when it runs.\n\n"
            "opt: the extent to tune for. upper: the largest one.");
}

} // namespace kiln::python
