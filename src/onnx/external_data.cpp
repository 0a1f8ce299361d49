// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/external_data.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <span>

namespace kiln::onnx {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& what) {
    throw ImportError(ErrorCode::kINVALID_VALUE, what);
}

std::optional<size_t> numberEntry(TensorProto const& tensor, char const* key) {
    auto const found = tensor.externalData.find(key);
    if (found == tensor.externalData.end()) {
        return std::nullopt;
    }
    std::string const& digits = found->second;
    size_t value = 0;
    auto const result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) {
        fail(text("initializer '", tensor.name, "', external_data '", key,
                  "': expected a number of bytes, got '", digits, "'."));
    }
    return value;
}

// A location must stay inside the model's folder: relative, without "..".
fs::path checkedRelative(TensorProto const& tensor) {
    auto const found = tensor.externalData.find("location");
    if (found == tensor.externalData.end() || found->second.empty()) {
        fail(text("initializer '", tensor.name, "': expected external_data 'location', got none."));
    }
    constexpr size_t kLongestPath = 4096; // of Linux
    if (found->second.size() > kLongestPath) {
        fail(text("initializer '", tensor.name, "': expected an external_data 'location' of ",
                  kLongestPath, " bytes at most, got ", found->second.size(), "."));
    }
    fs::path relative(found->second);
    bool escapes = relative.is_absolute();
    for (fs::path const& part : relative) {
        escapes = escapes || part == "..";
    }
    if (escapes || found->second.find('\0') != std::string::npos) {
        fail(text("initializer '", tensor.name, "': expected a file beside the model, got '",
                  found->second, "'. Absolute paths and '..' are refused."));
    }
    return relative;
}

} // namespace

ExternalData::ExternalData(fs::path const& modelPath) {
    if (!modelPath.empty()) {
        fs::path const parent = modelPath.parent_path();
        std::error_code ignored;
        folder_ = fs::weakly_canonical(parent.empty() ? fs::path(".") : parent, ignored);
    }
}

ExternalData::Location ExternalData::locate(TensorProto const& tensor, size_t size) const {
    fs::path const relative = checkedRelative(tensor);
    if (folder_.empty()) {
        fail(text("initializer '", tensor.name, "': its data is in the file '", relative.string(),
                  "', but the model was given as bytes, without a path. Parse it from its file, ",
                  "or pass its path beside the bytes."));
    }
    std::error_code ignored;
    fs::path const file = fs::weakly_canonical(folder_ / relative, ignored);
    // A symbolic link may also lead out of the folder.
    fs::path const inside = file.lexically_relative(folder_);
    if (inside.empty() || *inside.begin() == "..") {
        fail(text("initializer '", tensor.name, "': '", relative.string(),
                  "' leads out of the model's folder '", folder_.string(), "'."));
    }
    std::error_code error;
    auto const fileSize = fs::file_size(file, error);
    if (error) {
        fail(text("initializer '", tensor.name, "': cannot open '", file.string(),
                  "': ", error.message(), ". Keep it beside the model."));
    }
    size_t const offset = numberEntry(tensor, "offset").value_or(0);
    size_t const length = numberEntry(tensor, "length").value_or(size);
    if (length != size) {
        fail(text("initializer '", tensor.name, "': expected ", size,
                  " bytes for its shape and type, got external_data of ", length, "."));
    }
    if (offset > fileSize || length > fileSize - offset) {
        fail(text("initializer '", tensor.name, "': bytes ", offset, " .. ", offset, " + ", length,
                  " pass the end of '", file.string(), "' (", fileSize, " bytes). Copy it again."));
    }
    return {file.string(), fileSize, offset};
}

static void readBytes(std::string const& file, size_t offset, std::byte* target, size_t size) {
    std::ifstream stream(file, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(reinterpret_cast<char*>(target), static_cast<std::streamsize>(size));
    if (!stream || static_cast<size_t>(stream.gcount()) != size) {
        fail(text("cannot read ", size, " bytes at ", offset, " of '", file, "'."));
    }
}

std::byte const* ExternalData::mapped(Location const& location, size_t size, WeightStore& store) {
    auto const [entry, isNew] = mappings_.try_emplace(location.file, nullptr);
    if (isNew) {
        entry->second = FileMapping::open(location.file);
        if (entry->second) {
            store.keep(entry->second);
        }
    }
    auto const bytes = entry->second ? entry->second->bytes() : std::span<std::byte const>();
    bool const inside = location.offset <= bytes.size() && size <= bytes.size() - location.offset;
    return inside && !bytes.empty() ? bytes.data() + location.offset : nullptr;
}

void const* ExternalData::read(TensorProto const& tensor, Request const& request,
                               WeightStore& store) {
    size_t const size = request.size;
    Location const location = locate(tensor, size);
    auto const [entry, isNew] =
        known_.try_emplace({location.file, location.offset, size, tensor.type}, nullptr);
    if (!isNew) {
        return entry->second;
    }
    size_t& total = bytesRead_[location.file];
    if (size > 2 * location.fileSize - total) { // total is at most twice the size
        fail(text("initializer '", tensor.name, "': its bytes in '", location.file,
                  "' overlap those of other initializers so often that they were read twice. ",
                  "Store each once."));
    }
    total += size;
    if (request.convert == nullptr && location.offset % request.alignment == 0) {
        entry->second = mapped(location, size, store);
        if (entry->second != nullptr) {
            return entry->second;
        }
    }
    std::byte* const bytes = store.allocate(size);
    readBytes(location.file, location.offset, bytes, size);
    entry->second = request.convert != nullptr ? request.convert(bytes, size, store) : bytes;
    return entry->second;
}

} // namespace kiln::onnx
