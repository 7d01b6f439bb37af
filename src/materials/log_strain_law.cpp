#include "pliant/materials/log_strain_law.h"

#include <cmath>

namespace pliant {
namespace {

const Real norm_of_stress = std::sqrt(2.0 / 3.0);  // T -> |dev (T, 0, 0)|

void add_flow(LogStrainLaw& law, const VonMisesPlasticity& plastic) {
    const auto [yield_stress, hardening] = plastic.uniaxial();
    law.yield = norm_of_stress * yield_stress;
    law.hardening = 2.0 / 3.0 * hardening;
}

// |dev tau| = -a tr(tau) / f:  2 G n = -3 a K t / f
void add_flow(LogStrainLaw& law, const DruckerPragerPlasticity& plastic) {
    law.slope = law.shear > 0 ? std::max(3 * plastic.slope() * law.bulk / (2 * law.shear), 1e-12) : 0;
    law.sine = plastic.is_six_sided() ? plastic.sine() : 0;
    law.cohesion = plastic.cohesion / (3 * law.bulk);
    law.corrects_volume = plastic.volume_correction;
}

void add_flow(LogStrainLaw& law, const SnowPlasticity& plastic) {
    law.is_snow = true;
    law.least_volume = plastic.least_volume_strain();
    law.most_volume = plastic.most_volume_strain();
    law.most_shear = plastic.most_shear_strain();
    law.packing = plastic.hardening;
}

void add_flow(LogStrainLaw&, const Bargteil2007Plasticity&) {}

}  // namespace

LogStrainLaw elastic_part(const Moduli& moduli, const std::optional<Plasticity>& plasticity) {
    LogStrainLaw law;
    law.shear = moduli.shear();
    law.bulk = moduli.bulk();
    if (plasticity) std::visit([&](const auto& plastic) { add_flow(law, plastic); }, *plasticity);
    return law;
}

LogStrainLaw neo_hookean_part(const Moduli& moduli) {
    LogStrainLaw law = elastic_part(moduli, {});
    law.is_neo_hookean = true;
    return law;
}

LogStrainLaw viscous_part(const Viscous& viscous, Real dt) {
    LogStrainLaw law;
    law.shear_kept = viscous.shear_kept(dt);
    law.bulk_kept = viscous.bulk_kept(dt);
    law.shear = viscous.shear * law.shear_kept;
    law.bulk = viscous.bulk * law.bulk_kept;
    return law;
}

LogStrainLaw liquid_part(const Liquid& liquid, Real bulk, Real dt) {
    LogStrainLaw law;
    law.shear_kept = 0;
    law.shear = liquid.viscosity / dt;
    law.bulk = bulk;
    law.holds_tension = false;
    return law;
}

}  // namespace pliant
