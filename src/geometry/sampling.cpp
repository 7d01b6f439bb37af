#include "pliant/geometry/sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/sampling_blue_noise.h"
#include "pliant/geometry/sampling_lattice.h"
#include "pliant/geometry/sampling_measure.h"
#include "pliant/geometry/sampling_relax.h"

namespace pliant {

namespace {

constexpr Real most_spacings = 4e6;    // along an axis
constexpr Real countable = 1'000'000;  // lattice sites that are counted rather than estimated

// Half a spacing, less a little so that a box of whole spacings keeps its outermost particles in spite of rounding.
Real least_depth(const SamplingSettings& settings) {
    return (0.5 - 1e-3) * settings.spacing;
}

Lattice lattice_of(const Shape& shape, const SamplingSettings& settings) {
    const auto make = settings.sampling == "bcc" ? body_centred_lattice : cubic_lattice;
    return make(shape.bounds(), settings.spacing, least_depth(settings));
}

void check(const Shape& shape, const SamplingSettings& settings) {
    const auto& names = SamplingSettings::fields()[1].choices;
    if (std::find(names.begin(), names.end(), settings.sampling) == names.end()) {
        throw InputError(fmt::format("there is no sampling '{}'; choose cubic, bcc or blue_noise", settings.sampling));
    }
    if (!(settings.spacing > 0) || !std::isfinite(settings.spacing)) {
        throw InputError(fmt::format("the spacing of particles is {:g} m; it must be positive", settings.spacing));
    }
    if (!shape.is_bounded()) {
        throw InputError("a body's shape must be bounded to be filled with particles; cut it with a box, for example");
    }
    const Box bounds = shape.bounds();
    if (bounds.isEmpty() || !bounds.sizes().allFinite() || !bounds.center().allFinite()) {
        throw InputError("a body's shape is empty or has no finite bounds: there is nothing to fill with particles");
    }
    const Real length = bounds.sizes().maxCoeff();
    if (length > most_spacings * settings.spacing) {
        throw InputError(
            fmt::format("a body {:g} m long is more than {:g} spacings of {:g} m; a spacing above {:.2g} m would do",
                        length, most_spacings, settings.spacing, 1.05 * length / most_spacings));
    }
}

[[noreturn]] void complain_of_thinness(const Shape& shape, Real spacing) {
    const Real depth = measure_greatest_depth(shape);
    if (!(depth > 0)) throw InputError("a body's shape has no inside: there is nothing to fill with particles");
    // Wherever the lattice lies, a ball of radius sqrt(3)/2 spacings holds a site.
    throw InputError(
        fmt::format("the body is thinner than the spacing of {:g} m: no particle fits into it (it is {:.2g} m "
                    "thick at its thickest); a spacing of {:.2g} m would do",
                    spacing, 2 * depth, 0.65 * depth));
}

std::size_t saturated(Real count) {
    return std::size_t(std::min(std::round(count), Real(1e18)));
}

std::size_t count_of(const Shape& shape, const SamplingSettings& settings) {
    const Real cell = cube(settings.spacing), deep = measure_volume(shape, least_depth(settings));
    if (settings.sampling == "blue_noise") {
        // Points that fill what is deep enough stand for about half of the shell around it, too.
        return saturated((deep + measure_volume(shape)) / 2 / cell);
    }
    if (deep / cell > countable) return saturated(deep / cell);
    return count_lattice_sites(shape, lattice_of(shape, settings), least_depth(settings));
}

}  // namespace

const FieldTable& SamplingSettings::fields() {
    using S = SamplingSettings;
    static const FieldTable table = {
        field("spacing", &S::spacing, "m", "distance between particles; each stands for spacing^3").above(0).required(),
        field("sampling", &S::sampling, "", "how particles fill the shape").one_of({"cubic", "bcc", "blue_noise"}),
        field("seed", &S::seed, "", "another number, another blue noise"),
    };
    return table;
}

std::size_t estimate_count(const Shape& shape, const SamplingSettings& settings) {
    check(shape, settings);
    const std::size_t count = count_of(shape, settings);
    if (count == 0) complain_of_thinness(shape, settings.spacing);
    if (count > settings.most_particles) {
        const Real spacing = settings.spacing * std::cbrt(Real(count) / Real(settings.most_particles));
        throw InputError(
            fmt::format("the body would take {:.2g} particles, more than the {:.2g} allowed; a spacing above "
                        "{:.2g} m would do",
                        Real(count), Real(settings.most_particles), 1.02 * spacing));
    }
    return count;
}

Samples sample(const Shape& shape, const SamplingSettings& settings) {
    estimate_count(shape, settings);  // for its complaints
    Samples samples;
    samples.volume = cube(settings.spacing);
    samples.shape_volume = measure_volume(shape);
    if (settings.sampling == "blue_noise") {
        const Real distance = settings.spacing / std::cbrt(poisson_disk_fill);
        samples.positions = poisson_disk_points(shape, distance, least_depth(settings), std::uint64_t(settings.seed));
        relax_points(shape, settings.spacing, least_depth(settings), samples.positions);
    } else {
        samples.positions = lattice_sites(shape, lattice_of(shape, settings), least_depth(settings));
    }
    if (samples.positions.empty()) complain_of_thinness(shape, settings.spacing);
    return samples;
}

}  // namespace pliant
