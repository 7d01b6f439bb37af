#include "pliant/particles/snapshot.h"

#include <fmt/core.h>

#include <cstring>

#include "pliant/base/error.h"

namespace pliant {
namespace {

template <class T>
struct Layout {
    using Number = T;
    static constexpr std::size_t width = 1;
};
template <>
struct Layout<Vec3> {
    using Number = double;
    static constexpr std::size_t width = 3;
};
template <>
struct Layout<Quat> {
    using Number = double;
    static constexpr std::size_t width = 4;  // x, y, z, w
};
template <>
struct Layout<Mat3> {
    using Number = double;
    static constexpr std::size_t width = 9;  // column by column
};

}  // namespace

template <class T>
void Snapshot::put(const std::string& name, std::span<const T> rows) {
    using Number = typename Layout<T>::Number;
    Table<Number> table{Layout<T>::width, std::vector<Number>(rows.size() * Layout<T>::width)};
    if (!rows.empty()) std::memcpy(table.values.data(), rows.data(), rows.size_bytes());
    arrays_[name] = std::move(table);
}

template <class T>
void Snapshot::get(const std::string& name, std::vector<T>& rows) const {
    using Number = typename Layout<T>::Number;
    const auto* table = std::get_if<Table<Number>>(&find(name));
    if (!table || table->width != Layout<T>::width) {
        throw InputError(fmt::format("'{}' in the checkpoint has another type than this version expects", name));
    }
    rows.resize(table->values.size() / table->width);
    if (!rows.empty()) std::memcpy(static_cast<void*>(rows.data()), table->values.data(), rows.size() * sizeof(T));
}

const Snapshot::Array& Snapshot::find(const std::string& name) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) {
        throw InputError(
            fmt::format("the checkpoint has no '{}': another version of pliant or another method wrote it", name));
    }
    return found->second;
}

void Snapshot::put_text(const std::string& name, std::string_view text) {
    std::vector<std::uint32_t> bytes(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = static_cast<unsigned char>(text[i]);
    put(name, bytes);
}

std::string Snapshot::get_text(const std::string& name) const {
    std::vector<std::uint32_t> bytes;
    get(name, bytes);
    std::string text(bytes.size(), ' ');
    for (std::size_t i = 0; i < bytes.size(); ++i) text[i] = static_cast<char>(bytes[i]);
    return text;
}

std::uint64_t Snapshot::get_number(const std::string& name) const {
    std::vector<std::uint64_t> values;
    get(name, values);
    if (values.size() != 1) throw InputError(fmt::format("'{}' in the checkpoint is not one number", name));
    return values[0];
}

double Snapshot::get_real(const std::string& name) const {
    std::vector<double> values;
    get(name, values);
    if (values.size() != 1) throw InputError(fmt::format("'{}' in the checkpoint is not one number", name));
    return values[0];
}

template void Snapshot::put<double>(const std::string&, std::span<const double>);
template void Snapshot::put<Vec3>(const std::string&, std::span<const Vec3>);
template void Snapshot::put<Quat>(const std::string&, std::span<const Quat>);
template void Snapshot::put<Mat3>(const std::string&, std::span<const Mat3>);
template void Snapshot::put<std::uint32_t>(const std::string&, std::span<const std::uint32_t>);
template void Snapshot::put<std::int32_t>(const std::string&, std::span<const std::int32_t>);
template void Snapshot::put<std::uint64_t>(const std::string&, std::span<const std::uint64_t>);
template void Snapshot::get<double>(const std::string&, std::vector<double>&) const;
template void Snapshot::get<Vec3>(const std::string&, std::vector<Vec3>&) const;
template void Snapshot::get<Quat>(const std::string&, std::vector<Quat>&) const;
template void Snapshot::get<Mat3>(const std::string&, std::vector<Mat3>&) const;
template void Snapshot::get<std::uint32_t>(const std::string&, std::vector<std::uint32_t>&) const;
template void Snapshot::get<std::int32_t>(const std::string&, std::vector<std::int32_t>&) const;
template void Snapshot::get<std::uint64_t>(const std::string&, std::vector<std::uint64_t>&) const;

}  // namespace pliant
