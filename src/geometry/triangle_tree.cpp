#include "pliant/geometry/triangle_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

constexpr int leaf_size = 4;
constexpr int deepest = 64;     // halving 2^31 triangles takes 31 levels
constexpr Real far_away = 2.5;  // a node farther than this many times its reach acts as a dipole

Box box_of(const Triangle& t) {
    Box box(t.a);
    return box.extend(t.b).extend(t.c);
}

}  // namespace

TriangleTree::TriangleTree(const TriangleMesh& mesh) {
    const int count = static_cast<int>(mesh.triangles.size());
    original_.resize(count);
    std::iota(original_.begin(), original_.end(), 0);
    std::vector<Vec3> middles(count);
    const auto corners = [&](int t) {
        const auto& [a, b, c] = mesh.triangles[t];
        return Triangle{mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
    };
    for (int t = 0; t < count; ++t) middles[t] = corners(t).middle();
    nodes_.reserve(count);
    if (count > 0) build(middles, 0, count);
    slot_.resize(count);
    triangles_.reserve(count);
    for (int slot = 0; slot < count; ++slot) {
        slot_[original_[slot]] = slot;
        triangles_.push_back(corners(original_[slot]));
    }
    // Children come after their parent, so the last node is finished first.
    for (std::size_t n = nodes_.size(); n-- > 0;) summarise(nodes_[n]);
}

// Halves the triangles along the axis where their middles spread most; ties go by index, so that every run agrees.
int TriangleTree::build(const std::vector<Vec3>& middles, int begin, int end) {
    const int index = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    nodes_[index].begin = begin;
    nodes_[index].end = end;
    if (end - begin <= leaf_size) return index;
    Box spread;
    for (int slot = begin; slot < end; ++slot) spread.extend(middles[original_[slot]]);
    int axis = 0;
    spread.sizes().maxCoeff(&axis);
    const int half = begin + (end - begin) / 2;
    const auto before = [&](int s, int t) { return std::pair(middles[s][axis], s) < std::pair(middles[t][axis], t); };
    std::nth_element(original_.begin() + begin, original_.begin() + half, original_.begin() + end, before);
    build(middles, begin, half);
    const int right = build(middles, half, end);
    nodes_[index].right = right;
    return index;
}

void TriangleTree::summarise(Node& node) const {
    Real area = 0;
    Vec3 moment = Vec3::Zero();
    for (int slot = node.begin; slot < node.end; ++slot) {
        const Triangle& t = triangles_[slot];
        const Vec3 area_vector = t.area_vector();
        node.box.extend(box_of(t));
        node.dipole += area_vector;
        area += area_vector.norm();
        moment += area_vector.norm() * t.middle();
    }
    node.middle = area > 0 ? Vec3(moment / area) : node.box.center();
    // The corner of the box that is farthest from the middle.
    node.reach = (node.middle - node.box.min()).cwiseMax(node.box.max() - node.middle).norm();
}

TriangleTree::Nearest TriangleTree::nearest(const Vec3& x, int guess) const {
    Real best = std::numeric_limits<Real>::infinity();
    int best_slot = -1;
    const auto look_at = [&](int slot) {
        const Real squared = (triangles_[slot].nearest(x) - x).squaredNorm();
        if (squared < best || (squared == best && best_slot >= 0 && original_[slot] < original_[best_slot])) {
            best = squared;
            best_slot = slot;
        }
    };
    if (guess >= 0) look_at(slot_[guess]);
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node& node = nodes_[index];
        if (box_distance_squared(node, x) > best) continue;
        if (node.right < 0) {
            for (int slot = node.begin; slot < node.end; ++slot) look_at(slot);
            continue;
        }
        const bool left_first =
            box_distance_squared(nodes_[index + 1], x) <= box_distance_squared(nodes_[node.right], x);
        stack[top++] = left_first ? node.right : index + 1;
        stack[top++] = left_first ? index + 1 : node.right;
    }
    return best_slot < 0 ? Nearest{} : Nearest{std::sqrt(best), original_[best_slot]};
}

// w(x) = 1/(4 pi) sum over triangles of their solid angle; far away  N . (c - x) / |c - x|^3
Real TriangleTree::winding_number(const Vec3& x) const {
    Real angle = 0;
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node& node = nodes_[index];
        const Vec3 to_middle = node.middle - x;
        const Real distance = to_middle.norm();
        if (distance > far_away * node.reach) {
            angle += node.dipole.dot(to_middle) / cube(distance);
        } else if (node.right < 0) {
            for (int slot = node.begin; slot < node.end; ++slot) angle += triangles_[slot].solid_angle(x);
        } else {
            stack[top++] = node.right;
            stack[top++] = index + 1;
        }
    }
    return angle / (4 * pi);
}

void TriangleTree::for_each_meeting(const Box& box, FunctionRef<bool(int)> visit) const {
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node& node = nodes_[index];
        if (!node.box.intersects(box)) continue;
        if (node.right >= 0) {
            stack[top++] = node.right;
            stack[top++] = index + 1;
            continue;
        }
        for (int slot = node.begin; slot < node.end; ++slot) {
            if (box_of(triangles_[slot]).intersects(box) && !visit(original_[slot])) return;
        }
    }
}

}  // namespace pliant
