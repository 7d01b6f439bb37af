#include "pliant/linear/power_iteration.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {

Real largest_eigenvalue(std::span<const Real> mass,
                        FunctionRef<void(std::span<const Vec3> x, std::span<Vec3> result)> multiply, int iterations) {
    const std::size_t n = mass.size();
    std::vector<Vec3> x(n), Kx(n);
    std::uint32_t seed = 1;
    for (Vec3& v : x) {
        for (int d = 0; d < 3; ++d) {
            seed = seed * 1664525u + 1013904223u;
            v[d] = Real(seed >> 8) / Real(1 << 24) - 0.5;
        }
    }
    const auto norm = [&] {
        return std::sqrt(parallel_sum(n, Real(0), [&](std::size_t i) { return x[i].squaredNorm(); }));
    };
    Real size = norm(), largest = 0;
    for (int k = 0; k < iterations && size > 0; ++k) {
        parallel_for(n, [&](std::size_t i) { x[i] /= size; });
        multiply(x, Kx);
        parallel_for(n, [&](std::size_t i) { x[i] = Kx[i] / mass[i]; });
        size = norm();
        largest = std::max(largest, size);
    }
    return largest;
}

}  // namespace pliant
