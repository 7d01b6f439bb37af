#include "pliant/output/render_scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "output/sample_frames.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

TEST(RenderScenes, ColourBodiesByThePalette) {
    ParticleFrame frame = full_frame(3);
    frame.body = {0, 1, 0};
    const RenderScene scene = make_render_scene(frame, {});
    EXPECT_EQ(scene.particles.colour[1], palette_colour(1));
    EXPECT_EQ(scene.particles.colour[2], palette_colour(0));
    EXPECT_FALSE(scene.colour_bar);
    const std::vector<Colour> own = {Colour(1, 0, 0)};
    const RenderScene painted = make_render_scene(frame, {}, own);
    EXPECT_EQ(painted.particles.colour[0], own[0]);
    EXPECT_EQ(painted.particles.colour[1], palette_colour(1)) << "bodies without a colour of their own";
}

TEST(RenderScenes, ColourAQuantityByTheMapAndExplainIt) {
    const ParticleFrame frame = full_frame(11);
    RenderSettings settings;
    settings.colour_by = "stress";
    const RenderScene scene = make_render_scene(frame, settings);
    ASSERT_TRUE(scene.colour_bar);
    EXPECT_EQ(scene.colour_bar->unit, "Pa");
    EXPECT_EQ(scene.colour_bar->highest, 1e6);
    EXPECT_EQ(scene.particles.colour[0], ColourMap("dusk").at(0));
    EXPECT_EQ(scene.particles.colour[10], ColourMap("dusk").at(1));
    settings.colour_range = {0, 2e6};
    EXPECT_TRUE(make_render_scene(frame, settings).particles.colour[10].isApprox(ColourMap("dusk").at(0.5)));
}

TEST(RenderScenes, DeriveTheSpeed) {
    ParticleFrame frame = full_frame(2);
    frame.velocity = {{3, 0, 4}, {0, 0, 0}};
    EXPECT_EQ(colour_range(frame, "speed"), (std::vector<double>{0, 5}));
    EXPECT_TRUE(colour_range(frame, "body").empty());
}

TEST(RenderScenes, IgnoreValuesThatAreNotFiniteInTheRange) {
    ParticleFrame frame = full_frame(3);
    frame.quantities[0].values = {NAN, 2, INFINITY};
    EXPECT_EQ(colour_range(frame, "stress"), (std::vector<double>{2, 2}));
    frame.quantities[0].values = {NAN, NAN, NAN};
    EXPECT_EQ(colour_range(frame, "stress"), (std::vector<double>{0, 1}));
    RenderSettings settings;
    settings.colour_by = "stress";
    EXPECT_TRUE(make_render_scene(frame, settings).particles.colour[0].allFinite());
}

TEST(RenderScenes, NameWhatTheyCanBeColouredBy) {
    RenderSettings settings;
    settings.colour_by = "pressure";
    try {
        make_render_scene(full_frame(2), settings);
        FAIL() << "there is no pressure";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("plastic_strain"), std::string::npos) << error.what();
    }
    settings.colour_by = "stress";
    settings.colour_range = {1, 0};
    EXPECT_THROW(make_render_scene(full_frame(2), settings), InputError);
}

TEST(RenderScenes, FollowTheStyle) {
    const ParticleFrame frame = full_frame(20);
    RenderSettings settings;
    settings.style = "spheres";
    EXPECT_TRUE(make_render_scene(frame, settings).particles.deformation.empty());
    settings.style = "ellipsoids";
    EXPECT_EQ(make_render_scene(frame, settings).particles.deformation.size(), 20u);
    settings.style = "surface";
    settings.colour_by = "stress";
    const RenderScene scene = make_render_scene(frame, settings);
    EXPECT_TRUE(scene.particles.centre.empty());
    ASSERT_EQ(scene.meshes.size(), 3u) << "one a body";
    for (const RenderMesh& mesh : scene.meshes) {
        EXPECT_GT(mesh.mesh.triangles.size(), 0u);
        EXPECT_EQ(mesh.vertex_colour.size(), mesh.mesh.vertices.size());
    }
}

TEST(RenderScenes, DrawClearBodiesAsSuchWhereTheyHaveTheirOwnColour) {
    const ParticleFrame frame = full_frame(20);
    RenderSettings settings;
    settings.style = "surface";
    const RenderScene scene = make_render_scene(frame, settings, {}, {65534});
    ASSERT_EQ(scene.meshes.size(), 3u);
    for (std::size_t body = 0; body < 3; ++body) EXPECT_EQ(scene.meshes[body].is_clear, body == 1) << body;
    settings.colour_by = "stress";  // numbers are to be read off the surface
    EXPECT_FALSE(make_render_scene(frame, settings, {}, {65534}).meshes[1].is_clear);
}

TEST(RenderSettings, AreAllInTheirTable) {
    RenderSettings settings;
    for (const Field& field : RenderSettings::fields()) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        field.set(&settings, field.get(&settings));
    }
    EXPECT_EQ(settings.width, 1280);
    EXPECT_FALSE(settings.camera_position);
}

}  // namespace
}  // namespace pliant
