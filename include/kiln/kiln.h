// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kiln's extensions to the API of NvInfer.h.
#pragma once

#include "NvInferRuntime.h"
#include "kiln/version.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! The version of the loaded Kiln library, e.g. "0.1.0".
//!
//! KILN_VERSION_STRING is the version of the headers that the program was built with. The string is
//! static.
char const* version() noexcept;

//! Loads an engine from a memory-mapped plan file, without copying its weights.
//!
//! Works like IRuntime::deserializeCudaEngine(), with the same checks, but the weights stay in the
//! mapped file and are read on first use. Do not modify the file while the engine exists; deleting
//! it or replacing it by a rename is safe.
//!
//! \param runtime whose logger, error recorder, allocator and plugin registry the engine uses;
//!     it must outlive the engine.
//! \param path the file name, null-terminated, in the encoding of the file system.
//!
//! \return The engine, which the caller deletes. nullptr when the file cannot be read, is not an
//!     intact plan, was written by another version, needs a target or an instruction set that this
//!     machine lacks, or needs a plugin that is not registered; the runtime's logger and error
//!     recorder receive the reason.
//!
//! Thread-safe, also with the same runtime.
nvinfer1::ICudaEngine* openEngine(nvinfer1::IRuntime& runtime, char const* path) noexcept;

//! Checks a plan file completely, weights included, without opening an engine.
//!
//! Verifies the header, the metadata and the hash of every section (loading an engine does not hash
//! the weights, because that would read the whole file), and that each required plugin is
//! registered or may come with the plan.
//!
//! \param path the file name, null-terminated.
//! \param logger receives one error for each fault, and the requirements of the plan at kINFO.
//!
//! \return true when nothing is wrong.
bool checkPlan(char const* path, nvinfer1::ILogger& logger) noexcept;

//! Describes a plan file as JSON, without loading an engine or creating its plugins.
//!
//! The text is one object: "network", "target", "instruction_set", "kiln_version", sizes in bytes,
//! "sections" with the result of each hash check, "inputs", "outputs", "layers", "weights",
//! "plugins" with whether each is registered here, "libraries", "python_sources", and "problems":
//! the reasons why the plan cannot be loaded here, each with a "kind" (one of "not a plan",
//! "damaged", "version", "target", "instruction set", "plugin", "code") and a "text". If parts of
//! the plan cannot be read, their entries are missing.
//!
//! \param path the file name, null-terminated.
//! \param logger receives the reason when the file itself cannot be read.
//!
//! \return UTF-8 text of size() bytes, not null-terminated, which the caller deletes; nullptr when
//!     the file cannot be read.
nvinfer1::IHostMemory* describePlan(char const* path, nvinfer1::ILogger& logger) noexcept;

//! Sets the logger for messages that belong to no builder or runtime: those of the process-wide
//! plugin registry while none of these objects exists. initLibNvInferPlugins() calls this function
//! with its logger. Without a default logger, warnings and errors go to standard error.
//!
//! \param logger must live until it is replaced or the process ends; nullptr removes it.
//!     getLogger() returns it while there is no builder or runtime.
void setDefaultLogger(nvinfer1::ILogger* logger) noexcept;

//! The logger for messages that belong to no builder or runtime: the logger of the oldest existing
//! one of these, else that of setDefaultLogger(), else one that writes warnings and errors to
//! standard error.
nvinfer1::ILogger& defaultLogger() noexcept;

//! Sets the number of threads that a parallel step may use, process-wide.
//!
//! Default: the environment variable KILN_NUM_THREADS, else the number of CPUs that this process
//! may run on. Steps that are already running keep their threads. After fork(), the child uses one
//! thread.
//!
//! \param count 1 to 1024, larger values count as 1024; 0 restores the default; negative values are
//!     ignored.
void setNumThreads(int32_t count) noexcept;

//! The number of threads that a parallel step may use; at least 1.
int32_t numThreads() noexcept;

//! The target that builders use by default: "cpu", "cuda", or "cuda" with the architectures that a
//! plan must run on, such as "cuda:sm_80+sm_90".
//!
//! It is the first of: the argument of setDefaultTarget(); the environment variable KILN_TARGET;
//! "cuda" if this build of Kiln supports it and a driver is present; "cpu". The string is valid
//! until the next call on this thread.
char const* defaultTarget() noexcept;

//! Sets the target of subsequent builds.
//!
//! \param target in the format of defaultTarget(); nullptr restores the default. Architectures can
//!     be named on a machine without a GPU, to build plans for other machines.
//!
//! \return false, and nothing changes, when engines cannot be built for the target; targetProblem()
//!     returns the reason.
bool setDefaultTarget(char const* target) noexcept;

//! The reason why engines cannot be built for a target.
//!
//! \return An empty string when they can. Valid until the next call on this thread.
char const* targetProblem(char const* target) noexcept;

//! Describes a target and the libraries that it loads at run time, as JSON.
//!
//! The text is one object: "target" and "problem", the reason why engines cannot be built for it.
//! If "problem" is empty, these follow: "architectures" of the plans that are built, "runs_here",
//! "device" ("name", "number", "architecture", "memory" in bytes; only for cuda, if a GPU here runs
//! the plans), and "libraries": for each its "name", and "version" and "file", or its "problem".
//!
//! \param target in the format of defaultTarget(); nullptr: the default.
//!
//! \return UTF-8 text, valid until the next call on this thread.
char const* describeTarget(char const* target) noexcept;

//! Adds a folder to the search path for libraries that are loaded at run time: a folder with the
//! libraries, or a Python site-packages folder, where NVIDIA's packages have them in nvidia/*/lib.
//!
//! Call it before the first use of the target cuda. The folder need not exist. The Python package
//! adds the site-packages folders of its interpreter.
void addLibraryFolder(char const* folder) noexcept;

//! Takes the text of the error that Kiln reported last on this thread.
//!
//! For bindings and programs that throw: a call that returned nullptr, false or an error code has
//! left here what it told the logger and the error recorder. Call this function before such a call,
//! too, so that no earlier error is taken for its.
//!
//! \return zero-terminated UTF-8, valid until the next call of this function on the same thread; an
//!     empty text when there is no error that was not taken yet.
char const* takeLastError() noexcept;

//! Information about the enqueue() call that a plugin is in.
struct PluginRun {
    //! CUDA device index of the GPU whose memory the plugin receives; -1: host memory.
    int32_t device = -1;
    //! Bit i is set if input i is in host memory on every target, because the host reads its
    //! values.
    uint64_t hostInputs = 0;
    //! Identifies the contents of the descriptors: if the number equals that of an earlier call,
    //! they need not be read again. 0 outside of enqueue().
    uint64_t shapes = 0;
    //! The descriptors that the engine passes. A plugin that calls another may pass different ones.
    nvinfer1::PluginTensorDesc const* inputDescs = nullptr;
    nvinfer1::PluginTensorDesc const* outputDescs = nullptr;
};

//! Describes the plugin enqueue() call that is running on this thread.
//!
//! Outside of enqueue(), returns the device of the default target. Takes a few nanoseconds inside.
PluginRun pluginRun() noexcept;

//! Runs a context like enqueueV3(), but only if the run does nothing except call plugins written in
//! Python: no kernels, no allocation, no waiting. The caller may hold the GIL during the call.
//!
//! \return 1 if enqueueV3() returned true, 0 if it returned false; -1 if the run includes other
//!     work; nothing has run then.
int32_t enqueuePythonAlone(nvinfer1::IExecutionContext& context, cudaStream_t stream) noexcept;

//! The shape of an input or output in the last run, including sizes that plugins computed.
//!
//! IExecutionContext::getTensorShape() returns -1 for extents that size tensors set, because the
//! next run may compute others. This function returns the extents of the last run. On cuda the
//! first call waits for them; for a captured run it returns those of the last graph launch that the
//! caller has synchronized with.
//!
//! \param tensorName name of an input or output.
//!
//! \return -1 for an unknown extent: before the first run, after an input shape changed, or if a
//!     shape was not set. nbDims -1, with a message, for an unknown name or a size above the bound
//!     that the plugin declared.
nvinfer1::Dims foundShape(nvinfer1::IExecutionContext& context, char const* tensorName) noexcept;

//! Sets weights like IRefitter::setWeights(), but unknown weights are no error.
//!
//! \return 1 if they are set; 0 if the engine has no weights of this layer and role; -1, with a
//!     message, if they cannot be set.
int32_t setKnownWeights(nvinfer1::IRefitter& refitter, char const* layerName,
                        nvinfer1::WeightsRole role, nvinfer1::Weights weights) noexcept;

//! The target and architecture that the plugin callback running on this thread compiles code for,
//! such as "cuda:sm_90" or "cpu:x86-64".
//!
//! \return An empty string outside of callbacks that return ahead-of-time code. Valid until the
//!     next call on this thread.
char const* buildTarget() noexcept;

} // namespace kiln

#pragma GCC visibility pop
