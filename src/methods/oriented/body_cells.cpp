#include "pliant/methods/oriented/body_cells.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "pliant/geometry/sampling_voxels.h"

namespace pliant {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// How strongly surface pulls a point, compared with matter one spacing deep: points below a flat surface come to rest
// a quarter of the spacing from it, where an ellipsoid reaches up to it.
constexpr Real pull_of_surface = 1;

}  // namespace

BodyCells::BodyCells(const BodySamples& samples, Real spacing)
    : samples_(samples), spacing_(spacing), owner_(samples.size(), nobody), distance_(samples.size(), infinity) {}

Real BodyCells::weight(std::size_t sample) const {
    return samples_.volume[sample] / cube(spacing_) + pull_of_surface * samples_.area[sample] / square(spacing_);
}

void BodyCells::cover(Real reach, std::uint64_t seed) {
    std::priority_queue<std::pair<Real, std::size_t>> farthest;  // distances may be out of date, and are then too large
    for (std::size_t s = 0; s < samples_.size(); ++s) {
        if (distance_[s] > reach) farthest.emplace(distance_[s], s);
    }
    const auto add_point_at = [&](std::size_t s) {
        points_.push_back(samples_.position[s]);
        grow({{0, std::uint32_t(s), std::uint32_t(points_.size() - 1)}});
    };
    if (points_.empty() && samples_.size() > 0) add_point_at(Random(seed, 0).below(samples_.size()));
    while (!farthest.empty()) {
        const auto [distance, s] = farthest.top();
        farthest.pop();
        if (distance_[s] == distance) {
            add_point_at(s);
        } else if (distance_[s] > reach) {
            farthest.emplace(distance_[s], s);
        }
    }
}

// Dijkstra's way from all fronts at once; a sample changes hands when a front comes to it by a shorter way.
void BodyCells::grow(std::vector<Front> fronts) {
    const auto later = [](const Front& a, const Front& b) {
        return std::tie(a.distance, a.sample, a.owner) > std::tie(b.distance, b.sample, b.owner);
    };
    const auto reach = [&](const Front& front) {
        if (front.distance >= distance_[front.sample]) return false;
        distance_[front.sample] = front.distance;
        owner_[front.sample] = front.owner;
        return true;
    };
    std::erase_if(fronts, [&](const Front& front) { return !reach(front); });
    std::priority_queue<Front, std::vector<Front>, decltype(later)> queue(later, std::move(fronts));
    while (!queue.empty()) {
        const Front front = queue.top();
        queue.pop();
        if (front.distance > distance_[front.sample] || front.owner != owner_[front.sample]) continue;
        for (std::size_t k = samples_.links.offsets[front.sample]; k < samples_.links.offsets[front.sample + 1]; ++k) {
            const Front next{front.distance + samples_.length[k], samples_.links.indices[k], front.owner};
            if (reach(next)) queue.push(next);
        }
    }
}

// A point may lie between samples, or just outside a hollow: it starts from those of its own that are about nearest.
std::vector<BodyCells::Front> BodyCells::fronts_at_points() const {
    std::vector<Real> nearest(points_.size(), infinity);
    const auto straight = [&](std::size_t s) { return (samples_.position[s] - points_[owner_[s]]).norm(); };
    for (std::size_t s = 0; s < samples_.size(); ++s) nearest[owner_[s]] = std::min(nearest[owner_[s]], straight(s));
    std::vector<Front> fronts;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
        const Real distance = straight(s);
        if (distance <= nearest[owner_[s]] + samples_.step) fronts.push_back({distance, std::uint32_t(s), owner_[s]});
    }
    return fronts;
}

void BodyCells::assign() {
    std::vector<Front> fronts = fronts_at_points();
    std::fill(distance_.begin(), distance_.end(), infinity);
    std::fill(owner_.begin(), owner_.end(), nobody);
    grow(std::move(fronts));
    drop_points_without_samples();
}

void BodyCells::drop_points_without_samples() {
    std::vector<std::uint32_t> number(points_.size(), nobody);
    for (const std::uint32_t owner : owner_) number[owner] = 0;
    std::uint32_t count = 0;
    for (std::size_t p = 0; p < points_.size(); ++p) {
        if (number[p] == nobody) continue;
        points_[count] = points_[p];
        number[p] = count++;
    }
    points_.resize(count);
    for (std::uint32_t& owner : owner_) owner = number[owner];
}

void BodyCells::move_to_middles() {
    std::vector<Vec3> sum(points_.size(), Vec3::Zero());
    std::vector<Real> total(points_.size(), 0);
    for (std::size_t s = 0; s < samples_.size(); ++s) {
        sum[owner_[s]] += weight(s) * samples_.position[s];
        total[owner_[s]] += weight(s);
    }
    for (std::size_t p = 0; p < points_.size(); ++p) points_[p] = sum[p] / total[p];
}

void BodyCells::relax(int rounds) {
    for (int round = 0; round < rounds; ++round) {
        move_to_middles();
        assign();
    }
}

void BodyCells::merge_closer_than(Real distance) {
    std::vector<std::tuple<Real, std::uint32_t, std::uint32_t>> pairs;
    for (const Contact& contact : contacts()) {
        const Real apart = (points_[contact.a] - points_[contact.b]).norm();
        if (apart < distance) pairs.emplace_back(apart, contact.a, contact.b);
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::uint32_t> heir(points_.size(), nobody);  // of those that have merged, either side
    for (const auto& [apart, a, b] : pairs) {
        if (heir[a] != nobody || heir[b] != nobody) continue;
        heir[a] = heir[b] = a;
        points_[a] = (points_[a] + points_[b]) / 2;
    }
    for (std::uint32_t& owner : owner_) {
        if (heir[owner] != nobody) owner = heir[owner];
    }
    drop_points_without_samples();
    assign();
}

std::vector<BodyCells::Contact> BodyCells::contacts() const {
    std::vector<Contact> found;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
        for (std::size_t k = samples_.links.offsets[s]; k < samples_.links.offsets[s + 1]; ++k) {
            const std::size_t t = samples_.links.indices[k];
            if (owner_[s] >= owner_[t] || samples_.length[k] == infinity) continue;
            found.push_back({owner_[s], owner_[t], distance_[s] + samples_.length[k] + distance_[t]});
        }
    }
    const auto key = [](const Contact& c) { return std::tie(c.a, c.b, c.way); };
    std::sort(found.begin(), found.end(), [&](const Contact& l, const Contact& r) { return key(l) < key(r); });
    const auto same = [](const Contact& l, const Contact& r) { return l.a == r.a && l.b == r.b; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    return found;
}

}  // namespace pliant
