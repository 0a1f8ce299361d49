// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <NvInferRuntime.h>

namespace kiln::api {

/// The shared libraries that IPluginRegistry::loadLibrary() opened. A library that is loaded twice
/// is there until it was given back twice. Thread-safe; a library may load others while it is
/// loaded.
class PluginLibraries {
public:
    /// Opens a library and registers its creators. Throws kInvalidArgument with the loader's words,
    /// or when the library has no creators.
    void* load(std::string const& path);
    /// Throws kInvalidArgument for a handle that is not open.
    void release(void* handle);

private:
    struct Library {
        std::string path;
        void* handle = nullptr;
        int32_t users = 0;
        std::vector<nvinfer1::IPluginCreatorInterface*> creators;
    };

    std::recursive_mutex mutex_;
    std::vector<Library> libraries_;
};

} // namespace kiln::api
