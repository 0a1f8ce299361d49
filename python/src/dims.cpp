// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "bindings.h"

#include <fmt/format.h>

#include "descriptor_changes.h"

namespace kiln::python {
namespace {

using nvinfer1::Dims;
using nvinfer1::Dims2;
using nvinfer1::Dims3;
using nvinfer1::Dims4;
using nvinfer1::DimsHW;

/// Unknown shapes have the rank -1 and no elements.
std::size_t lengthOf(Dims const& dims) {
    return dims.nbDims < 0 ? 0 : static_cast<std::size_t>(dims.nbDims);
}

/// A shape of a fixed rank.
template <typename D, int kRank>
D fixedRank(Dims const& shape) {
    if (shape.nbDims != kRank) {
        throw py::value_error(
            fmt::format("[dims] expected {} dimensions, got {}", kRank, lengthOf(shape)));
    }
    D dims;
    static_cast<Dims&>(dims) = shape;
    return dims;
}

py::tuple asTuple(Dims const& dims) {
    py::tuple result(lengthOf(dims));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = dims.d[i];
    }
    return result;
}

std::size_t position(Dims const& dims, py::ssize_t index) {
    auto const length = static_cast<py::ssize_t>(lengthOf(dims));
    py::ssize_t const at = index < 0 ? index + length : index;
    if (at < 0 || at >= length) {
        throw py::index_error(
            fmt::format("[dims] index {} is out of range for {} dimensions", index, length));
    }
    return static_cast<std::size_t>(at);
}

void setSlice(Dims& dims, py::slice const& slice, Dims const& values) {
    std::size_t start = 0;
    std::size_t stop = 0;
    std::size_t step = 0;
    std::size_t length = 0;
    if (!slice.compute(lengthOf(dims), &start, &stop, &step, &length)) {
        throw py::error_already_set();
    }
    if (length != lengthOf(values)) {
        throw py::value_error(fmt::format("[dims] expected {} values for the slice, got {}", length,
                                          lengthOf(values)));
    }
    for (std::size_t i = 0; i < length; ++i, start += step) {
        dims.d[start] = values.d[i];
    }
    ++descriptorChanges;
}

bool equals(Dims const& dims, py::object const& other) {
    if (!py::isinstance<Dims>(other) && !py::isinstance<py::tuple>(other) &&
        !py::isinstance<py::list>(other)) {
        return false;
    }
    return asTuple(dims).equal(py::tuple(other));
}

/// Registers a class with len and [] as a collections.abc.Sequence and adds the missing methods.
void makeSequence(py::handle type) {
    py::object const sequence = py::module_::import("collections.abc").attr("Sequence");
    sequence.attr("register")(type);
    for (char const* const method : {"count", "index"}) {
        py::setattr(type, method, sequence.attr(method));
    }
}

void bindDims(py::module_& m) {
    py::class_<Dims> dims(m, "Dims",
                          "A shape: a sequence of at most 8 extents; -1 marks an unknown one.");
    dims.def(py::init([] { return Dims{0, {}}; }), "No dimensions.")
        .def(py::init([](Dims const& shape) { return shape; }), "shape"_a,
             "shape: the extents, a sequence of at most 8 integers.")
        .def("__len__", &lengthOf)
        .def("__getitem__",
             [](Dims const& dims, py::ssize_t index) { return dims.d[position(dims, index)]; })
        .def("__getitem__", [](Dims const& dims,
                               py::slice const& slice) { return py::tuple(asTuple(dims)[slice]); })
        .def("__setitem__",
             [](Dims& dims, py::ssize_t index, int64_t value) {
                 dims.d[position(dims, index)] = value;
                 ++descriptorChanges;
             })
        .def("__setitem__", &setSlice)
        .def("__iter__", [](Dims const& dims) { return py::iter(asTuple(dims)); })
        .def("__eq__", &equals)
        .def("__repr__", [](Dims const& dims) { return py::repr(asTuple(dims)); })
        .def("__str__", [](Dims const& dims) { return py::str(asTuple(dims)); })
        .def_property_readonly_static(
            "MAX_DIMS", [](py::object const&) { return static_cast<int>(Dims::MAX_DIMS); },
            "int: the largest number of dimensions.");
    makeSequence(dims);
}

void bindFixedRanks(py::module_& m) {
    py::class_<Dims2, Dims>(m, "Dims2", "A shape of two dimensions.")
        .def(py::init<>(), "Zeros.")
        .def(py::init<int64_t, int64_t>(), "dim0"_a, "dim1"_a, "The two extents.")
        .def(py::init(&fixedRank<Dims2, 2>), "shape"_a, "shape: two integers.");
    py::class_<DimsHW, Dims2>(m, "DimsHW", "A shape of height and width.")
        .def(py::init<>(), "Zeros.")
        .def(py::init<int64_t, int64_t>(), "h"_a, "w"_a, "Height and width.")
        .def(py::init(&fixedRank<DimsHW, 2>), "shape"_a, "shape: two integers.")
        .def_property(
            "h", [](DimsHW const& dims) { return dims.h(); },
            [](DimsHW& dims, int64_t value) { dims.h() = value; }, "int: the height.")
        .def_property(
            "w", [](DimsHW const& dims) { return dims.w(); },
            [](DimsHW& dims, int64_t value) { dims.w() = value; }, "int: the width.");
    // In Python, Dims3 and Dims4 derive from Dims, as in TensorRT; in C++ they derive from Dims2.
    py::class_<Dims3, Dims>(m, "Dims3", "A shape of three dimensions.")
        .def(py::init<>(), "Zeros.")
        .def(py::init<int64_t, int64_t, int64_t>(), "dim0"_a, "dim1"_a, "dim2"_a,
             "The three extents.")
        .def(py::init(&fixedRank<Dims3, 3>), "shape"_a, "shape: three integers.");
    py::class_<Dims4, Dims>(m, "Dims4", "A shape of four dimensions.")
        .def(py::init<>(), "Zeros.")
        .def(py::init<int64_t, int64_t, int64_t, int64_t>(), "dim0"_a, "dim1"_a, "dim2"_a, "dim3"_a,
             "The four extents.")
        .def(py::init(&fixedRank<Dims4, 4>), "shape"_a, "shape: four integers.");
}

void bindPermutation(py::module_& m) {
    using nvinfer1::Permutation;
    auto const at = [](py::ssize_t index) {
        if (index < 0 || index >= Dims::MAX_DIMS) {
            throw py::index_error(
                fmt::format("[permutation] index {} is out of range for {} entries", index,
                            static_cast<int>(Dims::MAX_DIMS)));
        }
        return static_cast<std::size_t>(index);
    };
    auto const listed = [](Permutation const& permutation) {
        return py::make_tuple(permutation.order[0], permutation.order[1], permutation.order[2],
                              permutation.order[3], permutation.order[4], permutation.order[5],
                              permutation.order[6], permutation.order[7]);
    };
    py::class_<Permutation>(m, "Permutation",
                            "An order of dimensions: output dimension i is input dimension p[i].")
        .def(py::init([] { return Permutation{{0, 1, 2, 3, 4, 5, 6, 7}}; }), "The identity.")
        .def(py::init([](Permutation const& order) { return order; }), py::arg(),
             "Entry i is the input dimension that becomes output dimension i.")
        .def("__len__", [](Permutation const&) { return static_cast<int>(Dims::MAX_DIMS); })
        .def("__getitem__", [at](Permutation const& p, py::ssize_t i) { return p.order[at(i)]; })
        .def("__setitem__",
             [at](Permutation& p, py::ssize_t i, int32_t value) { p.order[at(i)] = value; })
        .def("__repr__", [listed](Permutation const& p) { return py::repr(listed(p)); })
        .def("__str__", [listed](Permutation const& p) { return py::str(listed(p)); });
}

} // namespace

void initDims(py::module_& m) {
    bindDims(m);
    bindFixedRanks(m);
    bindPermutation(m);
}

} // namespace kiln::python
