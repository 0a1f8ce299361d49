// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What Kiln offers beside the API of NvInfer.h.
#pragma once

#include "NvInferRuntime.h"
#include "kiln/version.h"

#include <cstdint>

#pragma GCC visibility push(default)

namespace kiln {

//! The version of the Kiln library that runs, e.g. "0.1.0".
//!
//! Compare with KILN_VERSION_STRING, the version of the headers that the program was built with.
//! The text is static.
char const* version() noexcept;

//! Opens a plan file by mapping it, without copying its weights.
//!
//! Does what IRuntime::deserializeCudaEngine does with the bytes of the file, and with the same
//! checks, but the weights stay in the file's pages and are read when they are first used.
//! Do not change the file while the engine lives; deleting or replacing it by a rename is fine.
//!
//! \param runtime whose logger, error recorder, allocator and plugin registry the engine uses;
//!     it must outlive the engine.
//! \param path the file, zero-terminated, in the encoding of the file system.
//!
//! \return The engine, which the caller deletes. nullptr when the file cannot be read, is not an
//!     intact plan, was made by another version, needs a target or an instruction set that this
//!     machine lacks, or needs a plugin that is not registered; the runtime's logger and error
//!     recorder get the reason.
//!
//! May be called from several threads at once, also with the same runtime.
nvinfer1::ICudaEngine* openEngine(nvinfer1::IRuntime& runtime, char const* path) noexcept;

//! Checks a plan file completely, weights included, without opening an engine.
//!
//! Verifies the header, the metadata, the hash of every section (opening a plan leaves the weights
//! unhashed, because that reads the whole file), and that the plugins which the plan needs are
//! registered.
//!
//! \param path the file, zero-terminated.
//! \param logger gets one error for each fault, and what the plan needs at kINFO.
//!
//! \return true when nothing is wrong.
bool checkPlan(char const* path, nvinfer1::ILogger& logger) noexcept;

//! Describes a plan file as JSON, without opening an engine or making its plugins.
//!
//! The text is one object: "network", "target", "instruction_set", "kiln_version", sizes in bytes,
//! "sections" with whether each is intact (all are hashed), "inputs", "outputs", "layers",
//! "weights", "plugins" with whether each is registered here, "libraries", "python_sources", and
//! "problems": what keeps the plan from being opened here, each with a "kind" (one of "not a plan",
//! "damaged", "version", "target", "instruction set", "plugin", "code") and a "text". A plan
//! that cannot be read has problems and lacks what could not be read.
//!
//! \param path the file, zero-terminated.
//! \param logger gets the reason when the file itself cannot be read.
//!
//! \return UTF-8 text of size() bytes without a zero at its end, which the caller deletes; nullptr
//!     when there is no such file.
nvinfer1::IHostMemory* describePlan(char const* path, nvinfer1::ILogger& logger) noexcept;

//! Sets where messages go that belong to no builder, runtime or parser: those of the plugin
//! registry of the process while none of these objects lives. initLibNvInferPlugins() calls it with
//! the logger that it is given. Without a default logger, warnings and errors go to standard error.
//!
//! \param logger must live until it is replaced, or until the process ends; nullptr takes it back.
//!     getLogger() returns it while there is no builder, runtime or parser.
void setDefaultLogger(nvinfer1::ILogger* logger) noexcept;

//! Where messages go that belong to no builder, runtime or parser: the logger of the oldest one of
//! these that lives, else that of setDefaultLogger(), else one that writes warnings and errors to
//! standard error.
nvinfer1::ILogger& defaultLogger() noexcept;

//! Sets how many threads a parallel step may use, process-wide.
//!
//! Default: the environment variable KILN_NUM_THREADS, else the number of CPUs that this process
//! may run on. Steps that already run keep their threads. A child made by fork() runs on one
//! thread.
//!
//! \param count at least 1; 0 brings the default back; a negative value is ignored.
void setNumThreads(int32_t count) noexcept;

//! The number of threads that a parallel step may use; at least 1.
int32_t numThreads() noexcept;

//! The target that engines are built for when nothing else is said: "cpu", "cuda", or "cuda" with
//! the architectures that a plan is to run on, such as "cuda:sm_80+sm_90".
//!
//! In this order: what setDefaultTarget() was given; the environment variable KILN_TARGET; "cuda"
//! when this build of Kiln has it and a driver answers; "cpu". The text is valid until the next
//! call on this thread.
char const* defaultTarget() noexcept;

//! Sets the target for builders that are made from now on.
//!
//! \param target as defaultTarget() gives it; nullptr brings the default back. Architectures can be
//!     named on a machine without a GPU: plans are built there and run elsewhere.
//!
//! \return false, and nothing changes, when engines cannot be built for it; targetProblem() says
//!     why.
bool setDefaultTarget(char const* target) noexcept;

//! Why engines cannot be built for a target.
//!
//! \return An empty text when they can. Valid until the next call on this thread.
char const* targetProblem(char const* target) noexcept;

//! Describes a target and what it opens at run time, as JSON.
//!
//! The text is one object: "target", "problem" (why engines can not be built for it; empty when
//! they can, and only then what follows is there), "architectures" of the plans that are built,
//! "runs_here", "device" ("name", "number", "memory" in bytes; of cuda where a GPU runs the plans),
//! and "libraries": for each its "name", and "version" and "file", or the "problem" with it.
//!
//! \param target as defaultTarget() gives it; nullptr: the default.
//!
//! \return UTF-8 text, valid until the next call on this thread.
char const* describeTarget(char const* target) noexcept;

//! Names one more folder in which libraries that are opened at run time may lie: itself, or a
//! folder of Python packages, in which NVIDIA's have theirs under nvidia/*/lib.
//!
//! Call it before the target cuda is used for the first time. The folder need not exist. The Python
//! package names the folders of its interpreter's packages.
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

//! What a plugin may ask about the engine that calls it.
struct PluginRun {
    //! Number of the GPU, as CUDA's runtime counts, whose memory the plugin gets; -1: the host's.
    int32_t device = -1;
    //! Bit i is set when input i lies in host memory on any target, because it is read by value.
    uint64_t hostInputs = 0;
    //! Stands for what the descriptors say, so that they need not be read again where it is the
    //! number of an earlier call. 0 outside of enqueue().
    uint64_t shapes = 0;
    //! The descriptors that the engine gives. Who calls a plugin from another may give it others.
    nvinfer1::PluginTensorDesc const* inputDescs = nullptr;
    nvinfer1::PluginTensorDesc const* outputDescs = nullptr;
};

//! Describes the call of a plugin's enqueue() that runs on this thread.
//!
//! Outside of enqueue(): the device of the default target. A few nanoseconds inside of it.
PluginRun pluginRun() noexcept;

//! Runs a context as enqueueV3() does, if that does nothing but call plugins written in Python: no
//! kernel of an engine, no allocation, nothing that is waited for. Who holds Python's interpreter
//! lock may keep it meanwhile.
//!
//! \return 1 where enqueueV3() returns true, 0 where it returns false; -1: there is more to do, and
//!     nothing has been done.
int32_t enqueuePythonAlone(nvinfer1::IExecutionContext& context, cudaStream_t stream) noexcept;

//! The shape of an input or output as the last run left it, sizes that plugins found included.
//!
//! IExecutionContext::getTensorShape() gives -1 for extents that size tensors decide, as the next
//! run may find others. This function gives those of the last run. On cuda it waits for them, once;
//! for a run that was captured it gives those of the graph's last launch that was waited for.
//!
//! \param tensorName name of an input or output.
//!
//! \return -1 for an extent that is not known: before the first run, after a change of an input's
//!     shape, or when a shape was not set. nbDims -1, with a message, for an unknown name and for a
//!     size above the bound that the plugin declared.
nvinfer1::Dims foundShape(nvinfer1::IExecutionContext& context, char const* tensorName) noexcept;

//! What code is compiled for by the plugin callback that runs on this thread: one target and one
//! architecture, such as "cuda:sm_90" or "cpu:x86-64".
//!
//! \return An empty text outside of callbacks that give ahead-of-time code. Valid until the next
//!     call on this thread.
char const* buildTarget() noexcept;

} // namespace kiln

#pragma GCC visibility pop
