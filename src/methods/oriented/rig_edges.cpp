#include "pliant/methods/oriented/rig_edges.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pliant {
namespace {

// Ways along the samples go zigzag; one much longer than the straight line leads around a gap.
constexpr Real longest_detour = 1.35;

// Sets of particles that are held together.
class Pieces {
public:
    explicit Pieces(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
    bool join(std::uint32_t a, std::uint32_t b) {  // false: they were one already
        a = root(a), b = root(b);
        parent_[std::max(a, b)] = std::min(a, b);
        return a != b;
    }

private:
    std::uint32_t root(std::uint32_t a) {
        while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
        return a;
    }
    std::vector<std::uint32_t> parent_;
};

}  // namespace

std::vector<RigEdge> edges_between(const BodyCells& cells, Real longest) {
    const std::vector<Vec3>& points = cells.points();
    std::vector<RigEdge> edges;
    std::vector<BodyCells::Contact> left_out;
    Pieces pieces(points.size());
    for (const BodyCells::Contact& contact : cells.contacts()) {
        const Real apart = (points[contact.a] - points[contact.b]).norm();
        if (apart > longest || contact.way > longest_detour * longest) {
            left_out.push_back(contact);
            continue;
        }
        edges.push_back({contact.a, contact.b});
        pieces.join(contact.a, contact.b);
    }
    std::stable_sort(left_out.begin(), left_out.end(), [](const auto& l, const auto& r) { return l.way < r.way; });
    for (const BodyCells::Contact& contact : left_out) {
        if (pieces.join(contact.a, contact.b)) edges.push_back({contact.a, contact.b});
    }
    std::sort(edges.begin(), edges.end(),
              [](const RigEdge& l, const RigEdge& r) { return std::tie(l.a, l.b) < std::tie(r.a, r.b); });
    return edges;
}

}  // namespace pliant
