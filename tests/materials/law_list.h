// The lists of laws as types of typed tests: a law that joins a list joins its tests. And deformations to try them on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "pliant/materials/moduli.h"
#include "pliant/math/types.h"

namespace pliant {

template <class List>
struct TypesOf;
template <class... Laws>
struct TypesOf<std::variant<Laws...>> {
    using Types = ::testing::Types<Laws...>;
};

struct NameOfLaw {
    template <class Law>
    static std::string GetName(int) {
        return Law::name;
    }
};

// From cork to nearly incompressible, from jelly to steel.
inline std::vector<Moduli> sample_moduli() {
    return {Moduli::from_young_poisson(1, 0),       Moduli::from_young_poisson(1e5, 0.3),
            Moduli::from_young_poisson(1e3, -0.4),  Moduli::from_young_poisson(2e6, 0.45),
            Moduli::from_young_poisson(200e9, 0.3), Moduli::from_young_poisson(1e5, 0.499)};
}

class DeformationSource {
public:
    explicit DeformationSource(unsigned seed) : engine_(seed) {}

    Real number() { return normal_(engine_); }
    Real between(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(engine_); }
    Mat3 rotation() { return Quat(number(), number(), number(), number()).normalized().toRotationMatrix(); }

    // Logarithmic strains of about the given size, in descending order as an SVD gives them.
    Vec3 stretches(Real strain) {
        Vec3 sigma(std::exp(strain * number()), std::exp(strain * number()), std::exp(strain * number()));
        std::sort(sigma.data(), sigma.data() + 3, std::greater<>());
        return sigma;
    }
    Mat3 gradient(const Vec3& sigma) { return rotation() * sigma.asDiagonal() * rotation().transpose(); }

private:
    std::mt19937 engine_;
    std::normal_distribution<Real> normal_;
};

}  // namespace pliant
