// Direct solution of A x = b with a symmetric positive definite A of 3x3 blocks, or of numbers that stand for so many
// times the identity: then three right-hand sides are solved for at once.
// Multifrontal Cholesky [Duff83] in an order by nested dissection [George73]: block rows are cut in two where they are
// widest, those on the cut come last, and each part becomes a dense matrix that Eigen factors. What depends only on
// who is coupled with whom is done once, in analyse(); factor() takes new numbers as often as they change.
// The factors are kept in single precision, those of numbers in 16 bits: good for a preconditioner, and half the memory
// or less to read in every solve.
// The same bits come out at any number of threads.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "pliant/linear/factor_panel.h"
#include "pliant/math/types.h"

namespace pliant {

// The lower triangle by columns: blocks (row[k], column) for k in [begin[column], begin[column + 1]), rows ascending,
// the diagonal block first.
struct BlockPattern {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> row;

    std::size_t size() const { return begin.empty() ? 0 : begin.size() - 1; }
    std::uint32_t at(std::uint32_t wanted_row, std::uint32_t column) const {  // where in `row`
        const auto first = row.begin() + begin[column], last = row.begin() + begin[column + 1];
        return static_cast<std::uint32_t>(std::lower_bound(first, last, wanted_row) - row.begin());
    }
};

// `edge`: of the blocks, 3 or 1.
template <int edge>
class MultifrontalCholesky {
public:
    using Block = std::conditional_t<edge == 1, Real, Mat3>;

    // `places` tells where the block rows lie in space, to find good cuts.
    void analyse(const BlockPattern& pattern, std::span<const Vec3> places);

    // False if A is not positive definite; then there is nothing to solve with. `blocks` as in the pattern. Of the
    // factor, what is nowhere near larger than `drop` times the largest of its column may be left out.
    bool factor(std::span<const Block> blocks, Real drop = 0);

    void solve(std::span<const Vec3> b, std::span<Vec3> x);

    // Frees what only factor() needs: before the next one comes another analyse().
    void keep_factors_only();

    std::size_t size() const { return size_; }
    double work() const { return work_; }  // multiplications of a factorisation
    std::size_t bytes() const;

private:
    struct Entry {
        std::uint32_t block, row, column;  // scalar row and column in the front
        bool transposed;
    };
    struct Run {  // scalar rows that follow each other both in a child's boundary and in its parent
        std::uint32_t child, parent, length;
    };
    using Panel = FactorPanel<std::conditional_t<edge == 1, std::int16_t, float>>;
    struct Front {
        std::vector<std::uint32_t> rows;  // block rows: its own, then those of its ancestors that it touches
        std::uint32_t own = 0;            // how many are its own
        std::vector<std::uint32_t> children;
        int depth = 0;
        std::vector<Entry> entries;          // of A, to be added
        std::vector<std::vector<Run>> runs;  // of each child
        Eigen::MatrixXd dense;               // while factoring: the front; then its boundary, for the parent
        Panel diagonal, below;               // L11^-1 and L21
        // Of solve(), for each right-hand side: what comes in for its own rows, what becomes of it, and the boundary.
        // Each begins at a multiple of eight.
        std::vector<float> right;
        std::size_t stride = 0;
        bool is_definite = true;

        std::size_t own_size() const { return edge * std::size_t(own); }
        std::size_t rest_size() const { return edge * (rows.size() - own); }
        std::size_t out() const { return Panel::padded(own_size()); }  // where in `right`
        std::size_t rest() const { return 2 * out(); }
        std::size_t in_at(std::size_t row) const { return row < own_size() ? row : rest() + row - own_size(); }
        std::size_t out_at(std::size_t row) const { return row < own_size() ? out() + row : in_at(row); }
    };
    class Dissection;
    static constexpr int sides = 3 / edge;  // right-hand sides

    std::uint32_t root() const { return static_cast<std::uint32_t>(fronts_.size() - 1); }
    template <class Visit>
    void visit_children(const Front& front, Visit&& visit);
    void find_entries(const BlockPattern& pattern);
    void factor_below(std::uint32_t front, std::span<const Block> blocks, Real drop);
    void assemble(Front& front, std::span<const Block> blocks);
    void eliminate(Front& front, Real drop);
    void forward_below(std::uint32_t front, std::span<const Vec3> b);
    void forward(Front& front, std::span<const Vec3> b);
    void backward_below(std::uint32_t front, std::span<Vec3> x);
    void backward(Front& front, std::span<Vec3> x);

    std::size_t size_ = 0;
    double work_ = 0;
    std::vector<Front> fronts_;  // children before parents
    std::vector<std::uint32_t> parent_;
};

extern template class MultifrontalCholesky<1>;
extern template class MultifrontalCholesky<3>;
using BlockCholesky = MultifrontalCholesky<3>;
using ScalarCholesky = MultifrontalCholesky<1>;

}  // namespace pliant
