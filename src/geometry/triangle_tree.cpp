#include "pliant/geometry/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

constexpr int deepest = 64;        // halving 2^31 triangles takes 31 levels
constexpr Real far_away = 2.3;     // what is farther than this many times its reach acts as a dipole
constexpr float rounding = 1e-6f;  // boxes grow by this share of the mesh, to hold their triangles in floats

Box box_of(const Triangle& t) {
    Box box(t.a);
    return box.extend(t.b).extend(t.c);
}

float squared_distance(const Eigen::Array3f& lower, const Eigen::Array3f& upper, const Eigen::Array3f& x) {
    return (lower - x).max(x - upper).max(0.0f).square().sum();
}

// Solid angle of something far away: N . (c - x) / |c - x|^3
Real dipole_angle(const Vec3& area_vector, const Vec3& to_middle, Real distance) {
    return area_vector.dot(to_middle) / cube(distance);
}

}  // namespace

TriangleTree::Dipole::Dipole(const Triangle* begin, const Triangle* end) {
    Real area = 0;
    Box box;
    for (const Triangle* t = begin; t != end; ++t) {
        const Vec3 each = t->area_vector();
        area_vector += each;
        area += each.norm();
        middle += each.norm() * t->middle();
        box.extend(box_of(*t));
    }
    middle = area > 0 ? Vec3(middle / area) : box.center();
    reach = (middle - box.min()).cwiseMax(box.max() - middle).norm();  // to the farthest corner of the box
}

TriangleTree::TriangleTree(const TriangleMesh& mesh) {
    const int count = static_cast<int>(mesh.triangles.size());
    if (count == 0) return;
    origin_ = mesh.bounds().center();
    const auto corners = [&](int t) {
        const auto& [a, b, c] = mesh.triangles[t];
        return Triangle{mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
    };
    std::vector<Vec3> middles;
    for (int t = 0; t < count; ++t) middles.push_back(corners(t).middle());
    original_.resize(count);
    std::iota(original_.begin(), original_.end(), 0);
    std::vector<Range> ranges;  // by node
    build(middles, {0, count}, ranges);

    slot_.resize(count);
    for (int slot = 0; slot < count; ++slot) {
        slot_[original_[slot]] = slot;
        triangles_.push_back(corners(original_[slot]));
    }
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        enclose(nodes_[n], ranges[n]);
        dipoles_.emplace_back(triangles_.data() + ranges[n].begin, triangles_.data() + ranges[n].end);
    }
    for (const Range& range : pack_range_) {
        packs_.emplace_back();
        for (int lane = 0; lane < TrianglePack::width; ++lane) {  // lanes left over repeat the last triangle
            packs_.back().set(lane, triangles_[std::min(range.begin + lane, range.end - 1)], origin_);
        }
    }
}

// Halves the triangles along the axis where their middles spread most; ties go by index, so that every run agrees.
void TriangleTree::build(const std::vector<Vec3>& middles, Range range, std::vector<Range>& ranges) {
    const std::size_t index = nodes_.size();
    nodes_.emplace_back();
    ranges.push_back(range);
    if (range.end - range.begin <= TrianglePack::width) {
        nodes_[index].pack = static_cast<int>(pack_range_.size());
        pack_range_.push_back(range);
        return;
    }
    Box spread;
    for (int slot = range.begin; slot < range.end; ++slot) spread.extend(middles[original_[slot]]);
    int axis = 0;
    spread.sizes().maxCoeff(&axis);
    const auto before = [&](int s, int t) { return std::pair(middles[s][axis], s) < std::pair(middles[t][axis], t); };
    const int half = range.begin + (range.end - range.begin) / 2;
    const auto first = original_.begin();
    std::nth_element(first + range.begin, first + half, first + range.end, before);
    build(middles, {range.begin, half}, ranges);
    nodes_[index].right = static_cast<int>(nodes_.size());
    build(middles, {half, range.end}, ranges);
}

void TriangleTree::enclose(Node& node, const Range& range) const {
    Box box;
    for (int slot = range.begin; slot < range.end; ++slot) box.extend(box_of(triangles_[slot]));
    const float growth =
        rounding * std::max(relative(box.min()).abs().maxCoeff(), relative(box.max()).abs().maxCoeff());
    node.lower = relative(box.min()) - growth;
    node.upper = relative(box.max()) + growth;
}

TriangleTree::Nearest TriangleTree::nearest(const Vec3& x, int guess) const {
    const Eigen::Array3f at = relative(x);
    float best = std::numeric_limits<float>::infinity();
    int best_slot = -1;
    const auto look_at = [&](int pack) {
        TrianglePack::Lanes squared;
        packs_[pack].squared_distances(at.x(), at.y(), at.z(), squared);
        const Range& range = pack_range_[pack];
        for (int slot = range.begin; slot < range.end; ++slot) {
            const float each = squared[slot - range.begin];
            if (each < best || (each == best && best_slot >= 0 && original_[slot] < original_[best_slot])) {
                best = each;
                best_slot = slot;
            }
        }
    };
    if (guess >= 0) best = guessed_bound(x, guess);
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node& node = nodes_[index];
        if (squared_distance(node.lower, node.upper, at) * (1 - rounding) > best) continue;
        if (node.right < 0) {
            look_at(node.pack);
            continue;
        }
        const Node &left = nodes_[index + 1], &right = nodes_[node.right];
        const bool left_first =
            squared_distance(left.lower, left.upper, at) <= squared_distance(right.lower, right.upper, at);
        stack[top++] = left_first ? node.right : index + 1;
        stack[top++] = left_first ? index + 1 : node.right;
    }
    if (best_slot < 0) return {};
    return {(triangles_[best_slot].nearest(x) - x).norm(), original_[best_slot]};
}

// Somewhat more than the squared distance to the guess, so that it is found again on the way in spite of rounding.
float TriangleTree::guessed_bound(const Vec3& x, int guess) const {
    const Real slack = rounding * ((x - origin_).norm() + dipoles_.front().reach);
    return static_cast<float>(square((triangle(guess).nearest(x) - x).norm() + slack));
}

// w(x) = 1/(4 pi) sum over triangles of their solid angle
Real TriangleTree::winding_number(const Vec3& x) const {
    const Eigen::Array3f at = relative(x);
    Real angle = 0;
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Vec3 to_middle = dipoles_[index].middle - x;
        const Real distance2 = to_middle.squaredNorm();
        if (distance2 > square(far_away * dipoles_[index].reach)) {
            angle += dipole_angle(dipoles_[index].area_vector, to_middle, std::sqrt(distance2));
        } else if (nodes_[index].right >= 0) {
            stack[top++] = nodes_[index].right;
            stack[top++] = index + 1;
        } else {
            const Range& range = pack_range_[nodes_[index].pack];
            angle += packs_[nodes_[index].pack].solid_angle(at.x(), at.y(), at.z(), range.end - range.begin);
        }
    }
    return angle / (4 * pi);
}

void TriangleTree::for_each_meeting(const Box& box, FunctionRef<bool(int)> visit) const {
    const Eigen::Array3f lower = relative(box.min()), upper = relative(box.max());
    int stack[deepest], top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
        const int index = stack[--top];
        const Node& node = nodes_[index];
        if ((node.lower > upper).any() || (node.upper < lower).any()) continue;
        if (node.right >= 0) {
            stack[top++] = node.right;
            stack[top++] = index + 1;
            continue;
        }
        const Range& range = pack_range_[node.pack];
        for (int slot = range.begin; slot < range.end; ++slot) {
            if (box_of(triangles_[slot]).intersects(box) && !visit(original_[slot])) return;
        }
    }
}

}  // namespace pliant
