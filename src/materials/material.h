// A material: density, elastic law, and plastic flow and a viscous part if it has any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/materials/elasticity.h"
#include "pliant/materials/plasticity.h"
#include "pliant/materials/viscous.h"

namespace pliant {

// What methods compute with.
struct Material {
    std::string name;
    Real density = 1000;  // kg/m^3
    Moduli moduli;
    Elasticity elasticity;
    std::optional<Plasticity> plasticity;
    std::optional<Viscous> viscous = std::nullopt;
};

// What a user writes: the stiffness by one of three pairs of moduli.
struct MaterialSettings {
    std::string name;
    Real density = 1000;
    std::optional<Real> young, poisson, shear, bulk, mu, lambda;
    std::optional<std::string> elastic;  // left out: the method's own
    std::optional<Plasticity> plastic;
    std::optional<Viscous> viscous;

    static const FieldTable& fields();
    std::vector<std::string> problems() const;  // what is wrong with the whole, in sentences
    Material resolve() const;                   // only when there are no problems
};

}  // namespace pliant
