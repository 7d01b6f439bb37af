// The list of elastic laws. A law is a function of the singular values of F (isotropy); what needs the whole tensor
// is built here once for all of them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pliant/materials/elasticity_corotated.h"
#include "pliant/materials/elasticity_hencky.h"
#include "pliant/materials/elasticity_neo_hookean.h"
#include "pliant/math/svd.h"

namespace pliant {

using Elasticity = std::variant<CorotatedElasticity, HenckyElasticity, NeoHookeanElasticity>;

std::vector<std::string> elasticity_names();
Elasticity make_elasticity(const std::string& name, const Moduli& moduli);  // the name is one of the list's

inline const Moduli& moduli_of(const Elasticity& law) {
    return std::visit([](const auto& l) -> const Moduli& { return l.moduli; }, law);
}
inline Real energy_density(const Elasticity& law, const Vec3& sigma) {
    return std::visit([&](const auto& l) { return l.energy_density(sigma); }, law);
}
inline Vec3 principal_stress(const Elasticity& law, const Vec3& sigma) {
    return std::visit([&](const auto& l) { return l.principal_stress(sigma); }, law);
}
inline Mat3 principal_tangent(const Elasticity& law, const Vec3& sigma) {
    return std::visit([&](const auto& l) { return l.principal_tangent(sigma); }, law);
}

// P = U Phat V^T     first Piola-Kirchhoff stress of F = U sigma V^T
inline Mat3 first_piola_stress(const Elasticity& law, const Svd& F) {
    return F.U * principal_stress(law, F.sigma).asDiagonal() * F.V.transpose();
}

// tau = P F^T = U (Phat sigma) U^T     Kirchhoff stress
inline Mat3 kirchhoff_stress(const Elasticity& law, const Svd& F) {
    return F.U * principal_stress(law, F.sigma).cwiseProduct(F.sigma).asDiagonal() * F.U.transpose();
}

// sqrt(3/2) |dev s| of a symmetric stress s: equals the tension in a bar pulled along one axis.
Real von_mises_stress(const Mat3& stress);

}  // namespace pliant
