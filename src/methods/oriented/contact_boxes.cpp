#include "pliant/methods/oriented/contact_boxes.h"

#include <algorithm>
#include <bit>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

using Vector = Eigen::Vector3f;

constexpr std::uint32_t task_level = 2;  // tiles of at most 512 particles are one task
constexpr std::size_t leaves_a_task = 64;
constexpr std::uint64_t above_diagonal = 0x0080c0e0f0f8fcfe;  // of 8 x 8 bits, row by row
constexpr std::uint64_t diagonal = 0x8040201008040201;

Vector at_most(const Vec3& v, float length) {
    const Vector way = v.cast<float>();
    const float size = way.norm();
    return size > length ? Vector(way * (length / size)) : way;
}

float lowest(Float8 a) {
    float result = a[0];
    for (int l = 1; l < 8; ++l) result = std::min(result, a[l]);
    return result;
}
float highest(Float8 a) {
    float result = a[0];
    for (int l = 1; l < 8; ++l) result = std::max(result, a[l]);
    return result;
}
// Bit l is lane l.
unsigned bits(Float8::Lanes lanes) {
#if defined(__AVX2__)
    return unsigned(_mm256_movemask_ps((__m256)lanes.v));
#else
    unsigned result = 0;
    for (int l = 0; l < 8; ++l) result |= lanes[l] ? 1u << l : 0u;
    return result;
#endif
}

}  // namespace

void ContactBoxes::set_bodies(std::span<const BodyRange> bodies, std::span<const Vec3> rest_position,
                              bool self_collision) {
    bodies_.assign(bodies.begin(), bodies.end());
    self_collision_ = self_collision;
    children_.clear();
    leaves_.clear();
    home_.assign(rest_position.size(), 0);
    way_.assign(rest_position.size(), Vector::Zero());
    body_way_.assign(bodies.size(), Vector::Zero());
    root_.clear();
    for (const BodyRange& body : bodies) {
        root_.push_back(static_cast<std::uint32_t>(children_.size()));
        if (body.size() == 0) continue;
        std::vector<std::uint32_t> particles(body.size());
        for (std::size_t k = 0; k < particles.size(); ++k) particles[k] = static_cast<std::uint32_t>(body.first + k);
        add_tiles(particles, rest_position);
    }
    root_.push_back(static_cast<std::uint32_t>(children_.size()));
    tile_.resize(children_.size());
    bounds_.resize(children_.size());
    excluded_.assign(children_.size(), {});
    for (std::uint32_t t = 0; t < children_.size(); ++t) {
        if (children_[t].level > 0) continue;
        leaves_.push_back(t);
        for (std::uint32_t l = 0; l < 8 && children_[t].index[l] != none; ++l) home_[children_[t].index[l]] = 8 * t + l;
    }
}

// A tile over the particles given, and those below it. All but the last are full.
std::uint32_t ContactBoxes::add_tiles(std::span<std::uint32_t> particles, std::span<const Vec3> position) {
    const auto tile = static_cast<std::uint32_t>(children_.size());
    children_.emplace_back();
    Children own;
    std::fill(std::begin(own.index), std::end(own.index), none);
    std::size_t part_size = 1;
    for (; 8 * part_size < particles.size(); part_size *= 8) ++own.level;
    split(particles, (particles.size() + part_size - 1) / part_size, part_size, position, own);
    children_[tile] = own;
    return tile;
}

// Halves along the longest side until there is one part left, which becomes a child.
void ContactBoxes::split(std::span<std::uint32_t> particles, std::size_t parts, std::size_t part_size,
                         std::span<const Vec3> position, Children& children) {
    if (parts == 1) {
        const auto place = std::find(std::begin(children.index), std::end(children.index), none);
        *place = children.level == 0 ? particles[0] : add_tiles(particles, position);
        return;
    }
    Box box;
    for (const std::uint32_t i : particles) box.extend(position[i]);
    int axis = 0;
    box.sizes().maxCoeff(&axis);
    const auto is_before = [&](std::uint32_t i, std::uint32_t j) {
        return position[i][axis] != position[j][axis] ? position[i][axis] < position[j][axis] : i < j;
    };
    const std::size_t left = parts / 2;
    std::nth_element(particles.begin(), particles.begin() + std::ptrdiff_t(left * part_size), particles.end(),
                     is_before);
    split(particles.first(left * part_size), left, part_size, position, children);
    split(particles.subspan(left * part_size), parts - left, part_size, position, children);
}

void ContactBoxes::exclude(std::uint32_t i, std::uint32_t j) {
    std::uint32_t a = home_[i], b = home_[j];
    if (a > b) std::swap(a, b);
    auto& row = excluded_[a / 8];
    auto entry = std::lower_bound(row.begin(), row.end(), b / 8, is_below);
    if (entry == row.end() || entry->tile != b / 8) entry = row.insert(entry, {b / 8, absent(a / 8, b / 8)});
    entry->pairs |= std::uint64_t(1) << (8 * (a % 8) + b % 8);
}

// Pairs of which one is missing, and those that a tile has twice with itself.
std::uint64_t ContactBoxes::absent(std::uint32_t a, std::uint32_t b) const {
    std::uint64_t pairs = a == b ? ~above_diagonal : 0;
    for (int k = 0; k < 64; ++k) {
        if (children_[a].index[k / 8] == none || children_[b].index[k % 8] == none) pairs |= std::uint64_t(1) << k;
    }
    return pairs;
}

std::uint64_t ContactBoxes::excluded(std::uint32_t a, std::uint32_t b) const {
    const auto& row = excluded_[a];
    const auto entry = std::lower_bound(row.begin(), row.end(), b, is_below);
    if (entry != row.end() && entry->tile == b) return entry->pairs;
    return a == b ? ~above_diagonal : 0;
}

void ContactBoxes::follow(std::span<const Vec3> position, std::span<const Vec3> move,
                          std::span<const Eigen::Matrix3f> shape, const Vec3& origin, float margin, float longest_way) {
    const auto of = [&](std::size_t i) { return move[i]; };
    const Vec3 mean = parallel_sum(move.size(), Vec3(Vec3::Zero()), of) / Real(std::max<std::size_t>(1, move.size()));
    parallel_for(
        bodies_.size(),
        [&](std::size_t b) {
            const BodyRange& body = bodies_[b];
            if (body.size() == 0) return;
            Vec3 own = Vec3::Zero();
            for (std::size_t i = body.first; i < body.last; ++i) own += move[i];
            own /= Real(body.size());
            body_way_[b] = at_most(own - mean, longest_way);
            for (std::size_t i = body.first; i < body.last; ++i) way_[i] = at_most(move[i] - own, longest_way);
        },
        16);
    parallel_for(
        leaves_.size(), [&](std::size_t k) { fit_leaf(leaves_[k], position, shape, origin, margin); }, leaves_a_task);
    parallel_for(
        bodies_.size(), [&](std::size_t b) { fit_above(b); }, 16);
    find_tasks();
}

void ContactBoxes::fit_leaf(std::size_t t, std::span<const Vec3> position, std::span<const Eigen::Matrix3f> shape,
                            const Vec3& origin, float margin) {
    using namespace simd;
    Float8 centre[3], half[3], way[3];
    const auto& index = children_[t].index;
    int count = 0;
    for (; count < 8 && index[count] != none; ++count) {
        const std::uint32_t i = index[count];
        for (int c = 0; c < 3; ++c) {
            centre[c].set(count, float(position[i][c] - origin[c]));
            half[c].set(count, shape[i](c, c));
            way[c].set(count, way_[i][c]);
        }
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto exists = first_lanes<Float8>(count);
    Bounds& bounds = bounds_[t];
    for (int c = 0; c < 3; ++c) {
        const Float8 wide = sqrt(half[c]) + Float8(margin);
        tile_[t].low[c] = select(exists, centre[c] - wide + min(way[c], 0), infinity);
        tile_[t].high[c] = select(exists, centre[c] + wide + max(way[c], 0), -infinity);
        bounds.low[c] = lowest(tile_[t].low[c]);
        bounds.high[c] = highest(tile_[t].high[c]);
    }
}

// Children have higher numbers than their parents.
void ContactBoxes::fit_above(std::size_t body) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (std::uint32_t t = root_[body + 1]; t-- > root_[body];) {
        const Children& children = children_[t];
        if (children.level == 0) continue;
        Bounds all = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
        for (int l = 0; l < 8; ++l) {
            const bool exists = children.index[l] != none;
            for (int c = 0; c < 3; ++c) {
                const float low = exists ? bounds_[children.index[l]].low[c] : infinity;
                const float high = exists ? bounds_[children.index[l]].high[c] : -infinity;
                tile_[t].low[c].set(l, low);
                tile_[t].high[c].set(l, high);
                all.low[c] = std::min(all.low[c], low);
                all.high[c] = std::max(all.high[c], high);
            }
        }
        bounds_[t] = all;
    }
}

// Bodies in the order in which they begin along x: those that begin before one ends may touch it.
void ContactBoxes::find_tasks() {
    tasks_.clear();
    order_.clear();
    const auto begin = [&](std::uint32_t b) { return bounds_[root_[b]].low[0] + std::min(0.0f, body_way_[b].x()); };
    const auto end = [&](std::uint32_t b) { return bounds_[root_[b]].high[0] + std::max(0.0f, body_way_[b].x()); };
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
        if (bodies_[b].size() > 0) order_.push_back(b);
    }
    if (self_collision_) {
        for (const std::uint32_t b : order_) add_task({root_[b], root_[b], b, b, Vector::Zero()});
    }
    std::sort(order_.begin(), order_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return begin(a) != begin(b) ? begin(a) < begin(b) : a < b; });
    for (std::size_t k = 0; k < order_.size(); ++k) {
        const float last = end(order_[k]);
        for (std::size_t l = k + 1; l < order_.size() && begin(order_[l]) <= last; ++l) {
            const std::uint32_t a = std::min(order_[k], order_[l]), b = std::max(order_[k], order_[l]);
            const Vector shift = body_way_[a] - body_way_[b];
            const Bounds &A = bounds_[root_[a]], &B = bounds_[root_[b]];
            bool meets = true;
            for (int c = 0; c < 3; ++c) {
                meets &= A.low[c] + std::min(0.0f, shift[c]) <= B.high[c];
                meets &= A.high[c] + std::max(0.0f, shift[c]) >= B.low[c];
            }
            if (meets) add_task({root_[a], root_[b], a, b, shift});
        }
    }
}

void ContactBoxes::add_task(const Task& task) {
    if (std::max(children_[task.a].level, children_[task.b].level) <= task_level) {
        tasks_.push_back(task);
        return;
    }
    visit_children(task, [&](std::uint32_t a, std::uint32_t b) {
        add_task({a, b, task.body_a, task.body_b, task.shift});
    });
}

// Lanes of the tile that the box meets on its way, as bits.
unsigned ContactBoxes::meeting(const Tile& tile, const Bounds& box, const Vector& way) {
    auto meets = Float8(0) == Float8(0);
    for (int c = 0; c < 3; ++c) {
        meets = meets & (Float8(box.low[c] + std::min(0.0f, way[c])) <= tile.high[c]) &
                (Float8(box.high[c] + std::max(0.0f, way[c])) >= tile.low[c]);
    }
    return bits(meets);
}

// Those below two tiles whose boxes meet; of a tile with itself, each pair once.
template <class Visit>
void ContactBoxes::visit_children(const Task& task, Visit&& visit) const {
    const Children &A = children_[task.a], &B = children_[task.b];
    if (A.level > B.level) {
        for (unsigned rest = meeting(tile_[task.a], bounds_[task.b], -task.shift); rest; rest &= rest - 1)
            visit(A.index[std::countr_zero(rest)], task.b);
    } else if (A.level < B.level) {
        for (unsigned rest = meeting(tile_[task.b], bounds_[task.a], task.shift); rest; rest &= rest - 1)
            visit(task.a, B.index[std::countr_zero(rest)]);
    } else {
        const std::uint64_t once = task.a == task.b ? above_diagonal | diagonal : ~std::uint64_t(0);
        for (std::uint64_t rest = meeting(task) & once; rest; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            visit(A.index[bit / 8], B.index[bit % 8]);
        }
    }
}

std::uint64_t ContactBoxes::meeting(const Task& task) const {
    using namespace simd;
    const Tile &A = tile_[task.a], &B = tile_[task.b];
    float low[3][8], high[3][8];
    auto is_near = Float8(0) == Float8(0);  // of A, to all of B
    for (int c = 0; c < 3; ++c) {
        const Float8 from = A.low[c] + Float8(std::min(0.0f, task.shift[c]));
        const Float8 to = A.high[c] + Float8(std::max(0.0f, task.shift[c]));
        is_near = is_near & (from <= Float8(bounds_[task.b].high[c])) & (to >= Float8(bounds_[task.b].low[c]));
        store(low[c], from);
        store(high[c], to);
    }
    std::uint64_t found = 0;
    for (unsigned near = bits(is_near); near; near &= near - 1) {
        const int a = std::countr_zero(near);
        const auto meets = (Float8(low[0][a]) <= B.high[0]) & (Float8(high[0][a]) >= B.low[0]) &
                           (Float8(low[1][a]) <= B.high[1]) & (Float8(high[1][a]) >= B.low[1]) &
                           (Float8(low[2][a]) <= B.high[2]) & (Float8(high[2][a]) >= B.low[2]);
        found |= std::uint64_t(bits(meets)) << (8 * a);
    }
    return found;
}

void ContactBoxes::list_pairs(std::size_t task, std::vector<Pair>& into) const {
    list_below(tasks_[task], into);
}

void ContactBoxes::list_below(const Task& task, std::vector<Pair>& into) const {
    const Children &A = children_[task.a], &B = children_[task.b];
    if (A.level + B.level > 0) {
        visit_children(task, [&](std::uint32_t a, std::uint32_t b) {
            list_below({a, b, task.body_a, task.body_b, task.shift}, into);
        });
        return;
    }
    const std::uint64_t never = task.body_a == task.body_b ? excluded(task.a, task.b) : 0;
    if (never == ~std::uint64_t(0)) return;
    for (std::uint64_t rest = meeting(task) & ~never; rest; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const std::uint32_t i = A.index[bit / 8], j = B.index[bit % 8];
        const Vector way = way_[j] - way_[i] - task.shift;
        into.push_back(i < j ? Pair{i, j, way} : Pair{j, i, -way});
    }
}

std::size_t ContactBoxes::bytes() const {
    return tile_.capacity() * (sizeof(Tile) + sizeof(Children) + sizeof(Bounds)) +
           way_.capacity() * (sizeof(Vector) + sizeof(std::uint32_t)) + tasks_.capacity() * sizeof(Task);
}

}  // namespace pliant
