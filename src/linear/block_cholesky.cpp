#include "pliant/linear/block_cholesky.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t leaf_rows = 16;  // block rows that are not cut any further
constexpr int subtree_depth = 4;       // cuts above the parts that run side by side
constexpr std::uint32_t none = ~std::uint32_t(0);

using Rows = std::vector<std::uint32_t>;

std::uint32_t position_of(const Rows& rows, std::uint32_t row) {
    return static_cast<std::uint32_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
}

Real next_above(const std::vector<Real>& values, Real bound) {
    Real next = std::numeric_limits<Real>::infinity();
    for (const Real v : values) next = v > bound ? std::min(next, v) : next;
    return next;
}

}  // namespace

// Cuts the block rows recursively and makes the fronts with their own rows; the boundaries follow from the couplings.
class BlockCholesky::Dissection {
public:
    Dissection(const BlockPattern& pattern, std::span<const Vec3> places, std::vector<Front>& fronts)
        : places_(places), fronts_(fronts), neighbours_(pattern.size()), side_(pattern.size(), 0) {
        for (std::uint32_t c = 0; c < pattern.size(); ++c) {
            for (std::uint32_t k = pattern.begin[c]; k < pattern.begin[c + 1]; ++k) {
                if (pattern.row[k] == c) continue;
                neighbours_[c].push_back(pattern.row[k]);
                neighbours_[pattern.row[k]].push_back(c);
            }
        }
    }

    std::uint32_t cut(Rows rows, int depth) {
        Rows left, right, middle;
        if (rows.size() > leaf_rows) split(rows, left, right, middle);
        if (left.empty() || right.empty()) return add(std::move(rows), {}, depth);
        std::vector<std::uint32_t> children = {cut(std::move(left), depth + 1), cut(std::move(right), depth + 1)};
        return add(std::move(middle), std::move(children), depth);
    }

    const std::vector<int>& depths() const { return depths_; }

private:
    void split(const Rows& rows, Rows& left, Rows& right, Rows& middle) {
        Box box;
        for (const std::uint32_t r : rows) box.extend(places_[r]);
        int axis = 0;
        box.sizes().maxCoeff(&axis);
        std::vector<Real> coordinates;
        for (const std::uint32_t r : rows) coordinates.push_back(places_[r][axis]);
        std::nth_element(coordinates.begin(), coordinates.begin() + std::ptrdiff_t(rows.size() / 2), coordinates.end());
        const Real tolerance = 1e-9 * box.sizes().maxCoeff();
        Real bound = coordinates[rows.size() / 2] - tolerance;
        if (bound <= box.min()[axis]) bound = next_above(coordinates, box.min()[axis] + tolerance);
        for (const std::uint32_t r : rows) side_[r] = places_[r][axis] < bound ? 1 : 2;
        for (const std::uint32_t r : rows) {
            if (side_[r] == 1) {
                left.push_back(r);
                continue;
            }
            const bool is_cut = std::any_of(neighbours_[r].begin(), neighbours_[r].end(),
                                            [&](std::uint32_t n) { return side_[n] == 1; });
            (is_cut ? middle : right).push_back(r);
        }
        for (const std::uint32_t r : rows) side_[r] = 0;
    }

    std::uint32_t add(Rows own, std::vector<std::uint32_t> children, int depth) {
        Front front;
        front.own = static_cast<std::uint32_t>(own.size());
        front.rows = std::move(own);
        front.children = std::move(children);
        fronts_.push_back(std::move(front));
        depths_.push_back(depth);
        return static_cast<std::uint32_t>(fronts_.size() - 1);
    }

    std::span<const Vec3> places_;
    std::vector<Front>& fronts_;
    std::vector<Rows> neighbours_;
    std::vector<char> side_;
    std::vector<int> depths_;
};

void BlockCholesky::analyse(const BlockPattern& pattern, std::span<const Vec3> places) {
    size_ = pattern.size();
    fronts_.clear();
    subtrees_.clear();
    above_.clear();
    work_ = 0;
    if (size_ == 0) return;
    Dissection dissection(pattern, places, fronts_);
    Rows all(size_);
    std::iota(all.begin(), all.end(), 0u);
    dissection.cut(std::move(all), 0);

    parent_.assign(fronts_.size(), none);
    for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
        for (const std::uint32_t child : fronts_[f].children) parent_[child] = f;
        const int depth = dissection.depths()[f];
        if (depth == subtree_depth || (depth < subtree_depth && fronts_[f].children.empty())) subtrees_.push_back(f);
        if (depth < subtree_depth && !fronts_[f].children.empty()) above_.push_back(f);
    }
    find_entries(pattern);
    for (const Front& front : fronts_) {
        const double own = 3.0 * front.own, rest = 3.0 * double(front.rows.size()) - own;
        work_ += own * (own * own / 3 + own * rest + rest * rest / 2);
    }
}

// The rows of A are renumbered here in the order of elimination; a front's rows are ascending in it.
void BlockCholesky::find_entries(const BlockPattern& pattern) {
    std::vector<std::uint32_t> rank(size_), original, owner(size_);
    for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
        for (const std::uint32_t r : fronts_[f].rows) {
            rank[r] = static_cast<std::uint32_t>(original.size());
            owner[r] = f;
            original.push_back(r);
        }
    }
    std::vector<std::vector<std::array<std::uint32_t, 3>>> couplings(fronts_.size());  // block, later, earlier
    for (std::uint32_t c = 0; c < size_; ++c) {
        for (std::uint32_t k = pattern.begin[c]; k < pattern.begin[c + 1]; ++k) {
            const std::uint32_t r = pattern.row[k];
            const std::uint32_t first = rank[r] < rank[c] ? r : c;
            couplings[owner[first]].push_back({k, r, c});
        }
    }
    for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
        Front& front = fronts_[f];
        Rows boundary;
        for (std::uint32_t& r : front.rows) r = rank[r];
        const std::uint32_t last = front.rows.empty() ? 0 : front.rows.back();
        const auto is_behind = [&](std::uint32_t r) { return front.own == 0 || r > last; };
        for (const auto& [block, r, c] : couplings[f]) {
            const std::uint32_t later = std::max(rank[r], rank[c]);
            if (is_behind(later)) boundary.push_back(later);
        }
        for (const std::uint32_t child : front.children) {
            const Rows& rows = fronts_[child].rows;
            for (std::size_t k = fronts_[child].own; k < rows.size(); ++k) {
                if (is_behind(rows[k])) boundary.push_back(rows[k]);
            }
        }
        std::sort(boundary.begin(), boundary.end());
        boundary.erase(std::unique(boundary.begin(), boundary.end()), boundary.end());
        front.rows.insert(front.rows.end(), boundary.begin(), boundary.end());
        for (const auto& [block, r, c] : couplings[f]) {
            const bool swaps = rank[r] < rank[c];
            const std::uint32_t row = swaps ? rank[c] : rank[r], column = swaps ? rank[r] : rank[c];
            front.entries.push_back(
                {block, 3 * position_of(front.rows, row), 3 * position_of(front.rows, column), swaps});
        }
        for (const std::uint32_t child : front.children) {
            Rows map;
            const Rows& rows = fronts_[child].rows;
            for (std::size_t k = fronts_[child].own; k < rows.size(); ++k) {
                map.push_back(3 * position_of(front.rows, rows[k]));
            }
            front.maps.push_back(std::move(map));
        }
    }
    for (Front& front : fronts_) {
        const auto n = Eigen::Index(3 * front.rows.size()), own = Eigen::Index(3 * front.own);
        front.diagonal.resize(own, own);
        front.below.resize(n - own, own);
        front.right.resize(n);
        for (std::uint32_t k = 0; k < front.own; ++k) front.rows[k] = original[front.rows[k]];
    }
}

bool BlockCholesky::factor(std::span<const Mat3> blocks) {
    parallel_for(
        subtrees_.size(), [&](std::size_t k) { factor_below(subtrees_[k], blocks); }, 1);
    for (const std::uint32_t f : above_) factor_front(fronts_[f], blocks);
    fronts_.back().dense.resize(0, 0);
    return std::all_of(fronts_.begin(), fronts_.end(), [](const Front& f) { return f.is_definite; });
}

void BlockCholesky::factor_below(std::uint32_t f, std::span<const Mat3> blocks) {
    for (const std::uint32_t child : fronts_[f].children) factor_below(child, blocks);
    factor_front(fronts_[f], blocks);
}

void BlockCholesky::factor_front(Front& front, std::span<const Mat3> blocks) {
    assemble(front, blocks);
    for (const std::uint32_t child : front.children) fronts_[child].dense.resize(0, 0);
    eliminate(front);
}

void BlockCholesky::assemble(Front& front, std::span<const Mat3> blocks) {
    const auto n = Eigen::Index(3 * front.rows.size());
    front.dense.setZero(n, n);
    for (const Entry& e : front.entries) {
        auto target = front.dense.block<3, 3>(e.row, e.column);
        if (e.transposed) {
            target += blocks[e.block].transpose();
        } else {
            target += blocks[e.block];
        }
    }
    for (std::size_t c = 0; c < front.children.size(); ++c) {
        const Front& child = fronts_[front.children[c]];
        const auto& map = front.maps[c];
        const auto own = Eigen::Index(3 * child.own);
        for (std::size_t b = 0; b < map.size(); ++b) {
            for (std::size_t a = b; a < map.size(); ++a) {
                front.dense.block<3, 3>(map[a], map[b]) +=
                    child.dense.block<3, 3>(own + Eigen::Index(3 * a), own + Eigen::Index(3 * b));
            }
        }
    }
}

// [A11 . ; A21 A22] -> L11 L11^T = A11, L21 = A21 L11^-T, and A22 - L21 L21^T goes on to the parent.
void BlockCholesky::eliminate(Front& front) {
    const auto n = front.dense.rows(), own = Eigen::Index(3 * front.own);
    if (own == 0) return;
    auto A11 = front.dense.topLeftCorner(own, own);
    auto A21 = front.dense.bottomLeftCorner(n - own, own);
    auto A22 = front.dense.bottomRightCorner(n - own, n - own);
    Eigen::Ref<Eigen::MatrixXd> in_place(A11);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(in_place);
    front.is_definite = llt.info() == Eigen::Success;
    if (!front.is_definite) return;
    A11.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(A21);
    A22.selfadjointView<Eigen::Lower>().rankUpdate(A21, -1);
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(own, own);
    A11.triangularView<Eigen::Lower>().solveInPlace(inverse);
    front.diagonal = inverse.cast<float>();
    front.below = A21.cast<float>();
}

void BlockCholesky::solve(std::span<const Vec3> b, std::span<Vec3> x) {
    parallel_for(
        subtrees_.size(), [&](std::size_t k) { forward_below(subtrees_[k], b); }, 1);
    for (const std::uint32_t f : above_) forward(fronts_[f], b);
    for (std::size_t k = above_.size(); k-- > 0;) backward(fronts_[above_[k]], x);
    parallel_for(
        subtrees_.size(), [&](std::size_t k) { backward_below(subtrees_[k], x); }, 1);
}

void BlockCholesky::forward_below(std::uint32_t f, std::span<const Vec3> b) {
    for (const std::uint32_t child : fronts_[f].children) forward_below(child, b);
    forward(fronts_[f], b);
}

void BlockCholesky::backward_below(std::uint32_t f, std::span<Vec3> x) {
    backward(fronts_[f], x);
    for (const std::uint32_t child : fronts_[f].children) backward_below(child, x);
}

// y1 = L11^-1 b1, and the boundary gets -L21 y1.
void BlockCholesky::forward(Front& front, std::span<const Vec3> b) {
    const auto own = Eigen::Index(3 * front.own), rest = front.right.size() - own;
    front.right.setZero();
    for (std::uint32_t k = 0; k < front.own; ++k) {
        front.right.segment<3>(3 * k) = b[front.rows[k]].cast<float>();
    }
    for (std::size_t c = 0; c < front.children.size(); ++c) {
        const Front& child = fronts_[front.children[c]];
        const auto& map = front.maps[c];
        for (std::size_t a = 0; a < map.size(); ++a) {
            front.right.segment<3>(map[a]) += child.right.segment<3>(Eigen::Index(3 * (child.own + a)));
        }
    }
    if (own == 0) return;
    auto y = front.right.head(own);
    y = (front.diagonal.triangularView<Eigen::Lower>() * y).eval();
    front.right.tail(rest).noalias() -= front.below * y;
}

// x1 = L11^-T (y1 - L21^T x2)
void BlockCholesky::backward(Front& front, std::span<Vec3> x) {
    const auto own = Eigen::Index(3 * front.own), rest = front.right.size() - own;
    const std::uint32_t parent = parent_[&front - fronts_.data()];
    if (parent != none) {
        const Front& above = fronts_[parent];
        const auto which = std::find(above.children.begin(), above.children.end(), &front - fronts_.data());
        const auto& map = above.maps[std::size_t(which - above.children.begin())];
        for (std::size_t a = 0; a < map.size(); ++a) {
            front.right.segment<3>(own + Eigen::Index(3 * a)) = above.right.segment<3>(map[a]);
        }
    }
    if (own == 0) return;
    auto y = front.right.head(own);
    y.noalias() -= front.below.transpose() * front.right.tail(rest);
    y = (front.diagonal.triangularView<Eigen::Lower>().transpose() * y).eval();
    for (std::uint32_t k = 0; k < front.own; ++k) x[front.rows[k]] = y.segment<3>(3 * k).cast<double>();
}

std::size_t BlockCholesky::bytes() const {
    std::size_t total = 0;
    for (const Front& f : fronts_) {
        total += sizeof(Front) + std::size_t(f.dense.size()) * 8 + std::size_t(f.diagonal.size() + f.below.size()) * 4;
        total += f.entries.size() * sizeof(Entry) + f.rows.size() * 4;
    }
    return total;
}

}  // namespace pliant
