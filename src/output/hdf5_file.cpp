#include "pliant/output/hdf5_file.h"

#include <fmt/core.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/output/read_bytes.h"

namespace pliant {

namespace {

constexpr std::size_t block_size = 512;  // HDF5 looks for its own start at 0, 512, 1024, ...
constexpr std::size_t longest_text = 4096;

// An HDF5 identifier that closes itself.
class Handle {
public:
    Handle(hid_t value, herr_t (*close)(hid_t)) : value_(value), close_(close) {}
    ~Handle() {
        if (value_ >= 0) close_(value_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return value_; }
    bool is_valid() const { return value_ >= 0; }

private:
    hid_t value_;
    herr_t (*close_)(hid_t);
};

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

hid_t stored_type(Hdf5Type type) {
    switch (type) {
        case Hdf5Type::uint16: return H5T_STD_U16LE;
        case Hdf5Type::uint32: return H5T_STD_U32LE;
        case Hdf5Type::int64: return H5T_STD_I64LE;
        case Hdf5Type::float32: return H5T_IEEE_F32LE;
        case Hdf5Type::float64: break;
    }
    return H5T_IEEE_F64LE;
}

// Failures below are of memory only, since the file is in memory.
void check_write(bool is_well) {
    if (!is_well) throw FileError("the HDF5 library cannot build a file in memory; is memory short?");
}

std::string user_block(std::span<const std::byte> rest) {
    Hash hash;
    hash.add_bytes(rest.data(), rest.size());
    std::string text = fmt::format("pliant hdf5 1\nbytes {}\nchecksum {:016x}\n", rest.size(), hash.value());
    text.resize(block_size, ' ');
    return text;
}

}  // namespace

Hdf5Writer::Hdf5Writer() {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, 1 << 20, false);
    file_ = H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    check_write(file_ >= 0);
}

Hdf5Writer::~Hdf5Writer() {
    H5Fclose(file_);
}

void Hdf5Writer::add_group(const std::string& name) {
    const Handle order(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    const Handle group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, order, H5P_DEFAULT), H5Gclose);
    check_write(group.is_valid());
}

void Hdf5Writer::add_array(const std::string& name, Hdf5Type type, const void* data, std::size_t rows,
                           std::size_t columns) {
    const std::array<hsize_t, 2> shape = {rows, columns};
    const Handle space(H5Screate_simple(columns > 0 ? 2 : 1, shape.data(), nullptr), H5Sclose);
    const Handle plain(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(plain, false);  // the same frame gives the same bytes
    const Handle array(H5Dcreate2(file_, name.c_str(), stored_type(type), space, H5P_DEFAULT, plain, H5P_DEFAULT),
                       H5Dclose);
    check_write(array.is_valid());
    if (rows > 0) check_write(H5Dwrite(array, stored_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
}

void Hdf5Writer::add_number(const std::string& name, Hdf5Type type, const void* value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(file_, name.c_str(), stored_type(type), space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    check_write(attribute.is_valid() && H5Awrite(attribute, stored_type(type), value) >= 0);
}

void Hdf5Writer::add_text(const std::string& object, const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, text.size() + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(
        H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    check_write(attribute.is_valid() && H5Awrite(attribute, type, text.c_str()) >= 0);
}

void Hdf5Writer::write(const std::filesystem::path& path) {
    check_write(H5Fflush(file_, H5F_SCOPE_LOCAL) >= 0);
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    check_write(size > 0);
    std::vector<std::byte> bytes(block_size + static_cast<std::size_t>(size));
    const std::span<std::byte> rest = std::span(bytes).subspan(block_size);
    check_write(H5Fget_file_image(file_, rest.data(), rest.size()) == size);
    std::memcpy(bytes.data(), user_block(rest).data(), block_size);
    write_bytes_atomically(path, bytes);
}

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : path_(path), bytes_(read_bytes(path)) {
    if (bytes_.size() <= block_size) fail("it is too short");
    const std::span<std::byte> rest = std::span(bytes_).subspan(block_size);
    const std::string_view block(reinterpret_cast<const char*>(bytes_.data()), block_size);
    if (block != user_block(rest)) fail("its length or its checksum does not match");

    const QuietErrors quiet;
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, 1 << 20, false);
    if (H5Pset_file_image(access, rest.data(), rest.size()) >= 0) {
        file_ = H5Fopen("memory", H5F_ACC_RDONLY, access);
    }
    if (file_ < 0) fail("the HDF5 library cannot open it");
}

Hdf5Reader::~Hdf5Reader() {
    if (file_ >= 0) H5Fclose(file_);
}

bool Hdf5Reader::has(const std::string& name) const {
    const QuietErrors quiet;
    return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5Reader::names_in(const std::string& group) const {
    const QuietErrors quiet;
    const Handle handle(H5Gopen2(file_, group.c_str(), H5P_DEFAULT), H5Gclose);
    H5G_info_t info;
    if (!handle.is_valid() || H5Gget_info(handle, &info) < 0) fail(fmt::format("the group `{}` is missing", group));
    std::vector<std::string> names;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        std::array<char, 256> name{};
        if (H5Lget_name_by_idx(handle, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name.data(), name.size() - 1,
                               H5P_DEFAULT) < 0) {
            fail(fmt::format("the group `{}` has no order", group));
        }
        names.emplace_back(name.data());
    }
    return names;
}

std::size_t Hdf5Reader::rows_of(const std::string& name) const {
    const QuietErrors quiet;
    const Handle array(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(array.is_valid() ? H5Dget_space(array) : -1, H5Sclose);
    std::array<hsize_t, 2> shape{};
    const int dimensions = space.is_valid() ? H5Sget_simple_extent_ndims(space) : 0;
    if (dimensions < 1 || dimensions > 2 || H5Sget_simple_extent_dims(space, shape.data(), nullptr) < 0) {
        fail(fmt::format("the array `{}` is missing or not a table", name));
    }
    if (shape[0] > bytes_.size()) fail(fmt::format("the array `{}` is longer than the file", name));
    return shape[0];
}

void Hdf5Reader::read_array(const std::string& name, Hdf5Type type, void* data, std::size_t rows,
                            std::size_t columns) const {
    const QuietErrors quiet;
    const Handle array(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!array.is_valid()) fail(fmt::format("the array `{}` is missing", name));
    const Handle space(H5Dget_space(array), H5Sclose);
    const Handle found(H5Dget_type(array), H5Tclose);
    std::array<hsize_t, 2> shape{};
    const bool has_shape = H5Sget_simple_extent_ndims(space) == (columns > 0 ? 2 : 1) &&
                           H5Sget_simple_extent_dims(space, shape.data(), nullptr) >= 0 && shape[0] == rows &&
                           shape[1] == columns;
    if (!has_shape || H5Tequal(found, stored_type(type)) <= 0) {
        fail(fmt::format("the array `{}` has another type or shape than expected", name));
    }
    if (rows > 0 && H5Dread(array, stored_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        fail(fmt::format("the array `{}` cannot be read", name));
    }
}

void Hdf5Reader::read_number(const std::string& name, Hdf5Type type, void* value) const {
    const QuietErrors quiet;
    const Handle attribute(H5Aopen(file_, name.c_str(), H5P_DEFAULT), H5Aclose);
    const Handle found(attribute.is_valid() ? H5Aget_type(attribute) : -1, H5Tclose);
    const Handle space(attribute.is_valid() ? H5Aget_space(attribute) : -1, H5Sclose);
    if (!found.is_valid() || H5Tequal(found, stored_type(type)) <= 0 || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, stored_type(type), value) < 0) {
        fail(fmt::format("the number `{}` is missing", name));
    }
}

std::string Hdf5Reader::read_text(const std::string& object, const std::string& name) const {
    const QuietErrors quiet;
    const Handle attribute(H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Handle type(attribute.is_valid() ? H5Aget_type(attribute) : -1, H5Tclose);
    const Handle space(attribute.is_valid() ? H5Aget_space(attribute) : -1, H5Sclose);
    const bool is_text = type.is_valid() && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                         H5Tget_size(type) <= longest_text && H5Sget_simple_extent_npoints(space) == 1;
    std::vector<char> text(is_text ? H5Tget_size(type) + 1 : 1);
    if (!is_text || H5Aread(attribute, type, text.data()) < 0) {
        fail(fmt::format("the text `{}` of `{}` is missing", name, object));
    }
    return text.data();
}

void Hdf5Reader::fail(const std::string& reason) const {
    throw InputError(
        fmt::format("{} is not an HDF5 file of ours, or is damaged: {}; write it again", path_.string(), reason));
}

}  // namespace pliant
