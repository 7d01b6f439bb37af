#include "pliant/linear/point_elimination.h"

#include <algorithm>
#include <limits>

namespace pliant {
namespace {

constexpr Real held_stiffness = 100;  // in held directions, in a point's own
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::size_t PointRows::at(std::size_t k, std::uint32_t wanted) const {
    const auto first = column.begin() + begin[k], last = column.begin() + begin[k + 1];
    return static_cast<std::size_t>(std::lower_bound(first, last, wanted) - column.begin());
}

void PointElimination::set_points(PointRows rows, std::span<const Vec3> places) {
    rows_ = std::move(rows);
    row_of_.assign(rows_.size() > 0 ? places.size() : 0, none);
    for (std::uint32_t k = 0; k < rows_.size(); ++k) row_of_[rows_.point[k]] = k;
    own_.resize(rows_.column.size());
    for (std::size_t k = 0; k < rows_.column.size(); ++k) own_[k] = row_of_[rows_.column[k]];
    pattern_ = {};
    pattern_.begin.assign(1, 0);
    source_.clear();
    std::vector<Vec3> at;
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
        at.push_back(places[rows_.point[k]]);
        for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
            if (own_[c] == none || own_[c] < k) continue;  // row k of the symmetric T serves as its column k
            pattern_.row.push_back(own_[c]);
            source_.push_back(c);
        }
        pattern_.begin.push_back(static_cast<std::uint32_t>(pattern_.row.size()));
    }
    inner_.resize(source_.size());
    left_.resize(rows_.size());
    solved_.resize(rows_.size());
    right_.resize(row_of_.size());
    if (rows_.size() > 0) cholesky_.analyse(pattern_, at);
}

bool PointElimination::factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs) {
    if (rows_.size() == 0) return true;
    for (std::size_t k = 0; k < source_.size(); ++k) inner_[k] = coupling_[source_[k]].transpose();
    const auto add = [&](std::uint32_t point, const Mat3& block) {
        if (row_of_[point] != none) inner_[pattern_.begin[row_of_[point]]] += block;
    };
    for (const PointPair& p : pairs) {
        add(p.i, p.coupling);
        add(p.j, p.coupling);
    }
    for (const HeldPoint& h : held) {
        if (row_of_[h.point] == none) continue;
        Mat3& own = inner_[pattern_.begin[row_of_[h.point]]];
        own += h.drag + held_stiffness * own.trace() * h.held;
    }
    has_factors_ = cholesky_.factor(inner_);
    return has_factors_;
}

void PointElimination::apply(std::span<const Vec3> r, std::span<Vec3> z, Preconditioner others) {
    if (rows_.size() == 0 || !has_factors_) return others(r, z);
    for (std::size_t k = 0; k < rows_.size(); ++k) left_[k] = r[rows_.point[k]];
    cholesky_.solve(left_, solved_);
    std::copy(r.begin(), r.end(), right_.begin());
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
            if (own_[c] == none) right_[rows_.column[c]] -= coupling_[c].transpose() * solved_[k];
        }
    }
    for (const std::uint32_t i : rows_.point) right_[i].setZero();
    others(right_, z);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        for (std::uint32_t c = rows_.begin[k]; c < rows_.begin[k + 1]; ++c) {
            if (own_[c] == none) left_[k] -= coupling_[c] * z[rows_.column[c]];
        }
    }
    cholesky_.solve(left_, solved_);
    for (std::size_t k = 0; k < rows_.size(); ++k) z[rows_.point[k]] = solved_[k];
}

std::size_t PointElimination::bytes() const {
    return cholesky_.bytes() + rows_.column.capacity() * (8 + 2 * sizeof(Mat3)) +
           right_.capacity() * (sizeof(Vec3) + sizeof(std::uint32_t)) + rows_.size() * 2 * sizeof(Vec3);
}

}  // namespace pliant
