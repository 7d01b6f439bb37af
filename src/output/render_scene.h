// What is drawn: balls or ellipsoids, meshes, planes, and the words and scale over them.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/output/camera.h"
#include "pliant/output/colour.h"
#include "pliant/output/particle_frame.h"
#include "pliant/output/render_settings.h"

namespace pliant {

// Balls, or with deformation the ellipsoids { centre + radius * F u : |u| = 1 }. A ball without a finite centre or a
// positive radius is not drawn; a flattened or non-finite F is drawn as a thin disc or a ball.
struct RenderParticles {
    std::vector<Eigen::Vector3f> centre;
    std::vector<float> radius;
    std::vector<Eigen::Matrix3f> deformation;  // empty: balls
    std::vector<Colour> colour;                // one a particle
};

struct RenderMesh {
    TriangleMesh mesh;
    Colour colour = Colour::Constant(0.6f);
    std::vector<Colour> vertex_colour;  // empty: `colour` all over
    float translucency = 0;             // 0: stone, 1: jelly, light from behind shines through
    bool is_clear = false;              // as water: what is in it and behind it is seen
    bool is_smooth = true;              // shade by vertex normals
};

// An infinite plane with a grid of squares that fades to the horizon; seen from its front only.
struct RenderPlane {
    Vec3 normal = Vec3::UnitY();
    Real offset = 0;  // the plane is normal . x = offset
};

struct ColourBar {
    std::string title;
    std::string unit;
    std::string map;
    double lowest = 0;
    double highest = 1;
};

struct RenderScene {
    RenderParticles particles;
    std::vector<RenderMesh> meshes;
    std::vector<RenderPlane> planes;
    std::vector<Box> bounds;  // what the camera is to frame, of all frames of a movie; empty: this scene's own
    std::string title;
    std::string stamp;
    std::optional<ColourBar> colour_bar;
};

// The scene of one frame in the settings' style and colours; the caller adds colliders, planes and bounds.
// Bodies without a colour of their own have one of the palette; the clear ones are so where they are surfaces.
// Throws InputError when colour_by names what the frame does not have, with the names it has.
RenderScene make_render_scene(const ParticleFrame& frame, const RenderSettings& settings,
                              std::span<const Colour> body_colours = {},
                              const std::set<std::uint16_t>& clear_bodies = {});

// The range that a frame's colours span when none is given: without the values that are not finite.
// For a movie take the union over frames, and give it as colour_range, so that colours mean the same throughout.
std::vector<double> colour_range(const ParticleFrame& frame, const std::string& colour_by);

}  // namespace pliant
