#include "pliant/geometry/mesh_counts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string_view>

namespace pliant {
namespace {

constexpr std::size_t longest_header = 1 << 16;
constexpr std::size_t stl_header = 84, stl_triangle = 50;  // bytes of the binary format

std::string too_many(double count, const char* what, std::size_t bytes) {
    return fmt::format("announces {:.0f} {} and is only {} bytes long; the file is damaged, or cut short", count, what,
                       bytes);
}

// Any vertex or face takes a byte at the very least.
std::string problem_with(double count, const std::string& what, std::size_t bytes) {
    if (!(count >= 0)) return fmt::format("announces a number of {} that is none", what);
    return count > double(bytes) ? too_many(count, what.c_str(), bytes) : "";
}

std::string problem_with_ply(std::string_view text, std::size_t bytes) {
    const std::size_t end = text.find("end_header");
    if (end == std::string_view::npos) return "has a header without end; the file is damaged, or no PLY file";
    std::istringstream header{std::string(text.substr(0, end))};
    for (std::string line; std::getline(header, line);) {
        std::istringstream words(line);
        std::string word, what;
        double count = 0;
        if (!(words >> word) || word != "element") continue;
        if (!(words >> what >> count)) return "has an element without a count in its header";
        const std::string problem = problem_with(count, what, bytes);
        if (!problem.empty()) return problem;
    }
    return "";
}

// "OFF", then the numbers of vertices, faces and edges.
std::string problem_with_off(std::string_view text, std::size_t bytes) {
    std::istringstream words{std::string(text)};
    std::string word;
    double vertices = 0, faces = 0;
    while (words >> word && word.starts_with('#')) std::getline(words, word);
    if (!(words >> vertices >> faces)) return "";
    const std::string problem = problem_with(vertices, "vertices", bytes);
    return problem.empty() ? problem_with(faces, "faces", bytes) : problem;
}

// A binary file may begin with "solid" as a text does; a text has "facet" soon after it. Either may be in capitals.
std::string problem_with_stl(std::span<const std::byte> bytes, std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t solid = small.find_first_not_of(" \t\r\n");
    if (solid != std::string::npos && small.compare(solid, 5, "solid") == 0 &&
        small.find("facet") != std::string::npos) {
        return "";
    }
    if (bytes.size() < stl_header) return "";
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + stl_header - sizeof count, sizeof count);
    return count > (bytes.size() - stl_header) / stl_triangle ? too_many(count, "triangles", bytes.size()) : "";
}

}  // namespace

std::string problem_with_counts(std::span<const std::byte> bytes, const std::string& extension) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), longest_header));
    if (extension == "ply") return problem_with_ply(text, bytes.size());
    if (extension == "off") return problem_with_off(text, bytes.size());
    if (extension == "stl") return problem_with_stl(bytes, text);
    return "";
}

}  // namespace pliant
