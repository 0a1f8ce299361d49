// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Shapes and permutations as arguments: any sequence of integers converts, not only the bound
// classes. Tuples, lists and NumPy arrays are read in place, without intermediate Python objects.
#pragma once

#include <optional>

#include <NvInfer.h>
#include <pybind11/pybind11.h>

namespace kiln::python {

namespace py = pybind11;

/// Whether an object is a sequence, but not str or bytes.
bool isSequence(py::handle object);

/// The value of an int, a NumPy integer, an enum member or another object with __index__; nullopt
/// for other objects. Throws what __index__ raises, and OverflowError beyond 64 bits.
std::optional<int64_t> integerFrom(py::handle object);

/// A sequence of at most Dims::MAX_DIMS integers as a shape. False if it is not a sequence. Throws
/// ValueError for more elements, TypeError for an element that is not an integer.
bool readDims(py::handle source, nvinfer1::Dims& dims);

/// The same for a permutation; dimensions without an entry stay in place.
bool readPermutation(py::handle source, nvinfer1::Permutation& permutation);

} // namespace kiln::python

namespace pybind11::detail {

/// Loads an object of a bound class, or else a value that `kRead` reads into the caster.
template <typename T, bool (*kRead)(handle, T&)>
class sequence_caster : public type_caster_base<T> {
public:
    sequence_caster() = default;
    sequence_caster(sequence_caster const& other) : type_caster_base<T>(other), own_(other.own_) {
        if (other.value == &other.own_) {
            this->value = &own_;
        }
    }
    sequence_caster& operator=(sequence_caster const&) = delete;

    bool load(handle source, bool convert) {
        if (type_caster_base<T>::load(source, false)) {
            return true;
        }
        if (!convert || !kRead(source, own_)) {
            return false;
        }
        this->value = &own_;
        return true;
    }

private:
    T own_{};
};

template <>
class type_caster<nvinfer1::Dims>
    : public sequence_caster<nvinfer1::Dims, &kiln::python::readDims> {};

template <>
class type_caster<nvinfer1::Permutation>
    : public sequence_caster<nvinfer1::Permutation, &kiln::python::readPermutation> {};

} // namespace pybind11::detail
