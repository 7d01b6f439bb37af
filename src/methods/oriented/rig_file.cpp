// Which kind of file, and the binary one: a snapshot of named arrays with a checksum.
#include "pliant/methods/oriented/rig_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <tuple>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/particles/snapshot.h"

namespace pliant {
namespace {

constexpr std::uintmax_t largest_text = std::uintmax_t(256) << 20;  // bytes; a skin of a million vertices is 100 MB
constexpr std::uint64_t version = 1;
constexpr std::size_t most_sentences = 20;  // of problems that one message tells

enum class Kind { text, binary };

Kind kind_of(const std::filesystem::path& path) {
    if (path.extension() == ".toml") return Kind::text;
    if (path.extension() == ".rig") return Kind::binary;
    throw InputError(fmt::format("{}: a rig is a .toml or a .rig file: let the name end so", path.string()));
}

void require_sound(const Rig& rig, const std::string& name) {
    std::vector<std::string> wrong = problems(rig);
    if (wrong.empty()) return;
    const std::size_t count = wrong.size();
    for (std::string& sentence : wrong) sentence = fmt::format("{}: {}", name, sentence);
    wrong.resize(std::min(count, most_sentences));
    if (count > most_sentences) wrong.push_back(fmt::format("{}: and {} more", name, count - most_sentences));
    throw InputError(fmt::format("{}", fmt::join(wrong, "\n")));
}

std::string read_text(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        throw InputError(fmt::format("{}: is a folder; name the file in it", path.string()));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(fmt::format("{}: cannot be opened; is the name right?", path.string()));
    if (std::filesystem::file_size(path, error) > largest_text && !error)
        throw InputError(fmt::format("{}: is larger than 256 MiB; keep such a rig as .rig", path.string()));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string group_key(std::size_t group, const char* what) {
    return fmt::format("group.{}.{}", group, what);
}

// Rows of numbers, one after the other.
template <class Number, class Row>
void put_rows(Snapshot& snapshot, const std::string& name, const std::vector<Row>& rows) {
    std::vector<Number> numbers;
    for (const Row& row : rows) numbers.insert(numbers.end(), row.begin(), row.end());
    snapshot.put(name, numbers);
}

template <class Number, class Row>
void get_rows(const Snapshot& snapshot, const std::string& name, std::vector<Row>& rows) {
    std::vector<Number> numbers;
    snapshot.get(name, numbers);
    constexpr std::size_t width = std::tuple_size_v<Row>;
    if (numbers.size() % width != 0) throw InputError(fmt::format("'{}' has no whole number of rows", name));
    rows.resize(numbers.size() / width);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        rows[k / width][k % width] = static_cast<typename Row::value_type>(numbers[k]);
}

void put_particles(Snapshot& snapshot, const Rig& rig) {
    std::vector<std::array<double, 4>> orientation;
    for (const Quat& q : rig.orientation) orientation.push_back({q.x(), q.y(), q.z(), q.w()});
    snapshot.put("position", rig.position);
    put_rows<double>(snapshot, "orientation", orientation);
    snapshot.put("radii", rig.radii);
    snapshot.put("volume", rig.volume);
    snapshot.put("stiffness", rig.stiffness);
}

void get_particles(const Snapshot& snapshot, Rig& rig) {
    std::vector<std::array<double, 4>> orientation;
    snapshot.get("position", rig.position);
    get_rows<double>(snapshot, "orientation", orientation);
    for (const auto& [x, y, z, w] : orientation) rig.orientation.emplace_back(w, x, y, z);
    snapshot.get("radii", rig.radii);
    snapshot.get("volume", rig.volume);
    snapshot.get("stiffness", rig.stiffness);
}

void put_edges(Snapshot& snapshot, const Rig& rig) {
    std::vector<std::array<std::uint32_t, 2>> between;
    std::vector<std::array<double, 2>> strength;
    for (const RigEdge& edge : rig.edges) {
        between.push_back({edge.a, edge.b});
        strength.push_back({edge.torsion, edge.stretch});
    }
    put_rows<std::uint32_t>(snapshot, "edge.between", between);
    put_rows<double>(snapshot, "edge.torsion_stretch", strength);
}

void get_edges(const Snapshot& snapshot, Rig& rig) {
    std::vector<std::array<std::uint32_t, 2>> between;
    std::vector<std::array<double, 2>> strength;
    get_rows<std::uint32_t>(snapshot, "edge.between", between);
    get_rows<double>(snapshot, "edge.torsion_stretch", strength);
    if (between.size() != strength.size()) throw InputError("its edges are not of one number");
    for (std::size_t e = 0; e < between.size(); ++e)
        rig.edges.push_back({between[e][0], between[e][1], strength[e][0], strength[e][1]});
}

void put_groups(Snapshot& snapshot, const Rig& rig) {
    snapshot.put_number("groups", rig.groups.size());
    for (std::size_t g = 0; g < rig.groups.size(); ++g) {
        snapshot.put_text(group_key(g, "name"), rig.groups[g].name);
        snapshot.put(group_key(g, "particles"), rig.groups[g].particles);
        snapshot.put_real(group_key(g, "stiffness"), rig.groups[g].stiffness);
        snapshot.put_real(group_key(g, "dent_speed"), rig.groups[g].dent_speed);
    }
}

void get_groups(const Snapshot& snapshot, Rig& rig) {
    const std::uint64_t count = snapshot.get_number("groups");
    for (std::uint64_t g = 0; g < count; ++g) {
        RigGroup& group = rig.groups.emplace_back();
        group.name = snapshot.get_text(group_key(g, "name"));
        snapshot.get(group_key(g, "particles"), group.particles);
        group.stiffness = snapshot.get_real(group_key(g, "stiffness"));
        group.dent_speed = snapshot.get_real(group_key(g, "dent_speed"));
    }
}

Snapshot to_snapshot(const Rig& rig) {
    Snapshot snapshot;
    snapshot.put_number("rig", version);
    put_particles(snapshot, rig);
    put_edges(snapshot, rig);
    put_groups(snapshot, rig);
    snapshot.put("skin.vertices", rig.skin.vertices);
    put_rows<std::int32_t>(snapshot, "skin.triangles", rig.skin.triangles);
    put_rows<std::uint32_t>(snapshot, "skin.frames", rig.weights.frame);
    put_rows<double>(snapshot, "skin.weights", rig.weights.weight);
    return snapshot;
}

Rig from_snapshot(const Snapshot& snapshot) {
    if (!snapshot.has("rig")) throw InputError("it is no rig but something else that pliant wrote");
    if (snapshot.get_number("rig") != version)
        throw InputError(
            fmt::format("it is a rig of version {}; this program knows {}", snapshot.get_number("rig"), version));
    Rig rig;
    get_particles(snapshot, rig);
    get_edges(snapshot, rig);
    get_groups(snapshot, rig);
    snapshot.get("skin.vertices", rig.skin.vertices);
    get_rows<std::int32_t>(snapshot, "skin.triangles", rig.skin.triangles);
    get_rows<std::uint32_t>(snapshot, "skin.frames", rig.weights.frame);
    get_rows<double>(snapshot, "skin.weights", rig.weights.weight);
    return rig;
}

Rig read_binary(const std::filesystem::path& path) {
    const Snapshot snapshot = read_snapshot(path);
    try {
        return from_snapshot(snapshot);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}; make it anew with pliant model", path.string(), error.what()));
    }
}

}  // namespace

Rig read_rig(const std::filesystem::path& path) {
    Rig rig =
        kind_of(path) == Kind::text ? parse_rig(read_text(path), path.string(), path.parent_path()) : read_binary(path);
    require_sound(rig, path.string());
    return rig;
}

void require_rig_name(const std::filesystem::path& path) {
    kind_of(path);
}

void write_rig(const std::filesystem::path& path, const Rig& rig) {
    const Kind kind = kind_of(path);
    require_sound(rig, path.string());
    if (kind == Kind::text) {
        write_text_atomically(path, rig_text(rig));
    } else {
        write_snapshot(path, to_snapshot(rig));
    }
}

}  // namespace pliant
