#include "pliant/linear/block_cholesky.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t leaf_rows(int edge) {  // block rows that are not cut any further
    return edge == 1 ? 128 : 16;
}
constexpr int parallel_depth = 4;  // cuts whose two sides run side by side
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
template <int edge>
class MultifrontalCholesky<edge>::Dissection {
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
        if (rows.size() > leaf_rows(edge)) split(rows, left, right, middle);
        if (left.empty() || right.empty()) return add(std::move(rows), {}, depth);
        std::vector<std::uint32_t> children = {cut(std::move(left), depth + 1), cut(std::move(right), depth + 1)};
        return add(std::move(middle), std::move(children), depth);
    }

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
        front.depth = depth;
        fronts_.push_back(std::move(front));
        return static_cast<std::uint32_t>(fronts_.size() - 1);
    }

    std::span<const Vec3> places_;
    std::vector<Front>& fronts_;
    std::vector<Rows> neighbours_;
    std::vector<char> side_;
};

template <int edge>
void MultifrontalCholesky<edge>::analyse(const BlockPattern& pattern, std::span<const Vec3> places) {
    size_ = pattern.size();
    fronts_.clear();
    work_ = 0;
    if (size_ == 0) return;
    Dissection dissection(pattern, places, fronts_);
    Rows all(size_);
    std::iota(all.begin(), all.end(), 0u);
    dissection.cut(std::move(all), 0);

    parent_.assign(fronts_.size(), none);
    for (std::uint32_t f = 0; f < fronts_.size(); ++f) {
        for (const std::uint32_t child : fronts_[f].children) parent_[child] = f;
    }
    find_entries(pattern);
    for (const Front& front : fronts_) {
        const double own = double(front.own_size()), rest = double(front.rest_size());
        work_ += own * (own * own / 3 + own * rest + rest * rest / 2);
    }
}

// The rows of A are renumbered here in the order of elimination; a front's rows are ascending in it.
template <int edge>
void MultifrontalCholesky<edge>::find_entries(const BlockPattern& pattern) {
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
                {block, edge * position_of(front.rows, row), edge * position_of(front.rows, column), swaps});
        }
        for (const std::uint32_t child : front.children) {
            std::vector<Run> runs;
            const Rows& rows = fronts_[child].rows;
            std::uint32_t at = 0;
            for (std::size_t k = fronts_[child].own; k < rows.size(); ++k, at += edge) {
                const std::uint32_t place = edge * position_of(front.rows, rows[k]);
                // What is a front's own lies apart from its boundary.
                const bool goes_on =
                    !runs.empty() && runs.back().parent + runs.back().length == place && place != edge * front.own;
                if (!goes_on) runs.push_back({at, place, 0});
                runs.back().length += edge;
            }
            front.runs.push_back(std::move(runs));
        }
    }
    for (Front& front : fronts_) {
        front.stride = front.rest() + Panel::padded(front.rest_size());
        front.right.resize(sides * front.stride);
        for (std::uint32_t k = 0; k < front.own; ++k) front.rows[k] = original[front.rows[k]];
    }
}

// Depth first, so that few fronts wait for their parents.
template <int edge>
template <class Visit>
void MultifrontalCholesky<edge>::visit_children(const Front& front, Visit&& visit) {
    if (front.depth < parallel_depth) {
        parallel_for(
            front.children.size(), [&](std::size_t k) { visit(front.children[k]); }, 1);
    } else {
        for (const std::uint32_t child : front.children) visit(child);
    }
}

template <int edge>
bool MultifrontalCholesky<edge>::factor(std::span<const Block> blocks, Real drop) {
    if (fronts_.empty()) return true;
    factor_below(root(), blocks, drop);
    fronts_.back().dense.resize(0, 0);
    return std::all_of(fronts_.begin(), fronts_.end(), [](const Front& f) { return f.is_definite; });
}

template <int edge>
void MultifrontalCholesky<edge>::factor_below(std::uint32_t f, std::span<const Block> blocks, Real drop) {
    Front& front = fronts_[f];
    visit_children(front, [&](std::uint32_t child) { factor_below(child, blocks, drop); });
    assemble(front, blocks);
    for (const std::uint32_t child : front.children) fronts_[child].dense.resize(0, 0);
    eliminate(front, drop);
}

template <int edge>
void MultifrontalCholesky<edge>::keep_factors_only() {
    for (Front& front : fronts_) std::vector<Entry>().swap(front.entries);
}

template <int edge>
void MultifrontalCholesky<edge>::assemble(Front& front, std::span<const Block> blocks) {
    const auto n = Eigen::Index(edge * front.rows.size());
    front.dense.setZero(n, n);
    for (const Entry& e : front.entries) {
        if constexpr (edge == 1) {
            front.dense(e.row, e.column) += blocks[e.block];
        } else {
            auto target = front.dense.template block<edge, edge>(e.row, e.column);
            if (e.transposed) {
                target += blocks[e.block].transpose();
            } else {
                target += blocks[e.block];
            }
        }
    }
    for (std::size_t c = 0; c < front.children.size(); ++c) {
        const Front& child = fronts_[front.children[c]];
        if (child.dense.size() == 0) continue;  // not definite, or nothing goes on
        for (const Run& across : front.runs[c]) {
            for (std::uint32_t k = 0; k < across.length; ++k) {
                const std::uint32_t column = across.child + k;
                const double* from = child.dense.col(column).data();
                double* to = front.dense.col(across.parent + k).data();
                for (const Run& down : front.runs[c]) {  // below the diagonal
                    const std::uint32_t first = column > down.child ? column - down.child : 0;
                    for (std::uint32_t r = first; r < down.length; ++r) to[down.parent + r] += from[down.child + r];
                }
            }
        }
    }
}

// [A11 . ; A21 A22] -> L11 L11^T = A11, L21 = A21 L11^-T, and A22 - L21 L21^T goes on to the parent.
template <int edge>
void MultifrontalCholesky<edge>::eliminate(Front& front, Real drop) {
    const auto n = front.dense.rows(), own = Eigen::Index(front.own_size());
    if (own == 0) return;  // all of it goes on
    auto A11 = front.dense.topLeftCorner(own, own);
    auto A21 = front.dense.bottomLeftCorner(n - own, own);
    auto A22 = front.dense.bottomRightCorner(n - own, n - own);
    Eigen::Ref<Eigen::MatrixXd> in_place(A11);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(in_place);
    front.is_definite = llt.info() == Eigen::Success;
    if (!front.is_definite) {
        front.dense.resize(0, 0);
        return;
    }
    A11.template triangularView<Eigen::Lower>().transpose().template solveInPlace<Eigen::OnTheRight>(A21);
    A22.template selfadjointView<Eigen::Lower>().rankUpdate(A21, -1);
    Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(own, own);
    A11.template triangularView<Eigen::Lower>().solveInPlace(inverse);
    front.diagonal.assign(inverse, drop);
    front.below.assign(A21, drop);
    front.dense = Eigen::MatrixXd(A22);
}

template <int edge>
void MultifrontalCholesky<edge>::solve(std::span<const Vec3> b, std::span<Vec3> x) {
    if (fronts_.empty()) return;
    forward_below(root(), b);
    backward_below(root(), x);
}

template <int edge>
void MultifrontalCholesky<edge>::forward_below(std::uint32_t f, std::span<const Vec3> b) {
    visit_children(fronts_[f], [&](std::uint32_t child) { forward_below(child, b); });
    forward(fronts_[f], b);
}

template <int edge>
void MultifrontalCholesky<edge>::backward_below(std::uint32_t f, std::span<Vec3> x) {
    backward(fronts_[f], x);
    visit_children(fronts_[f], [&](std::uint32_t child) { backward_below(child, x); });
}

// y1 = L11^-1 b1, and the boundary gets -L21 y1.
template <int edge>
void MultifrontalCholesky<edge>::forward(Front& front, std::span<const Vec3> b) {
    std::fill(front.right.begin(), front.right.end(), 0.0f);
    float* right = front.right.data();
    const std::size_t stride = front.stride;
    for (std::uint32_t k = 0; k < front.own; ++k) {
        const Vec3& from = b[front.rows[k]];
        for (std::size_t d = 0; d < 3; ++d) {
            right[edge == 1 ? d * stride + k : 3 * k + d] = static_cast<float>(from[Eigen::Index(d)]);
        }
    }
    for (std::size_t c = 0; c < front.children.size(); ++c) {
        const Front& child = fronts_[front.children[c]];
        for (std::size_t s = 0; s < sides; ++s) {
            const float* from = &child.right[s * child.stride + child.rest()];
            for (const Run& run : front.runs[c]) {
                float* to = right + s * stride + front.in_at(run.parent);
                for (std::uint32_t k = 0; k < run.length; ++k) to[k] += from[run.child + k];
            }
        }
    }
    front.diagonal.template add_product<sides>(right, right + front.out(), stride, 1);
    front.below.template add_product<sides>(right + front.out(), right + front.rest(), stride, -1);
}

// x1 = L11^-T (y1 - L21^T x2)
template <int edge>
void MultifrontalCholesky<edge>::backward(Front& front, std::span<Vec3> x) {
    float* right = front.right.data();
    const std::size_t stride = front.stride, out = front.out();
    const std::uint32_t parent = parent_[&front - fronts_.data()];
    if (parent != none) {
        const Front& above = fronts_[parent];
        const auto which = std::find(above.children.begin(), above.children.end(), &front - fronts_.data());
        for (std::size_t s = 0; s < sides; ++s) {
            for (const Run& run : above.runs[std::size_t(which - above.children.begin())]) {
                const float* from = &above.right[s * above.stride + above.out_at(run.parent)];
                std::copy_n(from, run.length, right + s * stride + front.rest() + run.child);
            }
        }
    }
    for (std::size_t s = 0; s < sides; ++s) {
        std::copy_n(right + s * stride + out, out, right + s * stride);
        std::fill_n(right + s * stride + out, out, 0.0f);
    }
    front.below.template add_transposed_product<sides>(right + front.rest(), right, stride, -1);
    front.diagonal.template add_transposed_product<sides>(right, right + out, stride, 1);
    for (std::uint32_t k = 0; k < front.own; ++k) {
        for (std::size_t d = 0; d < 3; ++d) {
            x[front.rows[k]][Eigen::Index(d)] = right[out + (edge == 1 ? d * stride + k : 3 * k + d)];
        }
    }
}

template <int edge>
std::size_t MultifrontalCholesky<edge>::bytes() const {
    std::size_t total = 0;
    for (const Front& f : fronts_) {
        total += sizeof(Front) + std::size_t(f.dense.size()) * 8 + f.diagonal.bytes() + f.below.bytes();
        total += f.entries.capacity() * sizeof(Entry) + (f.rows.capacity() + f.right.capacity()) * 4;
        for (const auto& runs : f.runs) total += runs.capacity() * sizeof(Run);
    }
    return total;
}

template class MultifrontalCholesky<1>;
template class MultifrontalCholesky<3>;

}  // namespace pliant
