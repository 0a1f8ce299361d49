// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <pybind11/pybind11.h>
#include <utility>

namespace kiln::python {

/// For setters: self keeps the value of the last call alive, and lets that of the call before go.
/// KeepAlive would keep the values of all calls. Use it only where nothing but self uses the value:
/// engines go on with the allocator and the error recorder that their runtime had.
struct KeepLatest {};

/// What one object keeps for one setter. The object owns it, as a capsule.
struct Kept {
    using Key = std::pair<PyObject*, void const*>; ///< the object and its setter

    /// All there are; the GIL guards them.
    static std::map<Key, Kept*>& all() {
        static std::map<Key, Kept*> kept;
        return kept;
    }

    explicit Kept(Key const& newKey) : key(newKey) { all()[key] = this; }
    ~Kept() { all().erase(key); }
    Kept(Kept const&) = delete;
    Kept& operator=(Kept const&) = delete;

    Key key;
    pybind11::object value;
};

/// Makes self keep value instead of what it kept for this setter.
inline void keepLatest(pybind11::handle self, void const* setter, pybind11::object value) {
    auto& all = Kept::all();
    auto const key = Kept::Key(self.ptr(), setter);
    auto found = all.find(key);
    if (found == all.end()) {
        auto* kept = new Kept(key);
        pybind11::capsule owner(kept, [](void* pointer) { delete static_cast<Kept*>(pointer); });
        pybind11::detail::keep_alive_impl(self, owner);
        found = all.find(key);
    }
    // The value before goes at the end of this function: its destructor may run Python.
    std::swap(found->second->value, value);
}

} // namespace kiln::python

namespace pybind11::detail {

template <>
struct process_attribute<kiln::python::KeepLatest>
    : process_attribute_default<kiln::python::KeepLatest> {
    static void postcall(function_call& call, handle result) {
        // A setter that answers False has kept what it had.
        if (result.ptr() != PYBIND11_TRY_NEXT_OVERLOAD && result.ptr() != Py_False) {
            auto const value = reinterpret_borrow<object>(call.args[1]);
            kiln::python::keepLatest(call.args[0], &call.func, value);
        }
    }
};

} // namespace pybind11::detail
