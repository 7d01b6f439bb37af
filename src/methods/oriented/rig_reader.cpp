// Rigs from TOML. Everything is read before anything is refused, so that all that is wrong can be told at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "pliant/base/error.h"
#include "pliant/base/toml_values.h"
#include "pliant/contact/motion.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/methods/oriented/rig_file.h"

namespace pliant {
namespace {

constexpr std::size_t most_findings = 20;

// A quaternion with a few digits, written by hand, is taken for what it was meant to be.
constexpr Real length_by_hand = 0.01, length_to_the_bit = 1e-12;

// What numbers of a rig may be. They are no settings of a struct, and so need no names.
const Field any_real = {}, positive = Field().above(0), not_negative = Field().at_least(0),
            fraction = Field().at_least(0).at_most(1);
const Field any_text = [] {
    Field field;
    field.type = FieldType::text;
    return field;
}();

class Findings {
public:
    explicit Findings(std::string file) : file_(std::move(file)) {}

    void add(const toml::source_region& place, const std::string& name, const std::string& message) {
        ++count_;
        if (lines_.size() >= most_findings) return;
        lines_.push_back(fmt::format("{}:{}:{}: {}{}{}", file_, place.begin.line, place.begin.column, name,
                                     name.empty() ? "" : ": ", message));
    }
    bool empty() const { return count_ == 0; }
    void throw_if_any() const {
        if (empty()) return;
        std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
        if (count_ > lines_.size()) text += fmt::format("\n{}: and {} more", file_, count_ - lines_.size());
        throw InputError(text);
    }

private:
    std::string file_;
    std::vector<std::string> lines_;
    std::size_t count_ = 0;
};

// How many numbers a list may have.
struct Count {
    std::size_t least, most;

    std::string text() const {
        if (most == std::numeric_limits<std::size_t>::max()) return fmt::format("at least {}", least);
        return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    }
};
constexpr Count any_number{1, std::numeric_limits<std::size_t>::max()};

// One table of the file, under the name that messages give it.
class TableReader {
public:
    TableReader(const toml::table& table, std::string name, Findings& findings)
        : table_(table), name_(std::move(name)), findings_(findings) {}

    const toml::node* node(const std::string& key) {
        known_.insert(key);
        return table_.get(key);
    }
    void require(const std::string& key, const std::string& example) {
        if (!table_.contains(key)) complain(table_, "", fmt::format("has no {}: add {} = {}", key, key, example));
    }
    void complain(const toml::node& place, const std::string& key, const std::string& message) {
        findings_.add(place.source(), key.empty() || name_.empty() ? name_ + key : name_ + "." + key, message);
    }

    // Left as it was when absent or wrong, as all below.
    template <class Value>
    void value(const std::string& key, const Field& field, Value& value) {
        if (const toml::node* found = node(key)) read(*found, key, field, value);
    }

    void numbers(const std::string& key, const Field& field, const Count& count, std::vector<Real>& values) {
        if (const toml::node* found = node(key)) read_numbers(*found, key, field, count, values);
    }

    // Numbers of things, of which there are `limit`.
    void indices(const std::string& key, std::size_t limit, const char* things, const Count& count,
                 std::vector<std::uint32_t>& values) {
        if (const toml::node* found = node(key)) read_indices(*found, key, limit, things, count, values);
    }

    // Calls visit(row, its name) for each list in a list.
    template <class Visit>
    void rows(const std::string& key, Visit&& visit) {
        const toml::node* found = node(key);
        if (!found) return;
        const toml::array* array = found->as_array();
        if (!array) return complain(*found, key, fmt::format("must be a list of lists, but is {}", type_name(*found)));
        for (std::size_t i = 0; i < array->size(); ++i) visit((*array)[i], fmt::format("{}.{}", key, i));
    }

    template <class Value>
    bool read(const toml::node& place, const std::string& key, const Field& field, Value& value) {
        std::string complaint;
        const auto given = read_value(place, field, {}, complaint);
        if (!given) {
            complain(place, key, complaint);
            return false;
        }
        value = std::get<Value>(*given);
        return true;
    }

    bool read_numbers(const toml::node& place, const std::string& key, const Field& field, const Count& count,
                      std::vector<Real>& values) {
        const toml::array* array = list(place, key, count);
        if (!array) return false;
        std::vector<Real> read(array->size());
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (!this->read((*array)[i], key, field, read[i])) return false;
        }
        values = std::move(read);
        return true;
    }

    bool read_indices(const toml::node& place, const std::string& key, std::size_t limit, const char* things,
                      const Count& count, std::vector<std::uint32_t>& values) {
        const toml::array* array = list(place, key, count);
        if (!array) return false;
        std::vector<std::uint32_t> read;
        for (const toml::node& item : *array) {
            const auto given = item.is_integer() ? item.value<std::int64_t>() : std::nullopt;
            if (!given) {
                complain(item, key, fmt::format("must hold whole numbers, but holds {}", type_name(item)));
                return false;
            }
            if (*given < 0 || std::uint64_t(*given) >= limit) {
                complain(item, key,
                         fmt::format("there is no {} {}: they count from 0, and there are {}", things, *given, limit));
                return false;
            }
            read.push_back(std::uint32_t(*given));
        }
        values = std::move(read);
        return true;
    }

    void finish() {  // complains about keys that nobody asked for
        for (const auto& [key, value] : table_) {
            const std::string name(key.str());
            if (known_.contains(name)) continue;
            findings_.add(key.source(), name_, about_unknown_key(name, known_));
        }
    }

private:
    const toml::array* list(const toml::node& place, const std::string& key, const Count& count) {
        const toml::array* array = place.as_array();
        if (array && array->size() >= count.least && array->size() <= count.most) return array;
        complain(place, key,
                 fmt::format("must be a list of {} numbers, but {}", count.text(),
                             array ? fmt::format("has {}", array->size()) : fmt::format("is {}", type_name(place))));
        return nullptr;
    }

    const toml::table& table_;
    std::string name_;
    Findings& findings_;
    std::set<std::string> known_;
};

class RigReader {
public:
    RigReader(const toml::table& root, const std::string& name, std::filesystem::path folder)
        : root_(root), findings_(name), folder_(std::move(folder)) {}

    Rig read() {
        TableReader top(root_, "", findings_);
        const auto particles = tables(top, "particle"), edges = tables(top, "edge"), groups = tables(top, "group");
        if (particles.empty() && findings_.empty())
            findings_.add(root_.source(), "", "has no particles: add [[particle]] with position and radii");
        for (std::size_t i = 0; i < particles.size(); ++i) read_particle(*particles[i], fmt::format("particle.{}", i));
        for (std::size_t i = 0; i < edges.size(); ++i) read_edge(*edges[i], fmt::format("edge.{}", i));
        for (std::size_t i = 0; i < groups.size(); ++i) read_group(*groups[i], fmt::format("group.{}", i));
        if (const toml::node* skin = top.node("skin")) {
            if (skin->is_table())
                read_skin(*skin->as_table());
            else
                top.complain(*skin, "skin", fmt::format("must be a table, as in [skin], but is {}", type_name(*skin)));
        }
        top.finish();
        findings_.throw_if_any();
        for (const auto& [between, edge] : edges_) rig_.edges.push_back(edge);
        return std::move(rig_);
    }

private:
    std::vector<const toml::table*> tables(TableReader& top, const std::string& key) {
        std::vector<const toml::table*> list;
        const toml::node* node = top.node(key);
        if (!node) return list;
        if (!node->is_array()) {
            top.complain(*node, key,
                         fmt::format("must be a list of tables, as in [[{}]], but is {}", key, type_name(*node)));
            return list;
        }
        for (const toml::node& item : *node->as_array()) {
            if (item.is_table())
                list.push_back(item.as_table());
            else
                top.complain(item, key, fmt::format("must be a list of tables, but holds {}", type_name(item)));
        }
        return list;
    }

    void read_particle(const toml::table& table, const std::string& name) {
        TableReader reader(table, name, findings_);
        reader.require("position", "[0, 0, 0] (in m)");
        reader.require("radii", "[0.1, 0.1, 0.1] (in m), or one number");
        std::vector<Real> position(3, 0);
        reader.numbers("position", any_real, {3, 3}, position);
        const Vec3 radii = read_radii(reader);
        Real volume = 4 * pi / 3 * radii.prod(), stiffness = 1;
        reader.value("volume", positive, volume);
        reader.value("stiffness", fraction, stiffness);
        rig_.position.emplace_back(position[0], position[1], position[2]);
        rig_.orientation.push_back(read_rotation(reader));
        rig_.radii.push_back(radii);
        rig_.volume.push_back(volume);
        rig_.stiffness.push_back(stiffness);
        reader.finish();
    }

    static Vec3 read_radii(TableReader& reader) {
        const toml::node* node = reader.node("radii");
        Real radius = 1;
        if (!node) return Vec3::Constant(radius);
        if (node->is_number()) {
            reader.read(*node, "radii", positive, radius);
            return Vec3::Constant(radius);
        }
        std::vector<Real> radii(3, radius);
        reader.read_numbers(*node, "radii", positive, {3, 3}, radii);
        return Vec3(radii[0], radii[1], radii[2]);
    }

    static Quat read_rotation(TableReader& reader) {
        std::vector<Real> r;
        reader.numbers("rotation", any_real, {3, 4}, r);
        if (r.empty()) return Quat::Identity();
        if (r.size() == 3) return rotation_from_degrees(Vec3(r[0], r[1], r[2]));
        const Quat q(r[3], r[0], r[1], r[2]);
        const Real off = std::abs(q.norm() - 1);
        if (!(off <= length_by_hand)) {
            reader.complain(
                *reader.node("rotation"), "rotation",
                fmt::format("must be x, y, z, w of length 1, but has length {:g}; or three angles in degrees",
                            q.norm()));
            return Quat::Identity();
        }
        return off > length_to_the_bit ? q.normalized() : q;
    }

    void read_edge(const toml::table& table, const std::string& name) {
        TableReader reader(table, name, findings_);
        reader.require("between", "[0, 1]");
        std::vector<std::uint32_t> between;
        reader.indices("between", rig_.size(), "particle", {2, 2}, between);
        RigEdge edge;
        reader.value("torsion", fraction, edge.torsion);
        reader.value("stretch", fraction, edge.stretch);
        reader.finish();
        if (between.empty()) return;
        std::tie(edge.a, edge.b) = std::minmax(between[0], between[1]);
        if (edge.a == edge.b) return reader.complain(*table.get("between"), "between", "must name two particles");
        if (!edges_.try_emplace({edge.a, edge.b}, edge).second)
            reader.complain(*table.get("between"), "between", "an edge above joins the same particles: keep one");
    }

    void read_group(const toml::table& table, const std::string& name) {
        TableReader reader(table, name, findings_);
        reader.require("particles", "[0, 1, 2]");
        RigGroup group;
        reader.value("name", any_text, group.name);
        reader.indices("particles", rig_.size(), "particle", any_number, group.particles);
        reader.value("stiffness", fraction, group.stiffness);
        reader.value("dent_speed", not_negative, group.dent_speed);
        reader.finish();
        const std::set<std::uint32_t> different(group.particles.begin(), group.particles.end());
        if (different.size() < group.particles.size())
            reader.complain(*table.get("particles"), "particles", "names a particle twice");
        rig_.groups.push_back(std::move(group));
    }

    void read_skin(const toml::table& table) {
        TableReader reader(table, "skin", findings_);
        const bool is_file = table.contains("mesh"), is_inline = table.contains("vertices");
        if (is_file == is_inline) reader.complain(table, "", "needs either mesh = \"file\" or vertices and triangles");
        std::string mesh;
        reader.value("mesh", any_text, mesh);
        if (!mesh.empty()) read_skin_mesh(reader, *table.get("mesh"), mesh);
        read_vertices(reader);
        read_weights(reader, table);
        reader.finish();
    }

    void read_skin_mesh(TableReader& reader, const toml::node& place, const std::string& mesh) {
        try {
            rig_.skin = read_mesh(folder_ / mesh);
        } catch (const Error& error) {
            reader.complain(place, "mesh", error.what());
        }
    }

    void read_vertices(TableReader& reader) {
        reader.rows("vertices", [&](const toml::node& row, const std::string& key) {
            std::vector<Real> x(3, 0);
            reader.read_numbers(row, key, any_real, {3, 3}, x);
            rig_.skin.vertices.emplace_back(x[0], x[1], x[2]);
        });
        reader.rows("triangles", [&](const toml::node& row, const std::string& key) {
            std::vector<std::uint32_t> c(3, 0);
            reader.read_indices(row, key, rig_.skin.vertices.size(), "vertex", {3, 3}, c);
            rig_.skin.triangles.push_back({int(c[0]), int(c[1]), int(c[2])});
        });
    }

    // Vertices that hang on fewer than four particles may name fewer.
    void read_weights(TableReader& reader, const toml::table& table) {
        if (table.contains("frames") != table.contains("weights"))
            reader.complain(table, "", "needs both frames and weights, or neither");
        reader.rows("frames", [&](const toml::node& row, const std::string& key) {
            std::vector<std::uint32_t> frames(1, 0);
            reader.read_indices(row, key, rig_.size(), "particle", {1, 4}, frames);
            auto& four = rig_.weights.frame.emplace_back();
            four.fill(frames[0]);
            std::copy(frames.begin(), frames.end(), four.begin());
        });
        reader.rows("weights", [&](const toml::node& row, const std::string& key) {
            std::vector<Real> weights;
            reader.read_numbers(row, key, fraction, {1, 4}, weights);
            auto& four = rig_.weights.weight.emplace_back();
            four.fill(0);
            std::transform(weights.begin(), weights.end(), four.begin(), [](Real w) { return float(w); });
        });
    }

    const toml::table& root_;
    Findings findings_;
    std::filesystem::path folder_;
    Rig rig_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, RigEdge> edges_;
};

}  // namespace

Rig parse_rig(std::string_view text, const std::string& name, const std::filesystem::path& folder) {
    try {
        return RigReader(toml::parse(text, name), name, folder).read();
    } catch (const toml::parse_error& error) {
        throw InputError(fmt::format("{}:{}:{}: {}", name, error.source().begin.line, error.source().begin.column,
                                     error.description()));
    }
}

}  // namespace pliant
