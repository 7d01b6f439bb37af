#include "pliant/output/ply_particles.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/output/read_bytes.h"

namespace pliant {

static_assert(std::endian::native == std::endian::little, "PLY files are written as memory holds them");

namespace {

constexpr std::string_view first_lines = "ply\nformat binary_little_endian 1.0\ncomment pliant particles 1\n";
constexpr std::string_view checksum_word = "comment checksum ";
constexpr std::string_view last_line = "end_header\n";
constexpr std::size_t longest_header = 1 << 20;

// One property of the file: a view of every particle's number in an array of the frame.
struct Column {
    std::string name;
    std::string type;
    std::byte* first;
    std::size_t step;  // bytes from particle to particle
    std::size_t size;  // bytes of the number

    std::string declaration() const { return fmt::format("property {} {}\n", type, name); }
};

// All columns in the order of the file. Both the writer and the reader walk this list.
std::vector<Column> columns_of(ParticleFrame& frame) {
    std::vector<Column> columns;
    const auto add = [&](std::string name, const char* type, auto* numbers, std::size_t step) {
        columns.push_back({std::move(name), type, reinterpret_cast<std::byte*>(numbers), step, sizeof *numbers});
    };
    const auto add_vector = [&](const std::string& prefix, std::vector<Eigen::Vector3f>& vectors) {
        float* first = vectors.empty() ? nullptr : vectors.front().data();
        for (std::size_t k = 0; k < 3; ++k) {
            add(prefix + "xyz"[k], "float", first ? first + k : nullptr, sizeof(Eigen::Vector3f));
        }
    };
    add_vector("", frame.position);
    add_vector("v", frame.velocity);
    add("id", "uint", frame.id.data(), sizeof(std::uint32_t));
    add("body", "ushort", frame.body.data(), sizeof(std::uint16_t));
    add("radius", "float", frame.radius.data(), sizeof(float));
    if (!frame.material.empty()) add("material", "ushort", frame.material.data(), sizeof(std::uint16_t));
    for (std::size_t k = 0; k < 9 && !frame.deformation.empty(); ++k) {
        const auto row = Eigen::Index(k / 3), column = Eigen::Index(k % 3);
        add(fmt::format("F{}{}", row + 1, column + 1), "float", &frame.deformation.front()(row, column),
            sizeof(Eigen::Matrix3f));
    }
    for (ParticleQuantity& quantity : frame.quantities) {
        add(quantity.name, "float", quantity.values.data(), sizeof(float));
    }
    return columns;
}

std::size_t row_size(const std::vector<Column>& columns) {
    std::size_t size = 0;
    for (const Column& column : columns) size += column.size;
    return size;
}

template <class Copy>
void for_each_number(const std::vector<Column>& columns, std::size_t rows, Copy&& copy) {
    const std::size_t row = row_size(columns);
    parallel_for(rows, [&](std::size_t i) {
        std::size_t offset = i * row;
        for (const Column& column : columns) {
            copy(offset, column.first + i * column.step, column.size);
            offset += column.size;
        }
    });
}

std::uint64_t checksum(std::string_view before, std::string_view after, std::span<const std::byte> body) {
    Hash hash;
    hash.add_bytes(before.data(), before.size());
    hash.add_bytes(after.data(), after.size());
    hash.add_bytes(body.data(), body.size());
    return hash.value();
}

// The header up to the line of the checksum, which covers everything but itself.
std::string header_of(const ParticleFrame& frame, const std::vector<Column>& columns) {
    std::string header(first_lines);
    header += fmt::format("comment time {:.17g}\ncomment frame {}\n", frame.time, frame.frame);
    for (const ParticleQuantity& quantity : frame.quantities) {
        header += fmt::format("comment unit {} {}\n", quantity.name, quantity.unit);
    }
    header += fmt::format("element vertex {}\n", frame.size());
    for (const Column& column : columns) header += column.declaration();
    return header;
}

// Takes lines off the front of the header.
class HeaderReader {
public:
    HeaderReader(std::string_view text, const std::filesystem::path& path) : rest_(text), path_(path) {}

    bool starts_with(std::string_view word) const { return rest_.starts_with(word); }
    std::string_view rest() const { return rest_; }

    // The line that follows the word, which must stand there.
    std::string_view line_after(std::string_view word) {
        if (!rest_.starts_with(word)) fail(fmt::format("`{}` is missing in its header", word));
        const std::size_t end = rest_.find('\n');
        if (end == std::string_view::npos || end < word.size()) fail("its header is cut off");
        const std::string_view line = rest_.substr(word.size(), end - word.size());
        rest_.remove_prefix(end + 1);
        return line;
    }

    template <class Number>
    Number number_after(std::string_view word) {
        const std::string_view line = line_after(word);
        Number value{};
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        if (error != std::errc() || end != line.data() + line.size()) fail(fmt::format("`{}` has no number", word));
        return value;
    }

    [[noreturn]] void fail(const std::string& reason) const {
        throw InputError(fmt::format("{} is not a particle file of ours, or is damaged: {}; write it again",
                                     path_.string(), reason));
    }

private:
    std::string_view rest_;
    const std::filesystem::path& path_;
};

void read_unit(HeaderReader& header, ParticleFrame& frame) {
    const std::string_view line = header.line_after("comment unit ");
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) header.fail("a unit has no name");
    frame.quantities.push_back({std::string(line.substr(0, space)), std::string(line.substr(space + 1)), {}});
}

// Makes room for `count` particles, with the arrays that the properties in the rest of the header call for.
void resize(ParticleFrame& frame, std::size_t count, std::string_view properties) {
    const auto has = [&](std::string_view name) { return properties.find(name) != std::string_view::npos; };
    frame.position.resize(count);
    frame.velocity.resize(count);
    frame.id.resize(count);
    frame.body.resize(count);
    frame.radius.resize(count);
    if (has("property ushort material\n")) frame.material.resize(count);
    if (has("property float F11\n")) frame.deformation.resize(count);
    for (ParticleQuantity& quantity : frame.quantities) quantity.values.resize(count);
}

struct Parts {
    std::string_view header;  // between the first lines and the checksum
    std::span<const std::byte> body;
};

// Cuts the file in parts and compares its checksum: what stands in them is then what we once wrote.
Parts verified_parts(std::span<const std::byte> bytes, const std::filesystem::path& path) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), longest_header));
    const std::size_t position = text.find(checksum_word);
    const bool is_ours = text.starts_with(first_lines) && position != std::string_view::npos;
    HeaderReader tail(text.substr(is_ours ? position : 0), path);
    if (!is_ours) tail.fail("its first lines differ");
    const std::string_view stated = tail.line_after(checksum_word);
    tail.line_after(last_line.substr(0, last_line.size() - 1));
    const std::size_t start = std::size_t(tail.rest().data() - text.data());
    const std::span<const std::byte> body = bytes.subspan(start);
    const std::string_view before = text.substr(0, position);
    if (stated != fmt::format("{:016x}", checksum(before, last_line, body))) tail.fail("its checksum does not match");
    return {before.substr(first_lines.size()), body};
}

}  // namespace

void write_ply_particles(const std::filesystem::path& path, const ParticleFrame& frame) {
    check_frame(frame);
    const std::vector<Column> columns = columns_of(const_cast<ParticleFrame&>(frame));  // only read from
    const std::string header = header_of(frame, columns);
    const std::size_t start = header.size() + checksum_word.size() + 16 + 1 + last_line.size();
    std::vector<std::byte> bytes(start + frame.size() * row_size(columns));

    const std::span<std::byte> body = std::span(bytes).subspan(start);
    for_each_number(columns, frame.size(), [&](std::size_t offset, const std::byte* number, std::size_t size) {
        std::memcpy(body.data() + offset, number, size);
    });
    const std::string text =
        fmt::format("{}{}{:016x}\n{}", header, checksum_word, checksum(header, last_line, body), last_line);
    std::memcpy(bytes.data(), text.data(), text.size());
    write_bytes_atomically(path, bytes);
}

ParticleFrame read_ply_particles(const std::filesystem::path& path) {
    const std::vector<std::byte> bytes = read_bytes(path);
    const auto [text, body] = verified_parts(bytes, path);
    HeaderReader header(text, path);

    ParticleFrame frame;
    frame.time = header.number_after<double>("comment time ");
    frame.frame = header.number_after<std::int64_t>("comment frame ");
    while (header.starts_with("comment unit ")) read_unit(header, frame);
    const auto count = header.number_after<std::size_t>("element vertex ");

    // A frame of one particle tells the size of a row, before room is made for all of them.
    resize(frame, std::min<std::size_t>(count, 1), header.rest());
    std::string expected;
    for (const Column& column : columns_of(frame)) expected += column.declaration();
    if (header.rest() != expected) header.fail("its properties are not the ones we write");
    const std::size_t row = row_size(columns_of(frame));
    if (body.size() % row != 0 || body.size() / row != count) {
        header.fail("its size does not match its number of particles");
    }

    resize(frame, count, header.rest());
    const std::byte* source = body.data();
    for_each_number(columns_of(frame), count, [&](std::size_t offset, std::byte* number, std::size_t size) {
        std::memcpy(number, source + offset, size);
    });
    check_frame(frame);
    return frame;
}

}  // namespace pliant
