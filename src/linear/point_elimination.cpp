#include "pliant/linear/point_elimination.h"

#include <algorithm>
#include <limits>

namespace pliant {
namespace {

constexpr std::size_t points_a_block = 64;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::size_t PointRows::at(std::size_t k, std::uint32_t wanted) const {
    const auto first = column.begin() + begin[k], last = column.begin() + begin[k + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, wanted) - column.begin());
}

void PointElimination::set_points(PointRows rows, std::span<const Vec3> places, Real most_work) {
    rows_ = std::move(rows);
    most_work_ = most_work;
    row_of_.assign(rows_.size() > 0 ? places.size() : 0, none);
    places_.clear();
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        row_of_[rows_.point[k]] = k;
        places_.push_back(places[rows_.point[k]]);
    }
    own_.resize(rows_.column.size());
    std::vector<std::pair<std::uint32_t, RowPair>> outside;
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
            own_[c] = row_of_[rows_.column[c]];
            if (own_[c] == none) outside.push_back({rows_.column[c], {k, c}});
        }
    }
    std::sort(outside.begin(), outside.end());
    others_.clear();
    entries_.clear();
    entry_begin_.clear();
    for (const auto& [point, entry] : outside) {
        if (others_.empty() || others_.back() != point) {
            others_.push_back(point);
            entry_begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
        }
        entries_.push_back(entry);
    }
    entry_begin_.push_back(static_cast<std::uint32_t>(entries_.size()));
    left_.resize(rows_.size());
    solved_.resize(rows_.size());
    right_.resize(row_of_.size());
    find_pattern({});
}

std::vector<Mat3>& PointElimination::new_blocks() {
    keeps_room_ = false;
    return coupling_;
}

void PointElimination::find_pattern(std::vector<RowPair> linked) {
    linked_ = std::move(linked);
    leaves_links_ = linked_.size() > rows_.size();
    if (!leaves_links_) {
        make_pattern(linked_);
        leaves_links_ = !linked_.empty() && !is_within_work();
    }
    if (leaves_links_) make_pattern({});
}

void PointElimination::make_pattern(std::span<const RowPair> linked) {
    pattern_ = {};
    pattern_.begin.assign(1, 0);
    source_.clear();
    auto link = linked.begin();
    std::vector<RowPair> column;  // row, and where it comes from
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        column.clear();
        for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
            if (own_[c] != none && own_[c] >= k) column.emplace_back(own_[c], c);  // T is symmetric: row k, column k
        }
        for (; link != linked.end() && link->first == k; ++link) column.emplace_back(link->second, none);
        std::sort(column.begin(), column.end());
        for (std::size_t n = 0; n < column.size(); ++n) {
            if (n > 0 && column[n].first == column[n - 1].first) continue;
            pattern_.row.push_back(column[n].first);
            source_.push_back(column[n].second);
        }
        pattern_.begin.push_back(static_cast<std::uint32_t>(pattern_.row.size()));
    }
    inner_.resize(source_.size());
    cholesky_.analyse(pattern_, places_);
}

bool PointElimination::factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs) {
    if (rows_.size() == 0) return true;
    std::vector<RowPair> linked;
    outer_.clear();
    for (const PointPair& p : pairs) {
        const std::uint32_t i = row_of_[p.i], j = row_of_[p.j];
        if (i != none && j != none) linked.emplace_back(std::min(i, j), std::max(i, j));
        if (i != none && j == none) outer_.push_back({i, p.j, p.coupling});
        if (i == none && j != none) outer_.push_back({j, p.i, p.coupling});
    }
    std::sort(linked.begin(), linked.end());
    linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
    const bool has_room =
        keeps_room_ ? std::includes(linked_.begin(), linked_.end(), linked.begin(), linked.end()) : linked == linked_;
    if (!has_room && !(keeps_room_ && leaves_links_)) find_pattern(std::move(linked));
    keeps_room_ = true;

    for (std::size_t k = 0; k < source_.size(); ++k) {
        inner_[k] = source_[k] == none ? Mat3(Mat3::Zero()) : Mat3(coupling_[source_[k]].transpose());
    }
    for (const PointPair& p : pairs) {
        const std::uint32_t i = row_of_[p.i], j = row_of_[p.j];
        if (i != none) inner_[pattern_.begin[i]] += p.coupling;
        if (j != none) inner_[pattern_.begin[j]] += p.coupling;
        if (i != none && j != none && !leaves_links_) inner_[pattern_.at(std::max(i, j), std::min(i, j))] -= p.coupling;
    }
    hold(held);
    has_factors_ = cholesky_.factor(inner_);
    return has_factors_;
}

// Held directions couple with nothing: T -> (1 - H) T (1 - H) + H of the point's own size.
void PointElimination::hold(std::span<const HeldPoint> held) {
    held_others_.clear();
    free_.assign(rows_.size(), Mat3::Identity());
    for (const HeldPoint& h : held) {
        const std::uint32_t k = row_of_[h.point];
        if (k == none) {
            held_others_.push_back({h.point, h.held});
        } else {
            inner_[pattern_.begin[k]] += h.drag;
            free_[k] -= h.held;
        }
    }
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        const Real size = inner_[pattern_.begin[k]].trace() / 3;
        for (std::uint32_t c = pattern_.begin[k]; c < pattern_.begin[k + 1]; ++c) {
            inner_[c] = free_[pattern_.row[c]] * inner_[c] * free_[k];
        }
        inner_[pattern_.begin[k]] += size * (Mat3::Identity() - free_[k]);
    }
}

void PointElimination::apply(std::span<const Vec3> r, std::span<Vec3> z, Preconditioner others) {
    if (rows_.size() == 0 || !has_factors_) return others(r, z);
    for (std::size_t k = 0; k < rows_.size(); ++k) left_[k] = r[rows_.point[k]];
    cholesky_.solve(left_, solved_);
    std::copy(r.begin(), r.end(), right_.begin());
    parallel_for(
        others_.size(),
        [&](std::size_t n) {
            Vec3 sum = Vec3::Zero();
            for (std::uint32_t e = entry_begin_[n]; e < entry_begin_[n + 1]; ++e) {
                sum += coupling_[entries_[e].second].transpose() * solved_[entries_[e].first];
            }
            right_[others_[n]] -= sum;
        },
        points_a_block);
    for (const Outer& o : outer_) right_[o.point] += o.coupling * solved_[o.row];
    for (const std::uint32_t i : rows_.point) right_[i].setZero();
    for (const HeldPoint& h : held_others_) right_[h.point] -= h.held * right_[h.point];
    others(right_, z);
    for (const HeldPoint& h : held_others_) z[h.point] -= h.held * z[h.point];
    parallel_for(
        rows_.size(),
        [&](std::size_t k) {
            for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
                if (own_[c] == none) left_[k] -= coupling_[c] * z[rows_.column[c]];
            }
        },
        points_a_block);
    for (const Outer& o : outer_) left_[o.row] += o.coupling * z[o.point];
    cholesky_.solve(left_, solved_);
    for (std::size_t k = 0; k < rows_.size(); ++k) z[rows_.point[k]] = solved_[k];
}

std::size_t PointElimination::bytes() const {
    return cholesky_.bytes() + rows_.column.capacity() * 16 + coupling_.capacity() * sizeof(Mat3) +
           inner_.capacity() * (sizeof(Mat3) + 8) + right_.capacity() * (sizeof(Vec3) + sizeof(std::uint32_t)) +
           rows_.size() * (2 * sizeof(Vec3) + sizeof(Mat3));
}

}  // namespace pliant
