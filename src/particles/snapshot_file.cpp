// Checkpoint files. The HDF5 image is made and read in memory, so that the disk sees one plain write or read of bytes
// and HDF5 never meets a full disk or a damaged file.
#include <fmt/core.h>
#include <hdf5.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/particles/snapshot.h"

namespace pliant {
namespace {

constexpr std::string_view magic = "PLIANTC1";
constexpr std::size_t trailer_size = 16;  // magic, then the hash of all bytes before
constexpr std::size_t growth = std::size_t(1) << 22;
constexpr const char* no_memory = "HDF5 could not build the checkpoint; is there enough memory?";

// The library prints its errors unless told not to; ours are thrown.
class QuietErrors {
public:
    QuietErrors() {
        H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

// Closes an HDF5 handle when it dies.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
        if (id_ < 0) throw FileError(no_memory);
    }
    ~Handle() { close_(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// The bytes of a file that HDF5 holds in memory, which outlive its closing: asking for a copy would take as much again.
class FileImage {
public:
    FileImage() = default;
    ~FileImage() { std::free(data_); }
    FileImage(const FileImage&) = delete;
    FileImage& operator=(const FileImage&) = delete;

    void keep_file_of(hid_t access) {
        H5FD_file_image_callbacks_t calls = {};
        calls.image_malloc = [](std::size_t size, H5FD_file_image_op_t, void* image) {
            return static_cast<FileImage*>(image)->grow(size);
        };
        calls.image_realloc = [](void*, std::size_t size, H5FD_file_image_op_t, void* image) {
            return static_cast<FileImage*>(image)->grow(size);
        };
        calls.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
        calls.udata_copy = [](void* image) { return image; };
        calls.udata_free = [](void*) -> herr_t { return 0; };
        calls.udata = this;
        if (H5Pset_file_image_callbacks(access, &calls) < 0) throw FileError(no_memory);
    }

    std::span<std::byte> resize(std::size_t size) {
        if (!grow(size)) throw FileError(no_memory);
        return {static_cast<std::byte*>(data_), size};
    }

private:
    void* grow(std::size_t size) {
        void* larger = std::realloc(data_, size);
        if (larger) data_ = larger;
        return larger;
    }

    void* data_ = nullptr;
};

template <class T>
hid_t hdf5_type() {
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
    if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
}

template <class T>
void write_table(hid_t file, const std::string& name, const Snapshot::Table<T>& table) {
    const hsize_t size[2] = {table.values.size() / table.width, table.width};
    const Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(how, false);  // the same content is the same bytes, whatever the clock says
    const Handle set(H5Dcreate2(file, name.c_str(), hdf5_type<T>(), space, H5P_DEFAULT, how, H5P_DEFAULT), H5Dclose);
    if (!table.values.empty() &&
        H5Dwrite(set, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()) < 0) {
        throw FileError(no_memory);
    }
}

template <class T>
Snapshot::Table<T> read_table(hid_t set, const hsize_t size[2]) {
    Snapshot::Table<T> table{size[1], std::vector<T>(size[0] * size[1])};
    if (!table.values.empty() && H5Dread(set, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()) < 0) {
        throw InputError("the checkpoint's arrays cannot be read");
    }
    return table;
}

Snapshot::Array read_array(hid_t file, const char* name) {
    const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    const Handle type(H5Dget_type(set), H5Tclose);
    hsize_t size[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size, nullptr) != 2 ||
        size[1] == 0) {
        throw InputError("the checkpoint holds something that pliant did not write");
    }
    if (H5Tequal(type, H5T_NATIVE_DOUBLE) > 0) return read_table<double>(set, size);
    if (H5Tequal(type, H5T_NATIVE_UINT32) > 0) return read_table<std::uint32_t>(set, size);
    if (H5Tequal(type, H5T_NATIVE_INT32) > 0) return read_table<std::int32_t>(set, size);
    if (H5Tequal(type, H5T_NATIVE_UINT64) > 0) return read_table<std::uint64_t>(set, size);
    throw InputError("the checkpoint holds something that pliant did not write");
}

// HDF5 tells files in memory apart by name, and looks for one of that name on the disk first: give it a name that is
// nobody else's and nowhere.
std::string name_in_memory(const void* owner) {
    return fmt::format("pliant checkpoint in memory at {}", owner);
}

std::uint64_t hash_of(std::span<const std::byte> bytes) {
    Hash hash;
    hash.add_bytes(bytes.data(), bytes.size());
    return hash.value();
}

std::vector<std::byte> read_checked(const std::filesystem::path& path) {
    std::error_code error;
    const bool is_file = std::filesystem::is_regular_file(path, error);
    const std::size_t size = is_file ? std::filesystem::file_size(path, error) : 0;
    std::ifstream file(path, std::ios::binary);
    if (!is_file || error || !file) {
        throw InputError(fmt::format("{}: cannot be opened; is there a checkpoint?", path.string()));
    }
    std::vector<std::byte> bytes(size);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
        throw InputError(fmt::format("{}: cannot be read", path.string()));
    }
    std::uint64_t stored = 0;
    const bool long_enough = size > trailer_size;
    if (long_enough) std::memcpy(&stored, &bytes[size - 8], 8);
    if (!long_enough || std::memcmp(&bytes[size - trailer_size], magic.data(), magic.size()) != 0) {
        throw InputError(
            fmt::format("{}: is not a whole checkpoint: it was cut short, or pliant did not write it. "
                        "Start the run anew with --force, or put back a good copy",
                        path.string()));
    }
    bytes.resize(size - trailer_size);
    if (hash_of(bytes) != stored) {
        throw InputError(
            fmt::format("{}: is damaged: its checksum does not match its content. Start the run anew with "
                        "--force, or put back a good copy",
                        path.string()));
    }
    return bytes;
}

}  // namespace

void write_snapshot(const std::filesystem::path& path, Snapshot snapshot) {
    const QuietErrors quiet;
    FileImage image;
    std::size_t size = 0;
    {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_fapl_core(access, growth, false);
        image.keep_file_of(access);
        const Handle file(H5Fcreate(name_in_memory(&image).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
        for (auto& named : snapshot.arrays()) {
            std::visit(
                [&](auto& table) {
                    write_table(file, named.first, table);
                    table = {};  // a large run has no room for all of it twice
                },
                named.second);
        }
        H5Fflush(file, H5F_SCOPE_GLOBAL);
        const ssize_t told = H5Fget_file_image(file, nullptr, 0);
        if (told < 0) throw FileError(no_memory);
        size = static_cast<std::size_t>(told);
    }
    const std::span<std::byte> bytes = image.resize(size + trailer_size);
    const std::uint64_t hash = hash_of(bytes.first(size));
    std::memcpy(&bytes[size], magic.data(), magic.size());
    std::memcpy(&bytes[size + magic.size()], &hash, sizeof hash);
    write_bytes_atomically(path, bytes);
}

Snapshot read_snapshot(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_checked(path);
    const QuietErrors quiet;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, growth, false);
    H5Pset_file_image(access, const_cast<std::byte*>(bytes.data()), bytes.size());
    const hid_t opened = H5Fopen(name_in_memory(&bytes).c_str(), H5F_ACC_RDONLY, access);
    if (opened < 0) throw InputError(fmt::format("{}: is not a checkpoint of pliant", path.string()));
    const Handle file(opened, H5Fclose);
    Snapshot snapshot;
    const auto visit = [](hid_t group, const char* name, const H5L_info_t*, void* out) -> herr_t {
        try {
            static_cast<Snapshot*>(out)->arrays()[name] = read_array(group, name);
            return 0;
        } catch (const std::exception&) {
            return -1;  // an exception must not cross HDF5's C frames
        }
    };
    if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &snapshot) < 0) {
        throw InputError(fmt::format("{}: holds something that pliant did not write", path.string()));
    }
    return snapshot;
}

}  // namespace pliant
