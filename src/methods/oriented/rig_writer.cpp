// Rigs as TOML, numbers with all their digits.
#include <fmt/format.h>

#include <iterator>

#include "pliant/methods/oriented/rig_file.h"

namespace pliant {
namespace {

// The shortest text that reads back as the same number. Without a point it would read back as a whole number, and
// -0 as 0.
std::string number(Real x) {
    std::string text = fmt::format("{}", x);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

template <class Row>
std::string list(const Row& row) {
    std::string text;
    for (const auto& x : row) {
        if (!text.empty()) text += ", ";
        if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(x)>>) {
            text += number(x);
        } else {
            text += fmt::format("{}", x);
        }
    }
    return "[" + text + "]";
}

// A text in quotes; what TOML would not take as it stands is written as its number.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += fmt::format("\\{}", c);
        } else if (code < 0x20 || code == 0x7F) {
            result += fmt::format("\\u{:04X}", code);
        } else {
            result += c;
        }
    }
    return result + "\"";
}

template <class Rows>
void append_rows(std::string& text, const char* key, const Rows& rows) {
    text += fmt::format("{} = [\n", key);
    for (const auto& row : rows) text += fmt::format("    {},\n", list(row));
    text += "]\n";
}

void append_skin(std::string& text, const Rig& rig) {
    if (rig.skin.vertices.empty()) return;
    text += "\n[skin]\n";
    append_rows(text, "vertices", rig.skin.vertices);
    append_rows(text, "triangles", rig.skin.triangles);
    if (rig.weights.size() == 0) return;
    append_rows(text, "frames", rig.weights.frame);
    append_rows(text, "weights", rig.weights.weight);
}

}  // namespace

std::string rig_text(const Rig& rig) {
    std::string text = fmt::format("# A body of oriented particles: {} particles, {} edges. Particles count from 0.\n",
                                   rig.size(), rig.edges.size());
    const auto line = std::back_inserter(text);
    for (std::size_t p = 0; p < rig.size(); ++p) {
        fmt::format_to(line, "\n[[particle]]  # {}\nposition = {}\nradii = {}\nrotation = {}\n", p,
                       list(rig.position[p]), list(rig.radii[p]), list(rig.orientation[p].coeffs()));
        fmt::format_to(line, "volume = {}\nstiffness = {}\n", number(rig.volume[p]), number(rig.stiffness[p]));
    }
    for (const RigEdge& edge : rig.edges) {
        fmt::format_to(line, "\n[[edge]]\nbetween = [{}, {}]\n", edge.a, edge.b);
        fmt::format_to(line, "torsion = {}\nstretch = {}\n", number(edge.torsion), number(edge.stretch));
    }
    for (const RigGroup& group : rig.groups) {
        fmt::format_to(line, "\n[[group]]\nname = {}\nparticles = {}\n", quoted(group.name), list(group.particles));
        fmt::format_to(line, "stiffness = {}\ndent_speed = {}\n", number(group.stiffness), number(group.dent_speed));
    }
    append_skin(text, rig);
    return text;
}

}  // namespace pliant
