#include "pliant/methods/oriented/body_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "pliant/base/parallel.h"
#include "pliant/geometry/sampling_lattice.h"
#include "pliant/geometry/triangle.h"

namespace pliant {
namespace {

// Enough for the 26 cells around a cell of matter.
constexpr Real link_reach = 1.75;  // in steps
// A link may rise this far above the surface: distances read off a grid cut corners.
constexpr Real link_rise = 0.15;  // in steps

using Cell = std::array<std::int64_t, 3>;

Cell cell_of(const Vec3& x, const Vec3& origin, Real size) {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) cell[axis] = std::int64_t(std::floor((x[axis] - origin[axis]) / size));
    return cell;
}

// The same triangle, its longest side from a to b.
Triangle turned(const Triangle& t) {
    const Real ab = (t.b - t.a).squaredNorm(), bc = (t.c - t.b).squaredNorm(), ca = (t.a - t.c).squaredNorm();
    if (ab >= bc && ab >= ca) return t;
    return bc >= ca ? Triangle{t.b, t.c, t.a} : Triangle{t.c, t.a, t.b};
}

// Halves a triangle across its longest side until it is no longer than `longest`, and visits the parts.
template <class Visit>
void for_each_part(const Triangle& triangle, Real longest, Visit&& visit) {
    const Triangle t = turned(triangle);
    if ((t.b - t.a).norm() <= longest) return visit(t);
    const Vec3 middle = (t.a + t.b) / 2;
    for_each_part(Triangle{t.a, middle, t.c}, longest, visit);
    for_each_part(Triangle{middle, t.b, t.c}, longest, visit);
}

// The side of a cube that a direction leaves through, 0 to 5.
int side_of(const Vec3& direction) {
    int axis;
    direction.cwiseAbs().maxCoeff(&axis);
    return 2 * axis + (direction[axis] > 0);
}

// The corners of all triangles that a piece of surface stands for, ascending; none for matter.
using Corners = std::vector<std::vector<int>>;

// Pieces of surface: the parts of triangles, but only one for all that lie in the same cell and face the same way, so
// that fine meshes have no more than they need. It stands where the first of them did and has the area of all.
void add_surface(const Shape& shape, const TriangleMesh& mesh, BodySamples& samples, Corners& corners) {
    std::map<std::tuple<Cell, int>, std::size_t> taken;
    const Vec3 origin = mesh.bounds().min();
    const auto add = [&](const Triangle& part, const std::array<int, 3>& of) {
        const Vec3 vector = part.area_vector(), middle = part.middle();
        const Real area = vector.norm();
        if (!(area > 0)) return;
        const auto key = std::make_tuple(cell_of(middle, origin, samples.step), side_of(vector));
        const auto [place, is_new] = taken.try_emplace(key, samples.size());
        if (is_new) {
            samples.position.push_back(middle);
            samples.normal.push_back(vector / area);
            samples.area.push_back(0);
            samples.volume.push_back(0);
            corners.emplace_back();
        }
        samples.area[place->second] += area;
        corners[place->second].insert(corners[place->second].end(), of.begin(), of.end());
    };
    for (const auto& of : mesh.triangles) {
        const Triangle triangle{mesh.vertices[of[0]], mesh.vertices[of[1]], mesh.vertices[of[2]]};
        if (shape.distance(triangle.middle()) < -2 * samples.step) continue;  // a face inside the body bounds nothing
        for_each_part(triangle, samples.step, [&](const Triangle& part) { add(part, of); });
    }
    for (std::vector<int>& list : corners) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

// Pieces of matter: cells of a lattice, each with the volume of its points inside the shape and at their middle.
void add_matter(const Shape& shape, BodySamples& samples) {
    const Real fine = samples.step / 2;
    const std::vector<Vec3> points = lattice_sites(shape, cubic_lattice(shape.bounds(), fine, 0), 0);
    struct Sum {
        Vec3 position = Vec3::Zero();
        int count = 0;
    };
    std::map<Cell, Sum> cells;
    for (const Vec3& x : points) {
        Sum& sum = cells[cell_of(x, shape.bounds().min(), samples.step)];
        sum.position += x;
        ++sum.count;
    }
    for (const auto& [cell, sum] : cells) {
        const Vec3 middle = sum.position / sum.count;
        if (shape.distance(middle) > 0) continue;  // the cell holds two parts of the body and belongs to neither
        samples.position.push_back(middle);
        samples.normal.push_back(Vec3::Zero());
        samples.area.push_back(0);
        samples.volume.push_back(sum.count * cube(fine));
    }
}

class LinkTest {
public:
    LinkTest(const Shape& shape, const BodySamples& samples, const Corners& corners)
        : shape_(shape), samples_(samples), corners_(corners), depth_(samples.size()) {
        parallel_for(samples.size(), [&](std::size_t i) {
            depth_[i] = samples.volume[i] > 0 ? -shape.distance(samples.position[i]) : 0;
        });
    }

    bool stays_inside(std::size_t i, std::size_t j) const {
        const Vec3 way = samples_.position[j] - samples_.position[i];
        if (depth_[i] + depth_[j] >= way.norm()) return true;  // within the balls around its ends
        if (looks_across_a_gap(i, j, way)) return false;
        if (share_a_corner(i, j)) return true;  // also where the body is too thin for the distance to show
        for (const Real part : {0.5, 0.25, 0.75}) {
            if (shape_.distance(samples_.position[i] + part * way) > link_rise * samples_.step) return false;
        }
        return true;
    }

private:
    // Two faces that look at each other, however near: a gap that is too narrow for the distance to show.
    bool looks_across_a_gap(std::size_t i, std::size_t j, const Vec3& way) const {
        const Vec3 &n = samples_.normal[i], &m = samples_.normal[j];
        return n.dot(m) < -0.3 && way.dot(n) > 0 && way.dot(m) < 0;
    }

    bool share_a_corner(std::size_t i, std::size_t j) const {
        if (i >= corners_.size() || j >= corners_.size()) return false;
        const std::vector<int>&a = corners_[i], &b = corners_[j];
        for (std::size_t k = 0, l = 0; k < a.size() && l < b.size();) {
            if (a[k] == b[l]) return true;
            a[k] < b[l] ? ++k : ++l;
        }
        return false;
    }

    const Shape& shape_;
    const BodySamples& samples_;
    const Corners& corners_;
    std::vector<Real> depth_;
};

void link(const Shape& shape, const Corners& corners, BodySamples& samples) {
    NeighbourSearch().find(samples.position, link_reach * samples.step, samples.links);
    const NeighbourLists& links = samples.links;
    samples.length.assign(links.indices.size(), std::numeric_limits<Real>::infinity());
    const LinkTest test(shape, samples, corners);
    parallel_for(samples.size(), [&](std::size_t i) {
        for (std::size_t k = links.offsets[i]; k < links.offsets[i + 1]; ++k) {
            const std::size_t j = links.indices[k];
            if (j > i && test.stays_inside(i, j))
                samples.length[k] = (samples.position[j] - samples.position[i]).norm();
        }
    });
    parallel_for(samples.size(), [&](std::size_t i) {
        for (std::size_t k = links.offsets[i]; k < links.offsets[i + 1]; ++k) {
            const std::size_t j = links.indices[k];
            if (j > i) continue;
            const auto row = links[j];
            const auto back = std::lower_bound(row.begin(), row.end(), std::uint32_t(i)) - row.begin();
            samples.length[k] = samples.length[links.offsets[j] + std::size_t(back)];
        }
    });
}

}  // namespace

BodySamples sample_body(const Shape& shape, const TriangleMesh& surface, Real step) {
    BodySamples samples;
    samples.step = step;
    Corners corners;
    add_surface(shape, surface, samples, corners);
    add_matter(shape, samples);
    link(shape, corners, samples);
    return samples;
}

}  // namespace pliant
