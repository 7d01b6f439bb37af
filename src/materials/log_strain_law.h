// Elastic, plastic, viscous, granular and liquid matter as one law of the logarithmic strain, for packs of particles:
// what the stress is at the end of a step whose trial strain is known.     [Fang19] Sec. 4, [Simo92], [Klar16]
// Symbols: e = h(sigma) trial strain (see HenckyElasticity), t = sum e, d = dev e, n = |d|, e' = strain after the flow
// of the step, tau = 2 G dev(e') + K tr(e') = Kirchhoff stress, phi = potential of the step: dphi/de = tau.
//
//     elastic        e' = e                      phi = G n^2 + K t^2 / 2
//     viscous        dev e' = A d, t' = T t      phi = G A n^2 + K T t^2 / 2        A, T: shares kept, see Viscous
//     von Mises      dev e' = (n - g) d / n      phi = G (n - g)^2 + y g + H g^2 / 2 + K t^2 / 2
//                    g = (2 G n - y) / (2 G + H),   y = sqrt(2/3) yield stress, H = 2/3 hardening
//     granular       dev e' = -k t d / n,   k = a K 3 / (2 G);  e' = 0 where t >= 0; shifted by the cohesion. No phi.
//                    of a six-sided cone a depends on d / n, see DruckerPragerPlasticity
//     snow           t, n cut off where it bears no more: then phi grows linearly. G, K times exp(x (1 - J))
//     neo-Hookean    e' = e                      phi = Psi(sigma), see NeoHookeanElasticity
//     liquid         A = 0: it forgets all shear, and G A = eta / dt; no tension: e' = 0 where t > 0
//
// Granular matter and liquids that are pulled apart remember by how much: they bear again when they have closed
// [Tampubolon17]. Snow remembers log J, by how much it has packed or opened.
//
// All but Drucker-Prager have a potential, also with hardening: the step is then a minimisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "pliant/materials/liquid.h"
#include "pliant/materials/material.h"
#include "pliant/math/simd_log.h"
#include "pliant/math/wide.h"

namespace pliant {

// Of one material in a step of one length.
struct LogStrainLaw {
    Real shear = 0, bulk = 0;                            // G A and K T: stress over trial strain [Pa]
    Real shear_kept = 1, bulk_kept = 1;                  // A and T
    Real yield = std::numeric_limits<Real>::infinity();  // sqrt(2/3) yield stress, of virgin matter [Pa]
    Real hardening = 0;                                  // H [Pa]
    Real slope = 0;                                      // k of granular matter, times the spread; 0: not granular
    Real sine = 0;                                       // of its angle of friction, if the cone has six sides
    Real cohesion = 0;                                   // strain, a third of t, at which granular matter parts
    bool corrects_volume = false;                        // of granular matter
    bool holds_tension = true;
    bool is_neo_hookean = false;
    bool is_snow = false;
    Real least_volume = 0, most_volume = 0, most_shear = 0;  // t and n that snow bears
    Real packing = 0;                                        // x, hardening of snow

    Real packed(Real opened) const {  // by what the moduli of snow are multiplied
        return is_snow ? std::exp(std::clamp(packing * (1 - std::exp(opened)), -most_packing, most_packing)) : 1;
    }
    static constexpr Real most_packing = 5;

    bool has_potential() const { return slope == 0; }
};

LogStrainLaw elastic_part(const Moduli& moduli, const std::optional<Plasticity>& plasticity);
LogStrainLaw neo_hookean_part(const Moduli& moduli);
LogStrainLaw viscous_part(const Viscous& viscous, Real dt);
LogStrainLaw liquid_part(const Liquid& liquid, Real bulk, Real dt);

// A law a lane.
template <class P>
struct WideLogStrainLaw {
    P shear, bulk, shear_kept, bulk_kept, yield, hardening, slope, sine, cohesion, corrects, holds_tension;
    P is_neo_hookean, is_snow, least_volume, most_volume, most_shear, packing;
    bool has_granular = false, has_liquid = false, has_yield = false, has_snow = false, has_neo_hookean = false;

    template <class LawOfLane>
    static WideLogStrainLaw load(LawOfLane&& law_of) {
        WideLogStrainLaw w;
        for (int lane = 0; lane < P::width; ++lane) {
            const LogStrainLaw& law = law_of(lane);
            w.shear.set(lane, law.shear);
            w.bulk.set(lane, law.bulk);
            w.shear_kept.set(lane, law.shear_kept);
            w.bulk_kept.set(lane, law.bulk_kept);
            w.yield.set(lane, law.yield);
            w.hardening.set(lane, law.hardening);
            w.slope.set(lane, law.slope);
            w.sine.set(lane, law.sine);
            w.cohesion.set(lane, law.cohesion);
            w.corrects.set(lane, law.corrects_volume);
            w.holds_tension.set(lane, law.holds_tension);
            w.is_neo_hookean.set(lane, law.is_neo_hookean);
            w.is_snow.set(lane, law.is_snow);
            w.least_volume.set(lane, law.least_volume);
            w.most_volume.set(lane, law.most_volume);
            w.most_shear.set(lane, law.most_shear);
            w.packing.set(lane, law.packing);
            w.has_neo_hookean |= law.is_neo_hookean;
            w.has_snow |= law.is_snow;
            w.has_granular |= law.slope != 0;
            w.has_liquid |= !law.holds_tension;
            w.has_yield |= law.yield < std::numeric_limits<Real>::infinity();
        }
        return w;
    }
};

// h and its first two derivatives with respect to sigma.
template <class P>
struct LogStrain {
    WideVec3<P> value, slope, curvature;
};
template <class P>
LogStrain<P> log_strain(const WideVec3<P>& sigma) {
    using namespace simd;
    constexpr Real knee = HenckyElasticity::knee;
    const auto of = [&](P s, P& value, P& slope, P& curvature) {
        const P above = max(s, P(knee));
        slope = P(1.0) / above;
        value = log(above) + min(s - P(knee), P(0.0)) * P(1 / knee);
        curvature = keep(s > P(knee), -(slope * slope));
    };
    LogStrain<P> h;
    of(sigma.x, h.value.x, h.slope.x, h.curvature.x);
    of(sigma.y, h.value.y, h.slope.y, h.curvature.y);
    of(sigma.z, h.value.z, h.slope.z, h.curvature.z);
    return h;
}
template <class P>
WideVec3<P> stretch_of(const WideVec3<P>& e) {  // the other way
    using namespace simd;
    constexpr Real knee = HenckyElasticity::knee;
    const P lowest(std::log(knee));
    const auto of = [&](P x) { return exp(max(x, lowest)) + P(knee) * min(x - lowest, P(0.0)); };
    return {of(e.x), of(e.y), of(e.z)};
}

// What the law says of a trial strain.
template <class P>
struct LogResponse {
    WideVec3<P> strain;  // e'
    WideVec3<P> tau;     // Pa
    P energy;            // phi [J/m^3]; of granular matter the elastic energy of e'
    P flow;              // g, plastic strain of the step, as a norm of the deviator
    P opened;            // volume strain by which granular matter, a liquid or snow has opened so far
    // Of softening matter radial is 0 and not the negative number that it would be.
    // dtau/de = tangential (1 - 11^T/3 - u u^T) + radial u u^T + volumetric 11^T + u coupling^T
    WideVec3<P> direction;  // u = d / n; zero where n is
    P tangential, radial, volumetric;
    WideVec3<P> coupling;
    // or, in lanes where `is_general` is 1, this: 00 11 22 01 02 12. Without such lanes it is not set.
    bool has_general = false;
    P is_general, general[6];

    // Where matter flows phi grows more slowly than n^2, so that with phi'/n for phi'' along d the quadratic model lies
    // above phi everywhere. This goes a share of the way there.
    void approach_secant(P share) {
        using namespace simd;
        radial = fma(share, max(tangential - radial, P(0.0)), radial);
    }
};

// t - log(1 + t), also where t is so small that the difference would be rounding
template <class P>
P less_its_log(P t) {
    using namespace simd;
    const P x = t / (P(2.0) + t), y = x * x;
    const P series = fma(y, fma(y, fma(y, fma(y, P(1.0 / 11), P(1.0 / 9)), P(1.0 / 7)), P(1.0 / 5)), P(1.0 / 3));
    return select(abs(t) < P(0.1), fnma(P(2.0) * x * y, series, t * x), t - log(P(1.0) + t));
}

// Puts Psi, tau = dPsi/de and dtau/de into the lanes that ask for it, by those with respect to sigma = h^-1(e):
//     dtau_i/de_j = d2Psi/dsigma_i dsigma_j / (h'_i h'_j) + delta_ij tau_i d(1/h'_i)/dsigma_i
template <class P>
void respond_neo_hookean(const WideLogStrainLaw<P>& law, const WideVec3<P>& e, LogResponse<P>& r) {
    using namespace simd;
    const P one(1.0), third(1.0 / 3);
    const auto is_mine = law.is_neo_hookean > P(0.0);
    const P mu = law.shear, volume_stiffness = fma(mu, P(1.0 / 6), law.bulk);
    const WideVec3<P> stretch = stretch_of(e), slope = log_strain(stretch).slope;
    const P s[3] = {stretch.x, stretch.y, stretch.z}, h[3] = {slope.x, slope.y, slope.z};
    const P d[3] = {s[0] - one, s[1] - one, s[2] - one};
    const P squares = fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2])), sum = d[0] + d[1] + d[2];
    const P pairs = fma(d[0], d[1], fma(d[1], d[2], d[2] * d[0])), product = d[0] * d[1] * d[2];
    const P swelling = sum + pairs + product;  // J - 1
    const P shape = fma(P(0.5), squares, fnma(P(1.0), pairs, -product)) +
                    P(2.0 / 3) * less_its_log(fma(P(0.5), sum, P(0.25) * squares));
    r.energy = select(is_mine, fma(mu, shape, P(0.5) * volume_stiffness * swelling * swelling), r.energy);

    const P I = fma(s[0], s[0], fma(s[1], s[1], s[2] * s[2])), reciprocal = one / (I + one);
    const P straight = P(4.0) * third * mu * I * reciprocal, q = fma(volume_stiffness, swelling, -mu);
    const P bend = P(8.0) * third * mu * reciprocal * reciprocal;
    const P C[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    P tau[3];
    for (int i = 0; i < 3; ++i) tau[i] = fma(straight, s[i], q * C[i]) / h[i];
    r.tau = select(is_mine, WideVec3<P>{tau[0], tau[1], tau[2]}, r.tau);
    r.strain = select(is_mine, e, r.strain);

    constexpr int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) {
        const auto [i, j] = pair[k];
        const P outer = fma(bend * s[i], s[j], volume_stiffness * C[i] * C[j]);
        const P second = i == j ? outer + straight : fma(q, s[3 - i - j], outer);
        const P stretched = i == j ? keep(s[i] > P(HenckyElasticity::knee), tau[i]) : P(0.0);
        r.general[k] = second / (h[i] * h[j]) + stretched;
    }
    r.has_general = true;
    r.is_general = law.is_neo_hookean;
}

// By what the slope of a cone is divided where the deviator points along u: 1 if it is round, and
//     f(u) = (1 + sin phi) u_max - (1 - sin phi) u_min         Mohr and Coulomb's
// and df/du across u and 1.
template <class P>
struct ConeSpread {
    P value;
    WideVec3<P> slope;

    ConeSpread(P sine, const WideVec3<P>& u) {
        using namespace simd;
        const P one(1.0), zero(0.0);
        const auto x_is_most = (u.x >= u.y) & (u.x >= u.z), y_is_most = (u.y > u.x) & (u.y >= u.z);
        const auto z_is_least = (u.z <= u.x) & (u.z <= u.y), y_is_least = (u.y < u.z) & (u.y <= u.x);
        const P most = one + sine, least = one - sine;
        const WideVec3<P> g = {keep(x_is_most, most) - keep(!(z_is_least | y_is_least), least),
                               keep(y_is_most, most) - keep(y_is_least, least),
                               keep(!(x_is_most | y_is_most), most) - keep(z_is_least, least)};
        const P f = dot(g, u), mean = (g.x + g.y + g.z) * P(1.0 / 3);
        const auto has_sides = (sine > zero) & (f > zero);
        value = select(has_sides, f, one);
        slope = {keep(has_sides, g.x - mean - f * u.x), keep(has_sides, g.y - mean - f * u.y),
                 keep(has_sides, g.z - mean - f * u.z)};
    }
};

// `alpha`: equivalent plastic strain so far; `opened`: see above, of the step before.
template <class P>
LogResponse<P> respond(const WideLogStrainLaw<P>& law, WideVec3<P> e, P alpha, P opened) {
    using namespace simd;
    const P zero(0.0), third(1.0 / 3), two(2.0);
    LogResponse<P> r;
    const auto is_snow = law.is_snow > zero;
    P shear = law.shear, bulk = law.bulk;
    if (law.has_snow) {
        constexpr Real most = LogStrainLaw::most_packing;
        const P packed = exp(max(min(law.packing * (P(1.0) - exp(opened)), P(most)), P(-most)));
        shear = select(is_snow, shear * packed, shear);
        bulk = select(is_snow, bulk * packed, bulk);
    }
    if (law.has_granular || law.has_liquid) {
        const P shift = keep(!is_snow, opened * third) - law.cohesion;
        e = {e.x + shift, e.y + shift, e.z + shift};
    }
    const P t = e.x + e.y + e.z, mean = t * third;
    const WideVec3<P> d = {e.x - mean, e.y - mean, e.z - mean};
    const P n = sqrt(dot(d, d)), inverse_n = P(1.0) / max(n, P(1e-150));
    r.direction = d * keep(n > P(1e-150), inverse_n);
    const P stiff = two * shear;

    // von Mises; a yield stress without end gives g = 0
    r.flow = zero;
    P length = n, after = stiff * n;  // |dev e'| before relaxation and |dev tau|
    P radial = stiff;
    r.energy = shear * n * n;
    if (law.has_yield) {
        const P y = max(zero, fma(law.hardening, alpha * P(1.22474487139158904910), law.yield));
        const P total = max(stiff + law.hardening, P(1e-300));
        const P g = min(max(stiff * n - y, zero) / total, n);
        const auto yields = g > zero;
        r.flow = keep(yields, g);
        length = n - r.flow;
        after = stiff * length;
        radial = select(yields, max(stiff * law.hardening / total, zero), stiff);
        r.energy = select(yields, shear * length * length + r.flow * fma(P(0.5) * law.hardening, g, y), r.energy);
    }
    P volume = t, pressure = bulk * t;  // t' before relaxation, and a third of tr(tau)
    r.volumetric = bulk;
    r.coupling = {zero, zero, zero};
    r.opened = zero;
    if (law.has_granular) {
        const auto is_granular = law.slope > zero;
        const auto is_open = is_granular & (t >= zero);
        const ConeSpread<P> spread(law.sine, r.direction);
        const P k = law.slope / spread.value, most = -(k * t);
        const auto slides = is_granular & !is_open & (n > most);
        length = select(is_open, zero, select(slides, most, length));
        volume = select(is_open, zero, volume);
        after = stiff * length;
        pressure = bulk * volume;
        radial = select(is_open | slides, zero, radial);
        r.volumetric = keep(!is_open, r.volumetric);
        // d(-k t)/de, with dk/de = -k f' / (f n)
        const P pull = keep(slides, -(stiff * k)), turn = keep(slides, stiff * t * k * inverse_n / spread.value);
        r.coupling = {fma(turn, spread.slope.x, pull), fma(turn, spread.slope.y, pull),
                      fma(turn, spread.slope.z, pull)};
        r.opened = keep(is_open, t * law.corrects);
        r.flow = select(is_granular, n - length, r.flow);
        r.energy = select(is_granular, shear * length * length, r.energy);
    }
    if (law.has_liquid) {
        const auto is_torn = (law.holds_tension == zero) & (t > zero);
        volume = select(is_torn, zero, volume);
        pressure = select(is_torn, zero, pressure);
        r.volumetric = select(is_torn, zero, r.volumetric);
        r.opened = select(is_torn, t, r.opened);
    }
    if (law.has_snow) {
        const P borne = min(max(t, law.least_volume), law.most_volume), beyond = t - borne;
        const auto shears = is_snow & (n > law.most_shear), breaks = is_snow & (beyond != zero);
        length = select(shears, law.most_shear, length);
        after = stiff * length;
        radial = select(shears, zero, radial);
        volume = select(is_snow, borne, volume);
        pressure = bulk * volume;
        r.volumetric = select(breaks, zero, r.volumetric);
        r.opened = select(is_snow, opened + beyond, r.opened);
        r.flow = select(is_snow, sqrt(fma(beyond * third, beyond, (n - length) * (n - length))), r.flow);
        r.energy = select(is_snow, after * (n - P(0.5) * length) + pressure * beyond, r.energy);
    }
    r.tangential = select(n > P(1e-9), after * inverse_n, radial);
    r.radial = select(n > P(1e-9), radial, r.tangential);
    r.energy = fma(P(0.5) * pressure, volume, r.energy);
    r.tau = {fma(after, r.direction.x, pressure), fma(after, r.direction.y, pressure),
             fma(after, r.direction.z, pressure)};
    const P shape = law.shear_kept * length, mean_after = law.bulk_kept * volume * third;
    r.strain = {fma(shape, r.direction.x, mean_after), fma(shape, r.direction.y, mean_after),
                fma(shape, r.direction.z, mean_after)};
    if (law.has_granular) {
        const P c = law.cohesion;
        r.strain = {r.strain.x + c, r.strain.y + c, r.strain.z + c};
        const P back = P(3.0) * bulk * c;  // the stress of the shift
        r.tau = {r.tau.x + back, r.tau.y + back, r.tau.z + back};
    }
    if (law.has_neo_hookean) respond_neo_hookean(law, e, r);
    return r;
}

}  // namespace pliant
