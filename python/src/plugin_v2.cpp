// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin_v2.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "bindings.h"
#include "byte_view.h"
#include "exprs.h"

namespace kiln::python {
namespace {

using nvinfer1::DataType;
using nvinfer1::DimsExprs;
using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::IPluginV2;
using nvinfer1::IPluginV2DynamicExt;
using nvinfer1::PluginTensorDesc;

std::size_t sizeOf(int32_t count) {
    return static_cast<std::size_t>(count);
}

/// A Python object as a native plugin.
class PythonPluginV2 final : public IPluginV2DynamicExt {
public:
    PythonPluginV2(py::object self, bool owned, TensorCounts counts)
        : state_(std::make_unique<State>(std::move(self), owned, counts)) {
        remember(static_cast<IPluginV2*>(this), state_->self);
    }

    ~PythonPluginV2() override {
        Gil const gil;
        if (!gil) {
            static_cast<void>(state_.release()); // leaked: the interpreter has ended
            return;
        }
        orPark([&] {
            if (state_->owned && state_->destroy.defined(state_->self.ptr())) {
                finish(state_->destroy);
            }
            forget(static_cast<IPluginV2*>(this));
            FinalizerErrors const errors;
            state_.reset();
        });
    }

    int32_t getTensorRTVersion() const noexcept override {
        return nvinfer1::impl::taggedVersion(nvinfer1::PluginVersion::kV2_DYNAMICEXT_PYTHON);
    }
    char const* getPluginType() const noexcept override {
        return text("plugin_type", state_->type);
    }
    char const* getPluginVersion() const noexcept override {
        return text("plugin_version", state_->version);
    }
    char const* getPluginNamespace() const noexcept override {
        return text("plugin_namespace", state_->space);
    }
    void setPluginNamespace(char const* space) noexcept override {
        guarded(0, [&] {
            state_->self.attr("plugin_namespace") = space == nullptr ? "" : space;
            return 0;
        });
    }

    int32_t getNbOutputs() const noexcept override {
        return guarded<int32_t>(-1, [&] {
            return static_cast<int32_t>(
                std::min<int64_t>(integerAttribute(state_->self, "num_outputs", 1), INT32_MAX));
        });
    }

    DataType getOutputDataType(int32_t index, DataType const* inputTypes,
                               int32_t inputCount) const noexcept override {
        return guarded(static_cast<DataType>(-1), [&] {
            Callback& callback = state_->dataType;
            if (!callback.defined(self())) {
                return inputCount > 0 ? inputTypes[0] : DataType::kFLOAT;
            }
            py::list inputs;
            std::for_each_n(inputTypes, inputCount, [&](DataType type) { inputs.append(type); });
            py::int_ const number(index);
            py::object const result = taken(callback(self(), number.ptr(), inputs.ptr()));
            if (!py::isinstance(result, EnumTable<DataType>::type)) {
                throw py::type_error(fmt::format("{}: expected a DataType for output {}, got {}",
                                                 callback.name(), index, className(result)));
            }
            return result.cast<DataType>();
        });
    }

    DimsExprs getOutputDimensions(int32_t index, DimsExprs const* inputs, int32_t inputCount,
                                  nvinfer1::IExprBuilder& builder) noexcept override {
        return guarded(DimsExprs{-1, {}}, [&] {
            Callback& callback = state_->dimensions;
            ExprCall const call(builder);
            py::int_ const number(index);
            py::list const shapes = call.shapes(inputs, inputCount);
            py::object const exprs = call.builder();
            py::object const result =
                taken(callback(self(), number.ptr(), shapes.ptr(), exprs.ptr()));
            return toDimsExprs(result, builder, callback.name(), index);
        });
    }

    bool supportsFormatCombination(int32_t position, PluginTensorDesc const* inOut,
                                   int32_t inputCount, int32_t outputCount) noexcept override {
        return guarded(false, [&] {
            PyObject* const descs =
                state_->staticIn.get(inOut, sizeOf(inputCount) + sizeOf(outputCount));
            if (descs == nullptr) {
                throw py::error_already_set();
            }
            py::int_ const at(position);
            py::int_ const count(inputCount);
            PyObject* const result = state_->supports(self(), at.ptr(), descs, count.ptr());
            return toBool(taken(result), self(), state_->supports.name());
        });
    }

    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t inputCount,
                         DynamicPluginTensorDesc const* out,
                         int32_t outputCount) noexcept override {
        guarded(0, [&] {
            state_->counts = {sizeOf(inputCount), sizeOf(outputCount)};
            PyObject* const inputs = state_->in.get(in, state_->counts.inputs);
            PyObject* const outputs = state_->out.get(out, state_->counts.outputs);
            if (inputs == nullptr || outputs == nullptr) {
                throw py::error_already_set();
            }
            // There is no code to return: a reported failure fails the call.
            codeFrom(state_->configure(self(), inputs, outputs), state_->configure.name());
            return 0;
        });
    }

    std::size_t getWorkspaceSize(PluginTensorDesc const* in, int32_t inputCount,
                                 PluginTensorDesc const* out,
                                 int32_t outputCount) const noexcept override {
        return guarded<std::size_t>(0, [&]() -> std::size_t {
            Callback& callback = state_->workspace;
            if (!callback.defined(self())) {
                return 0;
            }
            PyObject* const inputs = state_->staticIn.get(in, sizeOf(inputCount));
            PyObject* const outputs = state_->staticOut.get(out, sizeOf(outputCount));
            if (inputs == nullptr || outputs == nullptr) {
                throw py::error_already_set();
            }
            PyObject* const result = callback(self(), inputs, outputs);
            return static_cast<std::size_t>(toInteger(taken(result), callback.name(), 0));
        });
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        return guarded<int32_t>(1, [&] {
            return state_->arguments.call(state_->enqueue, self(),
                                          {state_->counts.inputs, state_->counts.outputs,
                                           inputDescs, outputDescs, inputs, outputs, workspace,
                                           stream});
        });
    }

    int32_t initialize() noexcept override {
        return guarded<int32_t>(1, [&] { return optional(state_->initialize); });
    }
    void terminate() noexcept override {
        guarded(0, [&] {
            if (state_->terminate.defined(self())) {
                finish(state_->terminate);
            }
            return 0;
        });
    }

    std::size_t getSerializationSize() const noexcept override {
        return guarded<std::size_t>(0, [&]() -> std::size_t {
            if (state_->serializationSize.defined(self())) {
                py::object const result = taken(state_->serializationSize(self()));
                return state_->announced = static_cast<std::size_t>(
                           toInteger(result, state_->serializationSize.name(), 0));
            }
            // One call of serialize gives both size and bytes.
            state_->bytes = serialized();
            return state_->announced = state_->bytes->size();
        });
    }

    void serialize(void* buffer) const noexcept override {
        guarded(0, [&] {
            std::string const bytes = state_->bytes ? *state_->bytes : serialized();
            state_->bytes.reset();
            if (bytes.size() != state_->announced) {
                throw py::value_error(
                    fmt::format("serialize: expected {} bytes (get_serialization_size), got {}",
                                state_->announced, bytes.size()));
            }
            std::memcpy(buffer, bytes.data(), bytes.size());
            return 0;
        });
    }

    void attachToContext(cudnnContext* cudnn, cublasContext* cublas,
                         nvinfer1::IGpuAllocator* allocator) noexcept override {
        guarded(0, [&] {
            Callback& callback = state_->attach;
            if (callback.defined(self())) {
                py::object const first = handleOf(cudnn);
                py::object const second = handleOf(cublas);
                py::object const third = py::cast(allocator, py::return_value_policy::reference);
                codeFrom(callback(self(), first.ptr(), second.ptr(), third.ptr()), callback.name());
            }
            return 0;
        });
    }
    void detachFromContext() noexcept override {
        guarded(0, [&] {
            if (state_->detach.defined(self())) {
                finish(state_->detach);
            }
            return 0;
        });
    }

    IPluginV2DynamicExt* clone() const noexcept override {
        return guarded<IPluginV2DynamicExt*>(nullptr, [&] {
            py::object const copy = taken(state_->clone(self()));
            return adoptPluginV2(copy, "clone", state_->counts);
        });
    }

    void destroy() noexcept override { delete this; }

private:
    // A separate object, so that it can be leaked after the interpreter has ended, and because
    // const methods of the interface look up callbacks and make lists.
    struct State {
        State(py::object object, bool isOwned, TensorCounts known)
            : self(std::move(object)), owned(isOwned), counts(known) {}

        py::object self;
        bool owned;
        TensorCounts counts;
        std::string type, version, space;
        std::size_t announced = 0;
        std::optional<std::string> bytes; // from getSerializationSize to serialize
        Callback attach{"attach_to_context"};
        Callback clone{"clone"};
        Callback configure{"configure_plugin"};
        Callback dataType{"get_output_datatype"};
        Callback destroy{"destroy"};
        Callback detach{"detach_from_context"};
        Callback dimensions{"get_output_dimensions"};
        Callback enqueue{"enqueue"};
        Callback initialize{"initialize"};
        Callback serialization{"serialize"};
        Callback serializationSize{"get_serialization_size"};
        Callback supports{"supports_format_combination"};
        Callback terminate{"terminate"};
        Callback workspace{"get_workspace_size"};
        DescList<DynamicPluginTensorDesc> in;
        DescList<DynamicPluginTensorDesc> out;
        DescList<PluginTensorDesc> staticIn;
        DescList<PluginTensorDesc> staticOut;
        EnqueueArguments arguments;
    };

    /// A library's handle, which Python can only pass on.
    static py::object handleOf(void* handle) {
        return handle == nullptr ? py::none() : py::object(py::capsule(handle));
    }

    PyObject* self() const noexcept { return state_->self.ptr(); }

    char const* text(char const* attribute, std::string& store) const noexcept {
        return guarded<char const*>("", [&] {
            store = textAttribute(state_->self, attribute);
            return store.c_str();
        });
    }

    int32_t optional(Callback& callback) {
        return callback.defined(self()) ? codeFrom(callback(self()), callback.name()) : 0;
    }

    /// Calls a callback whose exception can fail no call any more, and reports the exception.
    void finish(Callback& callback) {
        PyObject* const result = callback(self());
        if (result == nullptr) {
            reportLate(callback.name());
        }
        Py_XDECREF(result);
    }

    std::string serialized() const {
        py::object const result = taken(state_->serialization(self()));
        return serializedBytes(result);
    }

    std::unique_ptr<State> state_;
};

PluginV2Object& asPluginV2(py::handle object, char const* callback) {
    if (!py::isinstance<PluginV2Object>(object)) {
        throw py::type_error(fmt::format("{}: expected an IPluginV2DynamicExt, got {}", callback,
                                         className(object)));
    }
    return object.cast<PluginV2Object&>();
}

nvinfer1::PluginVersion generationOf(IPluginV2& plugin) {
    uint32_t const tag = static_cast<uint32_t>(plugin.getTensorRTVersion()) >> 24U;
    return static_cast<nvinfer1::PluginVersion>(
        tag & ~static_cast<uint32_t>(nvinfer1::kPLUGIN_VERSION_PYTHON_BIT));
}

bool isDynamicExt(IPluginV2& plugin) {
    return generationOf(plugin) == nvinfer1::PluginVersion::kV2_DYNAMICEXT;
}

Requirements const kV2Requirements{
    "IPluginV2DynamicExt",
    {"num_outputs", "plugin_namespace", "plugin_type", "plugin_version"},
    {"clone", "configure_plugin", "enqueue", "get_output_dimensions", "serialize",
     "supports_format_combination"}};

} // namespace

std::string serializedBytes(py::handle result) {
    if (py::isinstance<py::str>(result)) {
        return result.cast<std::string>();
    }
    if (PyObject_CheckBuffer(result.ptr()) == 0) {
        throw py::type_error(
            fmt::format("serialize: expected bytes or str, got {}", className(result)));
    }
    ByteView const bytes(py::reinterpret_borrow<py::buffer>(result));
    return {static_cast<char const*>(bytes.data()), bytes.size()};
}

void checkPluginV2(py::handle self) {
    checkMembers(self, {&kV2Requirements});
}

IPluginV2DynamicExt* makePluginV2(py::object self, bool owned, TensorCounts counts) {
    return new PythonPluginV2(std::move(self), owned, counts);
}

IPluginV2DynamicExt* adoptPluginV2(py::handle result, char const* callback, TensorCounts counts) {
    PluginV2Object const& plugin = asPluginV2(result, callback);
    if (plugin.native == nullptr) {
        return makePluginV2(py::reinterpret_borrow<py::object>(result), true, counts);
    }
    if (!isDynamicExt(*plugin.native)) {
        throw py::type_error(fmt::format("{}: expected an IPluginV2DynamicExt, got an older "
                                         "IPluginV2",
                                         callback));
    }
    return static_cast<IPluginV2DynamicExt*>(plugin.native)->clone(); // the wrapper keeps its own
}

PluginV2Argument::PluginV2Argument(py::object const& self)
    : plugin_(asPluginV2(self, "plugin").native) {
    if (plugin_ == nullptr) {
        checkPluginV2(self);
        adapter_.reset(makePluginV2(self, false));
        plugin_ = adapter_.get();
    }
}

py::object toPython(IPluginV2* plugin, bool owned) {
    if (py::object own = pythonObjectOf(plugin)) {
        return own;
    }
    if (isDynamicExt(*plugin)) {
        return py::cast(std::make_unique<PluginV2DynamicExtObject>(plugin, owned));
    }
    if (generationOf(*plugin) == nvinfer1::PluginVersion::kV2) {
        return py::cast(std::make_unique<PluginV2Object>(plugin, owned));
    }
    return py::cast(std::make_unique<PluginV2ExtObject>(plugin, owned));
}

} // namespace kiln::python
