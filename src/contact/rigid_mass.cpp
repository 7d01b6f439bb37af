#include "pliant/contact/rigid_mass.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr int cells_along = 64;

// Volume, and its first and second moments about the middle of the bounds.
struct Moments {
    Real volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();

    Moments operator+(const Moments& other) const {
        return {volume + other.volume, first + other.first, second + other.second};
    }
};

// The part of a cell that lies inside, as if the surface were flat there.
Real part_inside(const Shape& shape, const Vec3& x, const Vec3& cell) {
    const Real distance = shape.distance(x);
    if (distance > cell.norm() / 2) return 0;
    if (distance < -cell.norm() / 2) return 1;
    const Real width = shape.normal(x).cwiseAbs().dot(cell);
    return std::clamp(0.5 - distance / width, 0.0, 1.0);
}

Moments moments_of(const Shape& shape) {
    const Box bounds = shape.bounds();
    const Vec3 cell = bounds.sizes() / cells_along, middle = bounds.center();
    return parallel_sum(
        std::size_t(cells_along * cells_along), Moments(),
        [&](std::size_t row) {
            Moments sum;
            for (int i = 0; i < cells_along; ++i) {
                const Vec3 site(i + 0.5, Real(row % cells_along) + 0.5, Real(row / cells_along) + 0.5);
                const Vec3 x = bounds.min() + cell.cwiseProduct(site), d = x - middle;
                const Real volume = part_inside(shape, x, cell) * cell.prod();
                sum.volume += volume;
                sum.first += volume * d;
                sum.second += volume * (d * d.transpose());
                sum.second.diagonal() += volume / 12 * cell.cwiseAbs2();  // of the cell about its own middle
            }
            return sum;
        },
        16);
}

}  // namespace

MassProperties measure_mass(const Shape& shape, Real density) {
    if (!shape.is_bounded()) throw InputError("a shape without end has no mass: use a box, or make it a collider");
    const Moments moments = moments_of(shape);
    if (!(moments.volume > 0)) throw InputError("the shape has no inside and so no mass");
    MassProperties result;
    result.mass = density * moments.volume;
    const Vec3 offset = moments.first / moments.volume;
    result.centre = shape.bounds().center() + offset;
    const Mat3 second = moments.second - moments.volume * (offset * offset.transpose());
    const Mat3 inertia = density * (second.trace() * Mat3::Identity() - second);
    const Mat3 off_diagonal = inertia - Mat3(inertia.diagonal().asDiagonal());
    if (off_diagonal.norm() < 1e-9 * inertia.norm()) {  // along its own axes already
        result.inertia = inertia.diagonal();
        return result;
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
    Mat3 axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) *= -1;
    result.inertia = solver.eigenvalues();
    result.principal = Quat(axes).normalized();
    return result;
}

}  // namespace pliant
