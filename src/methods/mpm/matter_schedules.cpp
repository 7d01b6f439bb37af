// Matter whose material changes over time: what melts, sets, and becomes stiffer or softer.
#include "pliant/base/parallel.h"
#include "pliant/math/svd.h"
#include "pliant/methods/mpm/matter.h"
#include "pliant/methods/scheduled_material.h"

namespace pliant {
namespace {

constexpr Real molten = 1e-9;  // of a material's own shear modulus: less is none

}  // namespace

Material Matter::material_of(std::size_t b, Real time) const {
    Material material = scheduled_material(model_, model_.bodies[b].material, time);
    if (material.moduli.bulk() < melting_[b].least_bulk)
        material.moduli = Moduli::from_shear_bulk(material.moduli.shear(), melting_[b].least_bulk);
    return material;
}

bool Matter::is_molten(std::size_t b, const Moduli& moduli) const {
    return melting_[b].melts && moduli.shear() <= molten * model_.material_of(b).moduli.shear();
}

// By what strains are multiplied where a modulus rises, and whether a body melts or sets.
struct Matter::Change {
    Real shear = 1, bulk = 1, viscous_shear = 1, viscous_bulk = 1;
    bool melts = false, sets = false;

    bool is_elastic() const { return shear != 1 || bulk != 1 || melts || sets; }
    bool is_viscous() const { return viscous_shear != 1 || viscous_bulk != 1; }
};

Matter::Change Matter::change_of(std::size_t b, Real time, Real dt) const {
    Change change;
    if (model_.bodies[b].liquid || !schedule_of(model_, model_.bodies[b].material)) return change;
    const Material before = material_of(b, time), after = material_of(b, time + dt);
    const auto share = [](Real old, Real now) { return now > old ? std::max(old, Real(0)) / now : 1; };
    change.shear = share(before.moduli.shear(), after.moduli.shear());
    change.bulk = share(before.moduli.bulk(), after.moduli.bulk());
    if (before.viscous) {
        change.viscous_shear = share(before.viscous->shear, after.viscous->shear);
        change.viscous_bulk = share(before.viscous->bulk, after.viscous->bulk);
    }
    const bool was_molten = is_molten(b, before.moduli), is_molten_now = is_molten(b, after.moduli);
    change.melts = !was_molten && is_molten_now;
    change.sets = was_molten && !is_molten_now;
    return change;
}

void Matter::follow_schedules(Real time, Real dt, ParticleState& state) {
    if (model_.schedules.empty() || is_at_rest_) return;  // there a body remembers its shape
    std::vector<Change> changes;
    bool is_any = false;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        changes.push_back(change_of(b, time, dt));
        is_any |= changes.back().is_elastic() || changes.back().is_viscous();
    }
    if (!is_any) return;
    // F = U sigma V^T with other strains
    const auto relax = [](Mat3& F, Real shear, Real bulk) {
        WideMatrix wide = WideMatrix::identity();
        set_lane(wide, 0, F);
        const auto s = svd(wide);
        const WideVector e = log_strain(s.sigma).value;
        const Double4 mean = (e.x + e.y + e.z) * Double4(1.0 / 3), kept = mean * Double4(bulk), share(shear);
        const WideVector relaxed = {simd::fma(e.x - mean, share, kept), simd::fma(e.y - mean, share, kept),
                                    simd::fma(e.z - mean, share, kept)};
        F = lane_of(compose(s.U, stretch_of(relaxed), s.V), 0);
    };
    parallel_for(state.size(), [&](std::size_t p) {
        const std::size_t b = state.body[p];
        const Change& change = changes[b];
        if (change.shear != 1 || change.bulk != 1) relax(state.deformation[p], change.shear, change.bulk);
        if (change.is_viscous()) relax(viscous_deformation_[p], change.viscous_shear, change.viscous_bulk);
        if (change.sets) state.plastic_strain[p] = 0;
        const auto& plastic = model_.material_of(b).plasticity;
        // Sand that was drawn apart must still close; others set with the gaps that there are, and snow packs anew.
        if ((change.sets || change.melts) && !(plastic && std::holds_alternative<DruckerPragerPlasticity>(*plastic)))
            opened_[p] = 0;
    });
}

}  // namespace pliant
