#include "pliant/methods/sph/search_watch.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::uint32_t no_cell = ~std::uint32_t(0);
constexpr Real rounding = 1e-6;  // of where points were, over how far they lie apart: ten times what floats have
constexpr Real farthest = 1e6;   // cells; what lies beyond shares the last

std::uint64_t key_of(const Eigen::Vector3i& c) {
    constexpr int middle = 1 << 20;
    return std::uint64_t(c.x() + middle) << 42 | std::uint64_t(c.y() + middle) << 21 | std::uint64_t(c.z() + middle);
}

// The largest difference between a motion in one box and one in the other.
Real difference(const Box& a, const Box& b) {
    return (a.max() - b.min()).cwiseMax(b.max() - a.min()).norm();
}

}  // namespace

void SearchWatch::begin(std::span<const Vec3> points, Real radius, Real margin, Real reach) {
    Box box;
    for (const Vec3& x : points) box.extend(x);
    middle_ = box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
    const Real slack = box.isEmpty() ? 0 : rounding * box.diagonal().norm();
    margin_ = margin - slack;
    reach_ = reach;
    start_.resize(points.size());
    parallel_for(points.size(), [&](std::size_t i) { start_[i] = (points[i] - middle_).cast<float>(); });
    sort_points(points, radius + margin + reach);
}

void SearchWatch::sort_points(std::span<const Vec3> points, Real width) {
    std::unordered_map<std::uint64_t, std::uint32_t> cell_at;
    std::vector<Eigen::Vector3i> place;
    std::vector<std::uint32_t> cell_of(points.size());
    cell_.clear();
    const auto place_of = [&](std::size_t i) -> Eigen::Vector3i {
        const Vec3 c = ((points[i] - middle_) / width).array().floor().min(farthest).max(-farthest);
        return c.cast<int>();
    };
    for (std::size_t i = 0; i < points.size(); ++i) {  // neighbours in memory are mostly in one cell
        const Eigen::Vector3i c = place_of(i);
        if (i > 0 && c == place[cell_of[i - 1]]) {
            cell_of[i] = cell_of[i - 1];
        } else {
            const auto [at, is_new] = cell_at.emplace(key_of(c), static_cast<std::uint32_t>(cell_.size()));
            if (is_new) {
                cell_.push_back({});
                place.push_back(c);
            }
            cell_of[i] = at->second;
        }
        ++cell_[cell_of[i]].last;
    }
    std::uint32_t total = 0;
    for (Cell& cell : cell_) {
        cell.first = total;
        total += cell.last;
        cell.last = cell.first;
    }
    order_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) order_[cell_[cell_of[i]].last++] = static_cast<std::uint32_t>(i);
    for (std::size_t k = 0; k < cell_.size(); ++k) {
        for (int side = 0; side < 13; ++side) {  // the first half of the 27
            const Eigen::Vector3i step(side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1);
            const auto found = cell_at.find(key_of(place[k] + step));
            cell_[k].adjacent[std::size_t(side)] = found == cell_at.end() ? no_cell : found->second;
        }
    }
}

bool SearchWatch::serves(std::span<const Vec3> first, std::span<const Vec3> second, const Box& others) {
    if (cell_.empty() || first.size() + second.size() != start_.size()) return false;
    moved_.resize(cell_.size());
    parallel_for(
        cell_.size(),
        [&](std::size_t k) {
            Box box;
            for (std::uint32_t at = cell_[k].first; at < cell_[k].last; ++at) {
                const std::size_t i = order_[at];
                const Vec3& x = i < first.size() ? first[i] : second[i - first.size()];
                const Vec3 motion = x - middle_ - start_[i].cast<Real>();
                if (!motion.allFinite()) box.extend(Vec3::Constant(std::numeric_limits<Real>::infinity()));
                box.extend(motion);
            }
            moved_[k] = box;
        },
        16);
    Box all = others;
    for (const Box& box : moved_) all.extend(box);
    if (!(all.diagonal().norm() <= margin_ + reach_)) return false;
    return parallel_sum(cell_.size(), std::size_t(0),
                        [&](std::size_t k) -> std::size_t { return !is_bearable(cell_[k]); }) == 0;
}

bool SearchWatch::is_bearable(const Cell& cell) const {
    const Box& own = moved_[std::size_t(&cell - cell_.data())];
    if (!(own.diagonal().norm() <= margin_)) return false;
    return std::all_of(cell.adjacent.begin(), cell.adjacent.end(),
                       [&](std::uint32_t k) { return k == no_cell || difference(own, moved_[k]) <= margin_; });
}

std::size_t SearchWatch::bytes() const {
    return start_.capacity() * sizeof(start_[0]) + order_.capacity() * 4 + cell_.capacity() * sizeof(Cell) +
           moved_.capacity() * sizeof(Box);
}

}  // namespace pliant
