#include "pliant/methods/oriented/rig_edges.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pliant {
namespace {

// Ways along the samples go zigzag; one much longer than the straight line leads around a gap.
constexpr Real longest_detour = 1.6;

// A particle with fewer edges may have some that are longer, by this factor: holes in a sheet would sag.
constexpr int least_edges = 4;
constexpr Real stretched = 1.3;

// Sets of particles that are held together.
class Pieces {
public:
    explicit Pieces(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0u); }
    void join(std::uint32_t a, std::uint32_t b) {
        a = root(a), b = root(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }
    bool are_joined(std::uint32_t a, std::uint32_t b) { return root(a) == root(b); }

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
    std::vector<BodyCells::Contact> contacts = cells.contacts();
    std::stable_sort(contacts.begin(), contacts.end(), [](const auto& l, const auto& r) { return l.way < r.way; });

    std::vector<RigEdge> edges;
    std::vector<int> edges_at(points.size(), 0);
    Pieces pieces(points.size());
    const auto is_wanted = [&](const BodyCells::Contact& contact) {
        const Real apart = (points[contact.a] - points[contact.b]).norm();
        const bool is_needed = std::min(edges_at[contact.a], edges_at[contact.b]) < least_edges;
        return apart <= (is_needed ? stretched : 1) * longest && contact.way <= longest_detour * longest;
    };
    const auto add = [&](const BodyCells::Contact& contact) {
        edges.push_back({contact.a, contact.b});
        ++edges_at[contact.a], ++edges_at[contact.b];
        pieces.join(contact.a, contact.b);
    };
    std::erase_if(contacts, [&](const BodyCells::Contact& contact) {
        if (!is_wanted(contact)) return false;
        add(contact);
        return true;
    });
    for (const BodyCells::Contact& contact : contacts) {
        if (!pieces.are_joined(contact.a, contact.b)) add(contact);
    }
    std::sort(edges.begin(), edges.end(),
              [](const RigEdge& l, const RigEdge& r) { return std::tie(l.a, l.b) < std::tie(r.a, r.b); });
    return edges;
}

}  // namespace pliant
