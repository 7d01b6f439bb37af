#include "pliant/geometry/distance_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

// The cell that holds a point of the grid's box: its lowest node, and how far the point lies along each axis, 0..1.
struct CellPoint {
    std::size_t corner;
    std::size_t step_y, step_z;
    Vec3 t;
};

CellPoint locate(const GridLayout& layout, const Vec3& c) {
    const Vec3 at = (c - layout.origin) / layout.voxel;
    int cell[3];
    Vec3 t;
    for (int axis = 0; axis < 3; ++axis) {
        cell[axis] = std::clamp(static_cast<int>(at[axis]), 0, layout.size[axis] - 2);
        t[axis] = std::clamp(at[axis] - cell[axis], Real(0), Real(1));
    }
    const std::size_t step_y = layout.size[0];
    return {layout.index(cell[0], cell[1], cell[2]), step_y, step_y * layout.size[1], t};
}

Real mix(Real a, Real b, Real t) {
    return a + t * (b - a);
}

Real interpolate(const CellPoint& p, const float* v) {
    const auto along_x = [&](std::size_t at) { return mix(v[at], v[at + 1], p.t.x()); };
    const auto along_y = [&](std::size_t at) { return mix(along_x(at), along_x(at + p.step_y), p.t.y()); };
    return mix(along_y(p.corner), along_y(p.corner + p.step_z), p.t.z());
}

// The derivative of the interpolation, per voxel.
Vec3 slope(const CellPoint& p, const float* v) {
    const Real tx = p.t.x(), ty = p.t.y(), tz = p.t.z();
    const float *a = v + p.corner, *b = a + p.step_y, *c = a + p.step_z, *d = c + p.step_y;  // four edges along x
    const Real ax = mix(a[0], a[1], tx), bx = mix(b[0], b[1], tx), cx = mix(c[0], c[1], tx), dx = mix(d[0], d[1], tx);
    return Vec3(mix(mix(Real(a[1]) - a[0], Real(b[1]) - b[0], ty), mix(Real(c[1]) - c[0], Real(d[1]) - d[0], ty), tz),
                mix(bx - ax, dx - cx, tz), mix(cx - ax, dx - bx, ty));
}

}  // namespace

GridLayout GridLayout::around(const Box& bounds, Real voxel, int margin, std::size_t memory) {
    if (!(voxel > 0) || !std::isfinite(voxel))
        throw InputError(fmt::format("the voxel of a grid is {} m; it must be above 0", voxel));
    const Vec3 extent = bounds.sizes();
    if (bounds.isEmpty() || !extent.allFinite())
        throw InputError("a grid cannot be laid around something without bounds");
    const Vec3 cells = (extent / voxel).array().ceil() + 2.0 * margin;
    const Real bytes = (cells.array() + 1).prod() * Real(sizeof(float));
    if (!(bytes <= Real(memory)) || !(cells.maxCoeff() < 1e6)) {
        const Real affordable = voxel * std::max(std::cbrt(bytes / Real(memory)), cells.maxCoeff() / 1e6);
        throw InputError(
            fmt::format("a distance grid with voxels of {:.3g} m over {:.3g} x {:.3g} x {:.3g} m takes {:.0f} MB, "
                        "but {:.0f} MB are allowed; use a resolution of about {:.2g} m or coarser",
                        voxel, extent.x(), extent.y(), extent.z(), bytes / 1e6, Real(memory) / 1e6, 1.05 * affordable));
    }
    GridLayout layout;
    layout.voxel = voxel;
    layout.origin = bounds.center() - voxel / 2 * cells;
    for (int axis = 0; axis < 3; ++axis) layout.size[axis] = static_cast<int>(cells[axis]) + 1;
    return layout;
}

DistanceGrid::DistanceGrid(const GridLayout& layout, std::vector<float> values)
    : layout_(layout), values_(std::move(values)) {
    if (values_.size() != layout_.node_count() || *std::min_element(layout_.size.begin(), layout_.size.end()) < 2) {
        throw Error("a distance grid needs one value a node and two nodes along each axis");
    }
    measure_margins();
}

void DistanceGrid::measure_margins() {
    const auto& [nx, ny, nz] = layout_.size;
    margin_below_ = margin_above_ = Vec3::Constant(std::numeric_limits<Real>::infinity());
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            const bool on_side = j == 0 || j == ny - 1 || k == 0 || k == nz - 1;
            for (int i = 0; i < nx; i += on_side ? 1 : nx - 1) {
                const Real value = std::max(Real(values_[layout_.index(i, j, k)]), Real(0));
                const std::array<int, 3> at = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    if (at[axis] == 0) margin_below_[axis] = std::min(margin_below_[axis], value);
                    if (at[axis] == layout_.size[axis] - 1) margin_above_[axis] = std::min(margin_above_[axis], value);
                }
            }
        }
    }
}

Real DistanceGrid::distance(const Vec3& x) const {
    if (!x.allFinite()) {
        return x.hasNaN() ? std::numeric_limits<Real>::quiet_NaN() : std::numeric_limits<Real>::infinity();
    }
    const Box box = layout_.box();
    const Vec3 c = x.cwiseMax(box.min()).cwiseMin(box.max());
    const Real within = interpolate(locate(layout_, c), values_.data());
    if (c == x) return within;
    Real squared = square(std::max(within, Real(0)));
    for (int axis = 0; axis < 3; ++axis) {
        const Real out = x[axis] - c[axis];
        squared += out * out + 2 * std::abs(out) * (out < 0 ? margin_below_ : margin_above_)[axis];
    }
    return std::sqrt(squared);
}

Vec3 DistanceGrid::gradient(const Vec3& x) const {
    if (!x.allFinite()) return Vec3::Zero();
    const Box box = layout_.box();
    const Vec3 c = x.cwiseMax(box.min()).cwiseMin(box.max());
    const CellPoint cell = locate(layout_, c);
    const Vec3 slope_within = slope(cell, values_.data()) / layout_.voxel;
    if (c == x) return slope_within;
    const Real within = std::max(interpolate(cell, values_.data()), Real(0));
    Vec3 half_of_square;  // half the gradient of distance^2
    for (int axis = 0; axis < 3; ++axis) {
        const Real out = x[axis] - c[axis];
        half_of_square[axis] = out < 0   ? out - margin_below_[axis]
                               : out > 0 ? out + margin_above_[axis]
                                         : within * slope_within[axis];
    }
    return half_of_square / distance(x);
}

// Every cell by its own interpolation, at 4 x 4 x 4 points of it where its corners differ in sign.
Real DistanceGrid::volume() const {
    constexpr int points = 4;
    const auto share_inside = [&](std::size_t n) -> Real {
        const int i = static_cast<int>(n % layout_.size[0]);
        const int j = static_cast<int>(n / layout_.size[0] % layout_.size[1]);
        const int k = static_cast<int>(n / layout_.size[0] / layout_.size[1]);
        if (i + 1 == layout_.size[0] || j + 1 == layout_.size[1] || k + 1 == layout_.size[2]) return 0;
        int corners = 0, inside = 0;
        for (int c = 0; c < 8; ++c) corners += values_[layout_.index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] < 0;
        if (corners == 0 || corners == 8) return corners / 8;
        for (int p = 0; p < cube(points); ++p) {
            const Vec3 part = Vec3(p % points + 0.5, p / points % points + 0.5, p / square(points) + 0.5) / points;
            inside += distance(layout_.node(i, j, k) + layout_.voxel * part) < 0;
        }
        return Real(inside) / cube(points);
    };
    return parallel_sum(values_.size(), Real(0), share_inside) * cube(layout_.voxel);
}

DistanceGrid distance_grid(const Shape& shape, const GridLayout& layout) {
    std::vector<float> values(layout.node_count());
    parallel_for(values.size(), [&](std::size_t n) {
        const int i = static_cast<int>(n % layout.size[0]);
        const int j = static_cast<int>(n / layout.size[0] % layout.size[1]);
        const int k = static_cast<int>(n / layout.size[0] / layout.size[1]);
        values[n] = static_cast<float>(shape.distance(layout.node(i, j, k)));
    });
    return DistanceGrid(layout, std::move(values));
}

}  // namespace pliant
