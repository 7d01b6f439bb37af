#include "pliant/output/render_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/surfacing.h"

namespace pliant {

namespace {

bool is_by_number(const std::string& colour_by) {
    return colour_by == "body" || colour_by == "material";
}

// The quantity a picture is coloured by; speed is derived.
ParticleQuantity quantity_of(const ParticleFrame& frame, const std::string& name) {
    if (const ParticleQuantity* quantity = frame.find_quantity(name)) return *quantity;
    if (name == "speed") {
        ParticleQuantity speed{"speed", "m/s", {}};
        for (const Eigen::Vector3f& v : frame.velocity) speed.values.push_back(v.norm());
        return speed;
    }
    std::vector<std::string> names = {"body", "speed"};
    if (!frame.material.empty()) names.emplace_back("material");
    for (const ParticleQuantity& quantity : frame.quantities) names.push_back(quantity.name);
    throw InputError(
        fmt::format("particles cannot be coloured by `{}`; this frame has {}", name, fmt::join(names, ", ")));
}

std::vector<double> range_of(const std::vector<float>& values) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const float value : values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, double(value));
        high = std::max(high, double(value));
    }
    if (!(low <= high)) return {0, 1};
    return {low, high};
}

std::vector<Colour> colours_by_number(const std::vector<std::uint16_t>& numbers, std::span<const Colour> own) {
    std::vector<Colour> colours;
    for (const std::uint16_t number : numbers) {
        colours.push_back(number < own.size() ? own[number] : palette_colour(number));
    }
    return colours;
}

// Colours by a quantity, and the bar that explains them.
std::vector<Colour> colours_by_quantity(const ParticleFrame& frame, const RenderSettings& settings, ColourBar& bar) {
    const ParticleQuantity quantity = quantity_of(frame, settings.colour_by);
    const std::vector<double> range = settings.colour_range.empty() ? range_of(quantity.values) : settings.colour_range;
    if (range.size() != 2 || !std::isfinite(range[0]) || !std::isfinite(range[1]) || range[0] > range[1]) {
        throw InputError("colour_range must be two numbers, the lowest and the highest value");
    }
    bar = {quantity.name, quantity.unit, settings.colour_map, range[0], range[1]};
    const ColourMap map(settings.colour_map);
    const double span = std::max(range[1] - range[0], 1e-300);
    std::vector<Colour> colours(frame.size());
    parallel_for(frame.size(), [&](std::size_t i) { colours[i] = map.at((quantity.values[i] - range[0]) / span); });
    return colours;
}

// A mesh a body, so that bodies that touch keep their own colour. Numbers are easier read on what is less like jelly.
void add_surfaces(const ParticleFrame& frame, const std::vector<Colour>& colours,
                  const std::set<std::uint16_t>& clear_bodies, RenderScene& scene) {
    const std::set<std::uint16_t> bodies(frame.body.begin(), frame.body.end());
    for (const std::uint16_t body : bodies) {
        std::vector<Eigen::Vector3f> positions;
        std::vector<float> radii;
        std::vector<Colour> own_colours;
        for (std::size_t i = 0; i < frame.size(); ++i) {
            if (frame.body[i] != body) continue;
            positions.push_back(frame.position[i]);
            radii.push_back(frame.radius[i]);
            own_colours.push_back(colours[i]);
        }
        RenderMesh mesh;
        mesh.mesh = particle_surface(positions, radii);
        mesh.vertex_colour = blend_particle_values(mesh.mesh.vertices, positions, radii, own_colours);
        mesh.translucency = scene.colour_bar ? 0.25f : 0.65f;
        mesh.is_clear = !scene.colour_bar && clear_bodies.contains(body);
        scene.meshes.push_back(std::move(mesh));
    }
}

}  // namespace

std::vector<double> colour_range(const ParticleFrame& frame, const std::string& colour_by) {
    if (is_by_number(colour_by)) return {};
    return range_of(quantity_of(frame, colour_by).values);
}

RenderScene make_render_scene(const ParticleFrame& frame, const RenderSettings& settings,
                              std::span<const Colour> body_colours, const std::set<std::uint16_t>& clear_bodies) {
    check_frame(frame);
    RenderScene scene;
    scene.title = settings.title;
    scene.stamp = fmt::format("{:.3f} s", frame.time);
    std::vector<Colour> colours;
    if (settings.colour_by == "body") {
        colours = colours_by_number(frame.body, body_colours);
    } else if (settings.colour_by == "material" && !frame.material.empty()) {
        colours = colours_by_number(frame.material, {});
    } else {
        colours = colours_by_quantity(frame, settings, scene.colour_bar.emplace());
    }
    if (settings.style == "surface") {
        add_surfaces(frame, colours, clear_bodies, scene);
        return scene;
    }
    scene.particles = {frame.position, frame.radius, {}, std::move(colours)};
    if (settings.style == "ellipsoids" || settings.style == "skin") scene.particles.deformation = frame.deformation;
    return scene;
}

}  // namespace pliant
