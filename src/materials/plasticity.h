// The list of plastic flow laws.
#pragma once

#include <variant>

#include "pliant/materials/elasticity.h"
#include "pliant/materials/plasticity_bargteil2007.h"
#include "pliant/materials/plasticity_drucker_prager.h"
#include "pliant/materials/plasticity_snow.h"
#include "pliant/materials/plasticity_von_mises.h"

namespace pliant {

using Plasticity = std::variant<Bargteil2007Plasticity, VonMisesPlasticity, DruckerPragerPlasticity, SnowPlasticity>;

// By the stress P at sigma. Laws that only log_strain_law.h knows do not flow here; scenes that would need it are
// refused.
inline PlasticStep flow(const Plasticity& law, const Vec3& sigma, const Vec3& P, Real alpha, Real dt) {
    return std::visit(
        [&](const auto& l) -> PlasticStep {
            if constexpr (requires { l.flow(sigma, P, alpha, dt); }) {
                return l.flow(sigma, P, alpha, dt);
            } else {
                return {sigma, Vec3::Ones(), alpha};
            }
        },
        law);
}

// By the elastic law: the same, but exact where a flow must know the stress it ends at.
inline PlasticStep flow(const Plasticity& law, const Elasticity& elastic, const Vec3& sigma, Real alpha, Real dt) {
    return std::visit(
        [&](const auto& l) {
            if constexpr (requires { l.flow(elastic, sigma, alpha, dt); }) {
                return l.flow(elastic, sigma, alpha, dt);
            } else {
                return flow(law, sigma, principal_stress(elastic, sigma), alpha, dt);
            }
        },
        law);
}

}  // namespace pliant
