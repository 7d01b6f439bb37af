// Exact elimination of a few points from a system of 3x3 blocks, so that a preconditioner needs to serve the others
// only. With T the eliminated points and B the others,
//     A = [ B    C ]        z_B = P^-1 (r_B - C T^-1 r_T)
//         [ C^T  T ]        z_T = T^-1 (r_T - C^T z_B)
// which is as good as P is for the system in which the eliminated points follow the others freely.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/linear/block_cholesky.h"
#include "pliant/linear/point_system.h"
#include "pliant/math/types.h"

namespace pliant {

// Some rows of a matrix of blocks: row k belongs to point[k] (ascending) and has the columns
// column[begin[k]..begin[k + 1]) (ascending, the diagonal among them).
struct PointRows {
    std::vector<std::uint32_t> point;
    std::vector<std::uint32_t> begin = {0};
    std::vector<std::uint32_t> column;

    std::size_t size() const { return point.size(); }
    std::size_t at(std::size_t k, std::uint32_t wanted) const;  // where in `column`
};

class PointElimination {
public:
    // `most_work`: multiplications that a factorisation may take. What would take more leaves pairs of eliminated
    // points that push each other to the iterations; is_within_work() tells whether it is enough without pairs.
    void set_points(PointRows rows, std::span<const Vec3> places,
                    Real most_work = std::numeric_limits<Real>::infinity());
    bool is_within_work() const { return cholesky_.work() <= most_work_; }

    const PointRows& rows() const { return rows_; }

    // One for each column of each row, to be set before factor().
    std::vector<Mat3>& new_blocks();

    // With these points held and these pairs pushing, which need not be in the blocks. False if T is not positive
    // definite; then all points are left to the others' preconditioner.
    bool factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs);

    // z as above. `others` gives z_B = P^-1 r_B; it sees zeros at the eliminated points, and may write there.
    using Preconditioner = FunctionRef<void(std::span<const Vec3>, std::span<Vec3>)>;
    void apply(std::span<const Vec3> r, std::span<Vec3> z, Preconditioner others);

    std::size_t bytes() const;

private:
    using RowPair = std::pair<std::uint32_t, std::uint32_t>;  // the lower row first
    struct Outer {
        std::uint32_t row, point;  // an eliminated point pushes one that is not
        Mat3 coupling;
    };
    void find_pattern(std::vector<RowPair> linked);
    void make_pattern(std::span<const RowPair> linked);
    void hold(std::span<const HeldPoint> held);

    PointRows rows_;
    std::vector<Vec3> places_;           // of eliminated points
    std::vector<std::uint32_t> row_of_;  // of every point, or none
    std::vector<std::uint32_t> own_;     // of a column: its row if that point is eliminated too, or none
    std::vector<std::uint32_t> others_;  // points that share blocks with eliminated ones; and which blocks
    std::vector<std::uint32_t> entry_begin_;
    std::vector<RowPair> entries_;  // of others_: row, and where in `column`
    Real most_work_ = 0;
    std::vector<RowPair> linked_;  // rows whose points push each other
    bool leaves_links_ = false;    // to the iterations
    bool keeps_room_ = false;      // for pairs that no longer push, until there are other blocks
    BlockPattern pattern_;
    std::vector<std::uint32_t> source_;  // where a block of the pattern comes from, or none
    std::vector<Mat3> inner_, coupling_;
    std::vector<Outer> outer_;
    std::vector<Mat3> free_;              // 1 - H of eliminated points
    std::vector<HeldPoint> held_others_;  // that are not
    BlockCholesky cholesky_;
    bool has_factors_ = false;
    std::vector<Vec3> right_, left_, solved_;
};

}  // namespace pliant
