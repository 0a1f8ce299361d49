// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "buffer.h"

#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <kiln/kiln.h>
#include <pybind11/stl.h>

#include "array_protocols.h"
#include "bindings.h"
#include "dlpack.h"
#include "gil.h"
#include "native_object.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::PluginTensorDesc;
using nvinfer1::TensorFormat;

std::string nameOf(DataType type) {
    return py::str(py::cast(type)).cast<std::string>();
}

/// The names of a type in array libraries; `typestr` is null for types that NumPy lacks.
struct TypeRule {
    char const* typestr;
    dlpack::DataType dlpack;
    char const* mlDtype = nullptr; // its name in the package ml_dtypes
};

TypeRule ruleOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return {"<f4", {dlpack::kFloat, 32, 1}};
    case DataType::kHALF: return {"<f2", {dlpack::kFloat, 16, 1}};
    case DataType::kBF16: return {nullptr, {dlpack::kBfloat, 16, 1}, "bfloat16"};
    case DataType::kINT8: return {"|i1", {dlpack::kInt, 8, 1}};
    case DataType::kUINT8: return {"|u1", {dlpack::kUInt, 8, 1}};
    case DataType::kINT32: return {"<i4", {dlpack::kInt, 32, 1}};
    case DataType::kINT64: return {"<i8", {dlpack::kInt, 64, 1}};
    case DataType::kBOOL: return {"|b1", {dlpack::kBool, 8, 1}};
    case DataType::kFP8: return {nullptr, {dlpack::kFloat8E4m3fn, 8, 1}, "float8_e4m3fn"};
    case DataType::kE8M0: return {nullptr, {dlpack::kFloat8E8m0, 8, 1}, "float8_e8m0fnu"};
    default:
        throw py::type_error(fmt::format(
            "[buffer] desc: expected a type of whole bytes, got {}. Describe the memory "
            "as UINT8, each of which holds two elements.",
            nameOf(type)));
    }
}

int64_t bytesOf(DataType type) {
    return ruleOf(type).dlpack.bits / 8;
}

int64_t countOf(std::vector<int64_t> const& shape) {
    int64_t count = 1;
    for (int64_t const extent : shape) {
        count *= extent;
    }
    return count;
}

/// A copy of a member under one of two names; arrays use the second.
template <typename T>
T memberOf(py::object const& desc, char const* name, char const* other) {
    py::object const value = py::getattr(desc, name, py::getattr(desc, other, py::none()));
    py::detail::make_caster<T> caster;
    if (value.is_none() || !caster.load(value, true)) {
        throw py::type_error(
            fmt::format("[buffer] desc: expected a PluginTensorDesc, or an object with dims and "
                        "type, got {} ({} is {}). Pass the descriptor that came with the address.",
                        Py_TYPE(desc.ptr())->tp_name, name, py::repr(value).cast<std::string>()));
    }
    return py::detail::cast_op<T>(caster);
}

int32_t deviceFrom(std::optional<std::string> const& name) {
    int32_t const current = currentDevice();
    if (!name || *name == "cuda") {
        return name && current < 0 ? 0 : current;
    }
    if (*name != "cpu") {
        throw py::value_error(
            fmt::format("[buffer] device: expected 'cpu', 'cuda' or None, got '{}'", *name));
    }
    return -1;
}

Buffer bufferOf(std::uintptr_t address, py::object desc, bool readOnly,
                std::optional<std::string> const& deviceName) {
    int32_t const device = deviceFrom(deviceName);
    // The descriptors that enqueue receives come first; load() without conversion is fast.
    py::detail::make_caster<PluginTensorDesc> caster;
    if (caster.load(desc, false)) {
        auto const& known = py::detail::cast_op<PluginTensorDesc const&>(caster);
        return makeBuffer(address, known, readOnly, device);
    }
    if (py::isinstance<nvinfer1::DynamicPluginTensorDesc>(desc)) {
        auto const& dynamic = desc.cast<nvinfer1::DynamicPluginTensorDesc const&>();
        return makeBuffer(address, dynamic.desc, readOnly, device);
    }
    PluginTensorDesc native{};
    native.dims = memberOf<Dims>(desc, "dims", "shape");
    native.type = memberOf<DataType>(desc, "type", "dtype");
    if (py::hasattr(desc, "format")) {
        native.format = memberOf<TensorFormat>(desc, "format", "format");
    }
    return makeBuffer(address, native, readOnly, device);
}

/// Numbers as a tuple, each times `factor`.
py::object tupleOf(std::vector<int64_t> const& numbers, int64_t factor) {
    PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(numbers.size()));
    for (std::size_t i = 0; tuple != nullptr && i < numbers.size(); ++i) {
        PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i),
                         PyLong_FromLongLong(numbers[i] * factor));
    }
    return py::reinterpret_steal<py::object>(tuple);
}

/// Strides in bytes; None if elements are packed in order, because readers then skip them.
py::object stridesOf(Buffer const& self, int64_t bytes) {
    int64_t step = 1;
    bool packed = true;
    for (std::size_t i = self.layout.shape.size(); i-- > 0;) {
        packed = packed && self.layout.strides[i] == step;
        step *= self.layout.shape[i];
    }
    return packed ? py::object(py::none()) : tupleOf(self.layout.strides, bytes);
}

/// The dictionary of both array interfaces. A plugin may read it in each call, so its keys are
/// created once.
py::dict arrayInterface(Buffer const& self, int version) {
    static PyObject* const keys[] = {
        PyUnicode_InternFromString("shape"), PyUnicode_InternFromString("strides"),
        PyUnicode_InternFromString("typestr"), PyUnicode_InternFromString("data"),
        PyUnicode_InternFromString("version")};
    TypeRule const rule = ruleOf(self.type);
    if (rule.typestr == nullptr) {
        throw py::attribute_error(fmt::format(
            "the array interface has no type for {}: use torch.from_dlpack", nameOf(self.type)));
    }
    int64_t const bytes = bytesOf(self.type);
    py::object const values[] = {tupleOf(self.layout.shape, 1), stridesOf(self, bytes),
                                 py::str(rule.typestr), py::make_tuple(self.address, self.readOnly),
                                 py::int_(version)};
    py::dict result;
    for (std::size_t i = 0; i < std::size(keys); ++i) {
        if (PyDict_SetItem(result.ptr(), keys[i], values[i].ptr()) != 0) {
            throw py::error_already_set();
        }
    }
    return result;
}

/// The type of the package ml_dtypes for elements that NumPy itself does not have.
py::object mlTypeOf(DataType type) {
    try {
        return py::module_::import("ml_dtypes").attr(ruleOf(type).mlDtype);
    } catch (py::error_already_set const& error) {
        bool const isOld = error.matches(PyExc_AttributeError);
        throw py::type_error(
            fmt::format("[buffer] expected a type that NumPy has, got {}. {} ml_dtypes, or use "
                        "torch.from_dlpack.",
                        nameOf(type), isOld ? "Install a newer" : "Install"));
    }
}

dlpack::Device deviceOf(Buffer const& self) {
    return self.device < 0 ? dlpack::Device{dlpack::kCpu, 0}
                           : dlpack::Device{dlpack::kCuda, self.device};
}

[[noreturn]] void refuse(std::string const& text) {
    throw py::buffer_error(text);
}

/// A DLPack struct with the extents that it points to.
template <typename Managed>
struct Exported {
    Managed managed{};
    BufferLayout layout;
    py::object owner;

    Exported(Buffer const& buffer, py::object keeper)
        : layout(buffer.layout), owner(std::move(keeper)) {
        managed.tensor = {toPointer(buffer.address),
                          deviceOf(buffer),
                          static_cast<int32_t>(layout.shape.size()),
                          ruleOf(buffer.type).dlpack,
                          layout.shape.data(),
                          layout.strides.data(),
                          0};
        managed.context = this;
        managed.deleter = [](Managed* self) { delete static_cast<Exported*>(self->context); };
    }
    Exported(Exported const&) = delete;
    Exported& operator=(Exported const&) = delete;
    /// Readers call the deleter from any thread.
    ~Exported() {
        if (owner) {
            Gil const gil;
            if (gil) {
                owner = py::object();
            } else {
                static_cast<void>(owner.release()); // leaked: the interpreter has ended
            }
        }
    }

    /// A consumer renames the capsule and calls the deleter itself.
    static py::capsule give(std::unique_ptr<Exported> exported, char const* name) {
        py::capsule result(&exported->managed, name, [](PyObject* capsule) {
            char const* const unused = PyCapsule_GetName(capsule);
            if (std::strncmp(unused, "used_", 5) != 0) {
                auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, unused));
                managed->deleter(managed);
            }
        });
        static_cast<void>(exported.release());
        return result;
    }
};

} // namespace

int32_t currentDevice() {
    return kiln::pluginRun().device;
}

Buffer makeBuffer(std::uintptr_t address, PluginTensorDesc const& desc, bool readOnly,
                  int32_t device) {
    Buffer buffer{address, desc.type, layoutOf(desc.dims, desc.format), readOnly, device};
    bytesOf(desc.type);
    if (address == 0 && countOf(buffer.layout.shape) != 0) {
        throw py::value_error(fmt::format(
            "[buffer] ptr: expected the address of {} elements, got 0, which is the address of an "
            "empty tensor alone. Pass an address that enqueue or the owner of the memory gave.",
            countOf(buffer.layout.shape)));
    }
    return buffer;
}

py::dict hostInterface(Buffer const& buffer) {
    if (buffer.device >= 0) {
        throw py::attribute_error("__array_interface__ is for host memory, this is memory of a "
                                  "GPU: use torch.as_tensor or cupy.asarray");
    }
    return arrayInterface(buffer, 3);
}

py::dict cudaInterface(Buffer const& buffer) {
    if (buffer.device < 0) {
        throw py::attribute_error("__cuda_array_interface__ is for memory of a GPU, this is host "
                                  "memory: use np.asarray, or torch.as_tensor(x, device=x.device)");
    }
    // No entry "stream": work on the engine's stream does not need it, and with it consumers would
    // wait for the stream on the host in each call.
    return arrayInterface(buffer, 3);
}

/// NumPy and CuPy ask for an array where there is no interface. Elements that NumPy itself has no
/// type for are those of the package ml_dtypes, which registers some.
py::object asArray(Buffer const& self, py::object const& dtype, py::object const& copy) {
    TypeRule const rule = ruleOf(self.type);
    if (self.device >= 0) {
        throw py::type_error(fmt::format(
            "[buffer] expected host memory for NumPy, got {} in memory of a GPU. Use {}, "
            "or the target cpu.",
            nameOf(self.type),
            rule.typestr == nullptr ? "torch.from_dlpack" : "torch.as_tensor or cupy.asarray"));
    }
    py::object const asarray = py::module_::import("numpy").attr("asarray");
    py::object array;
    if (rule.mlDtype == nullptr) {
        array = asarray(self);
    } else {
        Buffer raw = self;
        raw.type = bytesOf(self.type) == 2 ? DataType::kHALF : DataType::kUINT8; // of that width
        array = asarray(raw).attr("view")(mlTypeOf(self.type));
    }
    if (!dtype.is_none()) {
        array = array.attr("astype")(dtype);
    }
    return copy.is(py::bool_(true)) ? array.attr("copy")() : array;
}

std::pair<int, int> dlpackDevice(Buffer const& buffer) {
    dlpack::Device const device = deviceOf(buffer);
    return {device.type, device.id};
}

py::capsule exportDlpack(Buffer const& self, std::optional<std::pair<int, int>> const& maxVersion,
                         std::optional<std::pair<int, int>> const& device,
                         std::optional<bool> const& copy, py::object owner) {
    dlpack::Device const own = deviceOf(self);
    if (device && *device != std::pair<int, int>(own.type, own.id)) {
        refuse(fmt::format("[buffer] __dlpack__: expected the buffer's own device, ({}, {}), got "
                           "({}, {}). Take it without a device and move the array afterwards.",
                           static_cast<int>(own.type), own.id, device->first, device->second));
    }
    if (copy.value_or(false)) {
        refuse("[buffer] __dlpack__: expected copy=None or False, got True. Copy the array "
               "afterwards.");
    }
    bool const versioned = maxVersion && maxVersion->first >= 1;
    if (self.readOnly && !versioned) {
        refuse("[buffer] __dlpack__: expected a reader of DLPack 1.0 or later, which can be told "
               "that memory is read-only, got an older one. Take np.asarray, or make the buffer "
               "without readonly=True.");
    }
    return toDlpack(self, versioned, std::move(owner));
}

py::capsule toDlpack(Buffer const& buffer, bool versioned, py::object owner) {
    if (!versioned) {
        using Old = Exported<dlpack::Managed>;
        return Old::give(std::make_unique<Old>(buffer, std::move(owner)), "dltensor");
    }
    using New = Exported<dlpack::Versioned>;
    auto exported = std::make_unique<New>(buffer, std::move(owner));
    exported->managed.major = 1;
    exported->managed.minor = 1;
    exported->managed.flags = buffer.readOnly ? dlpack::kReadOnly : 0;
    return New::give(std::move(exported), "dltensor_versioned");
}

void initBuffer(py::module_& m) {
    py::class_<Buffer> cls(m, "Buffer",
                           "The memory of a tensor, which array libraries use without a copy. Made "
                           "by buffer(); valid only as long as the memory.");
    cls.def_readonly("ptr", &Buffer::address, "int: the address.")
        .def_readonly("dtype", &Buffer::type, "DataType: of the elements.")
        .def_property_readonly(
            "shape", [](Buffer const& self) { return py::tuple(py::cast(self.layout.shape)); },
            "tuple[int, ...]: the extents.")
        .def_readonly("readonly", &Buffer::readOnly, "bool: whether the memory is read-only.");
    bindArrayProtocols(cls, [](Buffer const& self) { return self; });

    m.def(
        "_dlpack_of",
        [](py::object const& buffer, py::object owner,
           std::optional<std::pair<int, int>> const& maxVersion,
           std::optional<std::pair<int, int>> const& device, std::optional<bool> const& copy) {
            return exportDlpack(buffer.cast<Buffer const&>(), maxVersion, device, copy,
                                std::move(owner));
        },
        "buffer"_a, "owner"_a, "max_version"_a, "dl_device"_a, "copy"_a,
        "A DLPack capsule that keeps the owner of the memory alive.");
    m.def("buffer", &bufferOf, "ptr"_a, "desc"_a, "readonly"_a = false, "device"_a = py::none(),
          "The memory of a tensor as an object for np.asarray, torch.as_tensor, cupy.asarray or "
          "from_dlpack; nothing is copied.\n\n"
          "ptr: int, an address that enqueue received; 0 only for an empty tensor. desc: "
          "PluginTensorDesc, or an object with dims and type. readonly: bool, whether arrays are "
          "read-only. Default: False. device: 'cpu' or 'cuda', where the memory is. Default: "
          "inside enqueue, the device of the engine; elsewhere that of the default target. Shape "
          "inputs are in host memory on every target: pass 'cpu'.\n"
          "Formats that store channels in groups (CHW4, ...) have the group as an additional last "
          "dimension.\n"
          "Raises ValueError for unknown extents, TypeError for types smaller than a byte.\n"
          "Example: ``np.asarray(kiln.buffer(outputs[0], output_desc[0]))[:] = 0``.");
}

} // namespace kiln::python
