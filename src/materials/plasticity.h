// The list of plastic flow laws.
#pragma once

#include <variant>

#include "pliant/materials/plasticity_bargteil2007.h"

namespace pliant {

using Plasticity = std::variant<Bargteil2007Plasticity>;

inline PlasticStep flow(const Plasticity& law, const Vec3& sigma, const Vec3& P, Real alpha, Real dt) {
    return std::visit([&](const auto& l) { return l.flow(sigma, P, alpha, dt); }, law);
}

}  // namespace pliant
