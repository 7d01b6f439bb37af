#include "pliant/materials/material.h"

#include <fmt/core.h>

namespace pliant {
namespace {

constexpr Real largest_modulus = 1e13;

std::optional<Moduli> moduli_of(const MaterialSettings& s) {
    if (s.young && s.poisson) return Moduli::from_young_poisson(*s.young, *s.poisson);
    if (s.shear && s.bulk) return Moduli::from_shear_bulk(*s.shear, *s.bulk);
    if (s.mu && s.lambda) return Moduli{*s.mu, *s.lambda};
    return std::nullopt;
}

}  // namespace

const FieldTable& MaterialSettings::fields() {
    using S = MaterialSettings;
    static const FieldTable table = {
        field("density", &S::density, "kg/m^3", "mass of a unit of rest volume").above(0).at_most(1e6),
        field("young", &S::young, "Pa", "Young's modulus; goes with poisson").above(0).at_most(largest_modulus),
        field("poisson", &S::poisson, "", "Poisson's ratio; goes with young").above(-1).at_most(0.4999),
        field("shear", &S::shear, "Pa", "shear modulus G; goes with bulk").above(0).at_most(largest_modulus),
        field("bulk", &S::bulk, "Pa", "bulk modulus K; goes with shear").above(0).at_most(largest_modulus),
        field("mu", &S::mu, "Pa", "Lame's second parameter; goes with lambda").above(0).at_most(largest_modulus),
        field("lambda", &S::lambda, "Pa", "Lame's first parameter; goes with mu").at_most(largest_modulus),
        field("elastic", &S::elastic, "",
              "elastic law; if left out corotated, and hencky in the method mpm, which has neo_hookean beside it")
            .one_of(elasticity_names()),
    };
    return table;
}

std::vector<std::string> MaterialSettings::problems() const {
    const bool pairs[3] = {young || poisson, shear || bulk, mu || lambda};
    const int given = pairs[0] + pairs[1] + pairs[2];
    if (given == 0) return {"gives no stiffness: add young and poisson, or shear and bulk, or mu and lambda"};
    if (given > 1) return {"mixes moduli: give one pair of young and poisson, shear and bulk, or mu and lambda"};
    const auto moduli = moduli_of(*this);
    if (!moduli) {
        return {pairs[0] ? fmt::format("has {} alone: add {}", young ? "young" : "poisson", young ? "poisson" : "young")
                : pairs[1] ? fmt::format("has {} alone: add {}", shear ? "shear" : "bulk", shear ? "bulk" : "shear")
                           : fmt::format("has {} alone: add {}", mu ? "mu" : "lambda", mu ? "lambda" : "mu")};
    }
    if (!(moduli->bulk() > 0)) {
        return {
            fmt::format("would swell under pressure: its bulk modulus is {:g} Pa and must be above 0; raise bulk, or "
                        "lambda above -2/3 mu",
                        moduli->bulk())};
    }
    return {};
}

Material MaterialSettings::resolve() const {
    const Moduli moduli = moduli_of(*this).value();
    return {name,    density, moduli, make_elasticity(elastic.value_or(CorotatedElasticity::name), moduli),
            plastic, viscous};
}

}  // namespace pliant
