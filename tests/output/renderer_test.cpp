#include "pliant/output/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "output/sample_frames.h"
#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

RenderSettings small_picture() {
    RenderSettings settings;
    settings.width = 160;
    settings.height = 90;
    settings.samples = 4;
    settings.stamp = false;
    return settings;
}

RenderScene balls(const std::vector<Eigen::Vector3f>& centres, float radius, const Colour& colour) {
    RenderScene scene;
    scene.particles.centre = centres;
    scene.particles.radius.assign(centres.size(), radius);
    scene.particles.colour.assign(centres.size(), colour);
    scene.bounds = {Box(Vec3::Constant(-1), Vec3::Constant(1))};
    return scene;
}

RenderMesh box_mesh(const Box& box) {
    RenderMesh result;
    for (int corner = 0; corner < 8; ++corner) {
        result.mesh.vertices.push_back(box.corner(static_cast<Box::CornerType>(corner)));
    }
    result.mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                             {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    result.is_smooth = false;
    return result;
}

// Looking straight along -z, so that the picture's axes are those of the scene.
RenderSettings front_view() {
    RenderSettings settings = small_picture();
    settings.camera_position = Vec3(0, 0, 10);
    settings.camera_target = Vec3::Zero();
    return settings;
}

int brightness(const Image& image, int x, int y) {
    const std::uint8_t* p = image.pixel(x, y);
    return p[0] + p[1] + p[2];
}

bool is_red(const Image& image, int x, int y) {
    const std::uint8_t* p = image.pixel(x, y);
    return p[0] > p[1] + 40 && p[0] > p[2] + 40;
}

TEST(Renderer, DrawsABallWhereItIs) {
    // At distance 10 and 30 degrees the picture is 5.36 m high: a pixel is 5.95 cm.
    const Image image = render(balls({{1, 0.5f, 0}}, 0.3f, {0.8f, 0.05f, 0.05f}), front_view());
    const int x = 80 + int(1 / 0.0595), y = 45 - int(0.5 / 0.0595);
    EXPECT_TRUE(is_red(image, x, y));
    EXPECT_TRUE(is_red(image, x - 3, y + 2));
    EXPECT_FALSE(is_red(image, x + 8, y));
    EXPECT_FALSE(is_red(image, 160 - x, y));
    EXPECT_FALSE(is_red(image, x, 90 - y));
}

TEST(Renderer, GivesTheSameBitsAtAnyNumberOfThreads) {
    RenderScene scene = balls({}, 0, Colour::Zero());
    for (int i = 0; i < 3000; ++i) {
        const int k = i % 1000;  // three of different colours in each place
        scene.particles.centre.emplace_back(0.2f * float(k % 10 - 5), 0.2f * float(k / 10 % 10 - 5),
                                            0.2f * float(k / 100 - 5));
        scene.particles.radius.push_back(0.15f);
        scene.particles.colour.push_back(palette_colour(std::size_t(i / 1000)));
    }
    scene.planes.push_back({Vec3::UnitY(), -1.2});
    scene.meshes.push_back(box_mesh(Box(Vec3(1, -1.2, 0), Vec3(1.5, 0, 1))));
    Image expected;
    for (const int count : {1, 2, 5}) {
        Image image;
        Threads(count).run([&] { image = render(scene, small_picture()); });
        if (expected.rgb.empty()) expected = image;
        EXPECT_EQ(image.rgb, expected.rgb) << count << " threads";
    }
}

TEST(Renderer, CastsAShadowOnTheFloor) {
    RenderSettings settings = small_picture();
    settings.camera_position = Vec3(0, 10, 0.01);
    settings.camera_target = Vec3::Zero();
    settings.samples = 8;
    RenderScene scene = balls({}, 0, Colour::Zero());
    scene.planes.push_back({Vec3::UnitY(), 0});
    const Image open = render(scene, settings);
    scene.particles = balls({{0, 0.5f, 0}}, 0.5f, Colour::Ones()).particles;
    const Image shadowed = render(scene, settings);
    int darker = 0;
    for (int y = 0; y < 90; ++y) {
        for (int x = 0; x < 160; ++x) darker += brightness(shadowed, x, y) < brightness(open, x, y) - 100;
    }
    EXPECT_GT(darker, 40);
    EXPECT_LT(darker, 2000);
}

TEST(Renderer, DrawsEllipsoidsStretched) {
    RenderScene scene = balls({{0, 0, 0}}, 0.4f, {0.8f, 0.05f, 0.05f});
    scene.particles.deformation = {Eigen::Vector3f(2, 0.5f, 1).asDiagonal()};
    const Image image = render(scene, front_view());
    EXPECT_TRUE(is_red(image, 80 + 11, 45)) << "0.65 m to the right: inside, half the width is 0.8 m";
    EXPECT_FALSE(is_red(image, 80, 45 - 5)) << "0.3 m up: outside, half the height is 0.2 m";
}

TEST(Renderer, DrawsMeshesFromBothSides) {
    RenderScene scene = balls({}, 0, Colour::Zero());
    scene.meshes.push_back(box_mesh(Box(Vec3::Constant(-0.5), Vec3::Constant(0.5))));
    scene.meshes[0].colour = {0.8f, 0.05f, 0.05f};
    EXPECT_TRUE(is_red(render(scene, front_view()), 80, 45));
    for (auto& triangle : scene.meshes[0].mesh.triangles) std::swap(triangle[0], triangle[1]);
    EXPECT_TRUE(is_red(render(scene, front_view()), 80, 45));
}

TEST(Renderer, ShowsWhatIsInAClearLiquid) {
    RenderScene scene = balls({{0, 0, 0}}, 0.4f, {0.8f, 0.05f, 0.05f});
    scene.meshes = {box_mesh(Box(Vec3::Constant(-1), Vec3::Constant(1)))};
    scene.meshes[0].colour = {0.1f, 0.4f, 0.7f};
    EXPECT_FALSE(is_red(render(scene, front_view()), 80, 45));
    scene.meshes[0].is_clear = true;
    EXPECT_TRUE(is_red(render(scene, front_view()), 80, 45));
}

TEST(Renderer, TintsWhatIsSeenThroughAClearLiquidByItsColour) {
    const auto green_to_red = [](double depth) {
        RenderScene scene = balls({{0, 0, -1.5f}}, 0.5f, {0.7f, 0.7f, 0.7f});
        scene.meshes = {box_mesh(Box(Vec3(-1, -1, 0), Vec3(1, 1, depth)))};
        scene.meshes[0].colour = {0.1f, 0.7f, 0.7f};
        scene.meshes[0].is_clear = true;
        const Image image = render(scene, front_view());
        const std::uint8_t* p = image.pixel(80, 45);
        return double(p[1]) / p[0];
    };
    EXPECT_LT(green_to_red(0.05), 1.15);
    EXPECT_GT(green_to_red(1), 1.3 * green_to_red(0.05));  // deeper, the thicker it is
}

TEST(Renderer, LetsLightPassClearLiquids) {
    RenderScene scene;
    scene.meshes = {box_mesh(Box(Vec3(-1, 0.2, -1), Vec3(1, 2, 1)))};
    scene.planes = {RenderPlane{}};
    scene.bounds = {Box(Vec3(-3, 0, -3), Vec3(3, 2, 3))};
    const auto darkest = [&] {
        const Image image = render(scene, small_picture());
        int least = 3 * 255;
        for (int y = 20; y < 90; ++y) {
            for (int x = 0; x < 160; ++x) least = std::min(least, brightness(image, x, y));
        }
        return least;
    };
    scene.meshes[0].colour = Colour::Ones();  // tints nothing
    const int shadow = darkest();
    scene.meshes[0].is_clear = true;
    EXPECT_GT(darkest(), shadow + 60);
}

TEST(Renderer, SeesPlanesFromTheirFrontOnly) {
    RenderScene scene = balls({{0, 0, 0}}, 0.3f, {0.8f, 0.05f, 0.05f});
    scene.planes.push_back({Vec3::UnitZ(), 2});  // between ball and camera, facing the camera
    EXPECT_FALSE(is_red(render(scene, front_view()), 80, 45));
    scene.planes[0] = {-Vec3::UnitZ(), -2};
    EXPECT_TRUE(is_red(render(scene, front_view()), 80, 45));
    scene.planes[0] = {Vec3::Zero(), 0};  // no plane at all
    EXPECT_TRUE(is_red(render(scene, front_view()), 80, 45));
}

TEST(Renderer, LeavesOutWhatCannotBeDrawn) {
    RenderScene good = balls({{0, 0, 0}}, 0.3f, {0.8f, 0.05f, 0.05f}), bad = good;
    for (const float x : {NAN, INFINITY, 1e30f}) {
        bad.particles.centre.emplace_back(x, 0, 0);
        bad.particles.radius.push_back(0.3f);
        bad.particles.colour.push_back(Colour::Ones());
    }
    for (const float r : {0.0f, -1.0f, NAN, INFINITY}) {
        bad.particles.centre.emplace_back(0, 0, 0);
        bad.particles.radius.push_back(r);
        bad.particles.colour.push_back(Colour::Ones());
    }
    RenderMesh broken = box_mesh(Box(Vec3::Constant(-9), Vec3::Constant(9)));
    for (Vec3& vertex : broken.mesh.vertices) vertex = Vec3::Constant(std::nan(""));
    bad.meshes.push_back(broken);
    EXPECT_EQ(render(bad, front_view()).rgb, render(good, front_view()).rgb);
}

TEST(Renderer, DrawsAnEmptyScene) {
    const Image image = render(RenderScene(), small_picture());
    EXPECT_EQ(image.rgb.size(), 3u * 160 * 90);
    EXPECT_GT(brightness(image, 80, 45), 400) << "the pale backdrop";
}

TEST(Renderer, LooksTheSameInMillimetresAndKilometres) {
    const auto scaled = [](float scale) {
        RenderScene scene = balls({{0.3f * scale, 0.2f * scale, 0}}, 0.3f * scale, {0.8f, 0.05f, 0.05f});
        scene.bounds = {Box(Vec3::Constant(-Real(scale)), Vec3::Constant(Real(scale)))};
        return render(scene, small_picture());
    };
    const Image metres = scaled(1);
    EXPECT_EQ(scaled(0x1p-10f).rgb, metres.rgb);
    EXPECT_EQ(scaled(0x1p10f).rgb, metres.rgb);
}

TEST(Renderer, DrawsTitleStampAndColourBar) {
    RenderScene scene = balls({{0, 0, 0}}, 0.3f, {0.8f, 0.05f, 0.05f});
    RenderSettings settings = small_picture();
    const Image plain = render(scene, settings);
    scene.title = "title";
    const Image titled = render(scene, settings);
    EXPECT_NE(titled.rgb, plain.rgb);
    settings.stamp = true;
    scene.stamp = "1 s";
    const Image stamped = render(scene, settings);
    EXPECT_NE(stamped.rgb, titled.rgb);
    scene.colour_bar = ColourBar{"stress", "Pa", "dusk", 0, 1e5};
    const Image barred = render(scene, settings);
    EXPECT_NE(barred.rgb, stamped.rgb);
    scene.colour_bar->highest = scene.colour_bar->lowest = NAN;
    EXPECT_NO_THROW(render(scene, settings));
}

TEST(Renderer, RefusesImpossibleSettings) {
    RenderSettings settings = small_picture();
    settings.width = 0;
    EXPECT_THROW(render(RenderScene(), settings), InputError);
    settings = small_picture();
    settings.field_of_view = 180;
    EXPECT_THROW(render(RenderScene(), settings), InputError);
    settings = small_picture();
    settings.camera_position = Vec3(NAN, 0, 0);
    EXPECT_THROW(render(RenderScene(), settings), InputError);
}

TEST(Renderer, RefusesScenesWhoseArraysDoNotFit) {
    RenderScene scene = balls({{0, 0, 0}}, 1, Colour::Ones());
    scene.particles.colour.clear();
    EXPECT_THROW(render(scene, small_picture()), InputError);
    scene = RenderScene();
    scene.meshes.push_back(box_mesh(Box(Vec3::Zero(), Vec3::Ones())));
    scene.meshes[0].mesh.triangles[3][1] = 8;
    EXPECT_THROW(render(scene, small_picture()), InputError);
}

}  // namespace
}  // namespace pliant
