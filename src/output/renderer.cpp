#include "pliant/output/renderer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/output/film.h"
#include "pliant/output/floor_pattern.h"
#include "pliant/output/overlay.h"
#include "pliant/output/ray_scene.h"
#include "pliant/output/sampling.h"
#include "pliant/output/shading.h"
#include "pliant/output/studio.h"

namespace pliant {

namespace {

constexpr int tile_size = 16;
constexpr int most_pixels = 1 << 26;
constexpr int first_samples = 2;  // of every pixel; then it is seen which ones need more

// The rays of a camera, in picture units.
class Lens {
public:
    Lens(const Camera& camera, const Vec3& centre, Real scale, int width, int height)
        : origin_((scale * (camera.position - centre)).cast<float>()), width_(width), height_(height) {
        const CameraAxes axes = camera_axes(camera);
        pixel_angle_ = float(2 * std::tan(camera.field_of_view * pi / 360) / height);
        right_ = pixel_angle_ * axes.right.cast<float>();
        up_ = pixel_angle_ * axes.up.cast<float>();
        forward_ = axes.forward.cast<float>();
    }

    Ray ray(float x, float y) const {
        const float across = x - 0.5f * float(width_), upwards = 0.5f * float(height_) - y;
        return {origin_, (forward_ + across * right_ + upwards * up_).normalized()};
    }
    float pixel_angle() const { return pixel_angle_; }

private:
    Eigen::Vector3f origin_, right_, up_, forward_;
    float pixel_angle_;
    int width_, height_;
};

// Runs body(x, y) for all pixels, tile by tile.
template <class Body>
void for_each_pixel(const Film& film, Body&& body) {
    const int columns = (film.width() + tile_size - 1) / tile_size, rows = (film.height() + tile_size - 1) / tile_size;
    const auto draw_tile = [&](std::size_t tile) {
        const int x0 = int(tile) % columns * tile_size, y0 = int(tile) / columns * tile_size;
        for (int y = y0; y < std::min(y0 + tile_size, film.height()); ++y) {
            for (int x = x0; x < std::min(x0 + tile_size, film.width()); ++x) body(x, y);
        }
    };
    parallel_for(std::size_t(columns) * std::size_t(rows), draw_tile, 1);
}

void add_samples(Film& film, const Shading& shading, const Lens& lens, int x, int y, int begin, int end) {
    const PixelSamples samples(x, y);
    for (int s = begin; s < end; ++s) {
        const Eigen::Vector2f jitter = samples.pair(s, 0);
        const Ray ray = lens.ray(float(x) + 0.5f + tent_offset(jitter[0]), float(y) + 0.5f + tent_offset(jitter[1]));
        film.add(x, y, shading.along(ray, lens.pixel_angle(), samples, s));
    }
}

Box framing_of(const RenderScene& scene, double radius_scale) {
    if (!scene.bounds.empty()) return framed_box(scene.bounds);
    std::vector<Box> boxes;
    Box particles;
    for (std::size_t i = 0; i < scene.particles.centre.size(); ++i) {
        const Vec3 c = scene.particles.centre[i].cast<Real>();
        const Real r = radius_scale * Real(scene.particles.radius[i]);
        if (c.allFinite() && r > 0 && std::isfinite(r))
            particles.extend(Box(c - Vec3::Constant(r), c + Vec3::Constant(r)));
    }
    boxes.push_back(particles);
    for (const RenderMesh& mesh : scene.meshes) boxes.push_back(mesh.mesh.bounds());
    return framed_box(boxes);
}

Camera camera_of(const RenderSettings& settings, const Box& box) {
    const Real aspect = Real(settings.width) / settings.height;
    Camera camera = framing_camera(box, aspect, settings.field_of_view, settings.camera_up);
    if (settings.camera_target) {
        camera.position += *settings.camera_target - camera.target;
        camera.target = *settings.camera_target;
    }
    if (settings.camera_position) {
        camera.position = *settings.camera_position;
        if (!settings.camera_target) camera.target = box.center();
    }
    return camera;
}

void check(const RenderScene& scene, const RenderSettings& settings) {
    const bool has_size =
        settings.width >= 1 && settings.height >= 1 && settings.width <= most_pixels / settings.height;
    if (!has_size) {
        throw InputError(
            fmt::format("a picture cannot have {} x {} pixels; choose at least 1 x 1 and at most {} in all",
                        settings.width, settings.height, most_pixels));
    }
    const bool has_view = settings.field_of_view > 0 && settings.field_of_view < 180 &&
                          settings.camera_up.allFinite() &&
                          (!settings.camera_position || settings.camera_position->allFinite()) &&
                          (!settings.camera_target || settings.camera_target->allFinite());
    if (!has_view) throw InputError("the camera is not finite, or its field of view not between 0 and 180 degrees");
    const RenderParticles& p = scene.particles;
    const bool has_lengths = p.radius.size() == p.centre.size() && p.colour.size() == p.centre.size() &&
                             (p.deformation.empty() || p.deformation.size() == p.centre.size());
    if (!has_lengths) throw InputError("the particles to draw have arrays of different lengths");
    for (const RenderMesh& mesh : scene.meshes) {
        const int vertices = static_cast<int>(mesh.mesh.vertices.size());
        bool is_whole = mesh.vertex_colour.empty() || mesh.vertex_colour.size() == mesh.mesh.vertices.size();
        for (const auto& triangle : mesh.mesh.triangles) {
            for (const int corner : triangle) is_whole = is_whole && corner >= 0 && corner < vertices;
        }
        if (!is_whole) throw InputError("a mesh to draw has corners or colours that do not fit its vertices");
    }
}

}  // namespace

Image render(const RenderScene& scene, const RenderSettings& settings) {
    check(scene, settings);
    const Box box = framing_of(scene, settings.radius_scale);
    const Vec3 centre = box.center();
    const Real scale = 2 / box.diagonal().norm();
    const Camera camera = camera_of(settings, box);
    const RayScene rays(scene, centre, scale, settings.radius_scale);
    const Studio studio(camera_axes(camera), camera.up.cast<float>());
    std::vector<FloorPattern> floors;
    if (settings.ground) {
        for (const RenderPlane& plane : scene.planes) {
            const bool is_plane = plane.normal.allFinite() && plane.normal.norm() > 0 && std::isfinite(plane.offset);
            if (is_plane) floors.emplace_back(plane, centre, scale);
        }
    }
    const Shading shading(rays, studio, floors);
    const Lens lens(camera, centre, scale, settings.width, settings.height);

    Film film(settings.width, settings.height);
    for_each_pixel(film, [&](int x, int y) { add_samples(film, shading, lens, x, y, 0, first_samples); });
    std::vector<char> is_uneven(std::size_t(settings.width) * std::size_t(settings.height));
    const auto place = [&](int x, int y) { return std::size_t(y) * std::size_t(settings.width) + std::size_t(x); };
    for_each_pixel(film, [&](int x, int y) { is_uneven[place(x, y)] = film.needs_more(x, y); });
    for_each_pixel(film, [&](int x, int y) {
        if (is_uneven[place(x, y)]) add_samples(film, shading, lens, x, y, first_samples, settings.samples);
    });
    film.filter_light();
    Image image = film.develop();
    draw_title(image, scene.title);
    if (settings.stamp) draw_stamp(image, scene.stamp);
    if (settings.stamp && !floors.empty())
        draw_scale_note(image, fmt::format("grid {:g} m", FloorPattern::square_size(scale)));
    if (settings.colour_bar && scene.colour_bar) draw_colour_bar(image, *scene.colour_bar);
    return image;
}

}  // namespace pliant
