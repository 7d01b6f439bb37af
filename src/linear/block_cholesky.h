// Direct solution of A x = b with a symmetric positive definite A of 3x3 blocks, for a few thousand block rows.
// Multifrontal Cholesky [Duff83] in an order by nested dissection [George73]: block rows are cut in two where they are
// widest, those on the cut come last, and each part becomes a dense matrix that Eigen factors. What depends only on
// who is coupled with whom is done once, in analyse(); factor() takes new numbers as often as they change.
// The factors are kept in single precision: good for a preconditioner, and half the memory to read in every solve.
// The same bits come out at any number of threads.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

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

class BlockCholesky {
public:
    // `places` tells where the block rows lie in space, to find good cuts.
    void analyse(const BlockPattern& pattern, std::span<const Vec3> places);

    // False if A is not positive definite; then there is nothing to solve with. `blocks` as in the pattern.
    bool factor(std::span<const Mat3> blocks);

    void solve(std::span<const Vec3> b, std::span<Vec3> x);

    std::size_t size() const { return size_; }
    double work() const { return work_; }  // multiplications of a factorisation
    std::size_t bytes() const;

private:
    struct Entry {
        std::uint32_t block, row, column;  // scalar row and column in the front
        bool transposed;
    };
    struct Front {
        std::vector<std::uint32_t> rows;  // block rows: its own, then those of its ancestors that it touches
        std::uint32_t own = 0;            // how many are its own
        std::vector<std::uint32_t> children;
        std::vector<Entry> entries;                    // of A, to be added
        std::vector<std::vector<std::uint32_t>> maps;  // a child's boundary rows -> rows here
        Eigen::MatrixXd dense;                         // while factoring: the front, until its parent has taken it
        Eigen::MatrixXf diagonal, below;               // L11^-1 and L21
        Eigen::VectorXf right;                         // of solve(): own part and what it adds to the boundary
        bool is_definite = true;
    };
    class Dissection;

    void find_entries(const BlockPattern& pattern);
    void factor_below(std::uint32_t front, std::span<const Mat3> blocks);
    void factor_front(Front& front, std::span<const Mat3> blocks);
    void assemble(Front& front, std::span<const Mat3> blocks);
    void eliminate(Front& front);
    void forward_below(std::uint32_t front, std::span<const Vec3> b);
    void forward(Front& front, std::span<const Vec3> b);
    void backward_below(std::uint32_t front, std::span<Vec3> x);
    void backward(Front& front, std::span<Vec3> x);

    std::size_t size_ = 0;
    double work_ = 0;
    std::vector<Front> fronts_;            // children before parents
    std::vector<std::uint32_t> subtrees_;  // roots of parts that do not wait for each other
    std::vector<std::uint32_t> above_;     // the fronts above them, children before parents
    std::vector<std::uint32_t> parent_;
};

}  // namespace pliant
