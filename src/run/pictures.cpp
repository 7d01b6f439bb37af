#include "pliant/run/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "pliant/base/error.h"
#include "pliant/output/movie.h"
#include "pliant/output/particle_format.h"
#include "pliant/output/renderer.h"
#include "pliant/run/rigid_files.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

constexpr std::uint32_t watery_blue = 0x3E9BD6;
constexpr std::size_t looked_over = 24;  // frames, spread over the run, that camera and colours are fitted to

Colour colour_from(const std::string& text, const Colour& otherwise) {
    if (text.size() != 7) return otherwise;
    return from_srgb(static_cast<std::uint32_t>(std::stoul(text.substr(1), nullptr, 16)));
}

// Bodies as the model numbers them: solid ones first, then liquids.
std::vector<Colour> body_colours(const Scene& scene) {
    std::vector<Colour> colours;
    for (const BodySettings& body : scene.bodies) {
        colours.push_back(colour_from(body.colour, palette_colour(colours.size())));
    }
    for (const FluidSettings& fluid : scene.fluids)
        colours.push_back(colour_from(fluid.colour, from_srgb(watery_blue)));
    return colours;
}

std::set<std::uint16_t> clear_bodies(const Scene& scene) {
    std::set<std::uint16_t> bodies;
    for (std::size_t k = 0; k < scene.fluids.size(); ++k) {
        if (scene.fluids[k].clear) bodies.insert(std::uint16_t(scene.bodies.size() + k));
    }
    return bodies;
}

RenderMesh drawn_collider(const Collider& collider, const ColliderSettings& settings, Real time) {
    const MovingPose pose = collider.pose(time);
    RenderMesh drawn;
    drawn.mesh = collider.shape().surface(0.02 * collider.shape().bounds().diagonal().norm());
    for (Vec3& vertex : drawn.mesh.vertices) vertex = pose.placement.to_world(vertex);
    drawn.colour = colour_from(settings.colour, Colour::Constant(0.55f));
    drawn.is_smooth = false;
    return drawn;
}

RenderPlane drawn_plane(const Collider& collider, Real time) {
    const MovingPose pose = collider.pose(time);
    const Vec3 normal = pose.placement.rotation * collider.shape().normal(Vec3::Zero());
    const Real offset = normal.dot(pose.placement.position) - collider.shape().distance(Vec3::Zero());
    return {normal, offset};
}

Model model_of(const Scene& scene) {
    std::vector<std::string> ignored;
    return build_model(scene, ignored);
}

// Bodies with a skin are drawn by it, and their particles are not.
void draw_skins(RenderScene& drawn, const ParticleFrame& frame, const std::vector<BodySkin>& skins,
                const std::vector<Colour>& colours) {
    for (const BodySkin& skin : skins) {
        RenderMesh mesh;
        mesh.mesh = skin.mesh;
        mesh.colour = colours[skin.body];
        drawn.meshes.push_back(std::move(mesh));
        for (std::size_t i = 0; i < frame.size(); ++i) {
            if (frame.body[i] == skin.body) drawn.particles.radius[i] = 0;
        }
    }
}

}  // namespace

RunPainter::RunPainter(const RunFolder& folder, const std::optional<RenderSettings>& settings)
    : folder_(folder),
      scene_(read_scene(folder.scene())),
      frames_(folder.frame_files()),
      settings_(settings ? *settings : scene_.render),
      model_(model_of(scene_)),
      skins_(model_) {
    for (const RigidModel& rigid : model_.rigids) rigid_meshes_.push_back(rigid_surface(rigid));
    look_over_frames();
}

void RunPainter::look_over_frames() {
    const std::size_t stride = std::max<std::size_t>(1, frames_.size() / looked_over);
    const bool by_quantity = settings_.colour_by != "body" && settings_.colour_by != "material";
    std::vector<double> range;
    for (std::size_t i = 0; i < frames_.size(); i += stride) {
        const ParticleFrame frame = particle_format_of(frames_[i].path).read(frames_[i].path);
        bounds_.push_back(frame.bounds());
        const std::vector<Placement> poses = rigid_poses_of(folder_, frames_[i].number, model_);
        for (std::size_t r = 0; r < poses.size(); ++r) bounds_.push_back(drawn_rigid(r, poses[r]).mesh.bounds());
        if (!by_quantity || !settings_.colour_range.empty()) continue;
        const std::vector<double> own = colour_range(frame, settings_.colour_by);
        if (own.size() != 2) continue;
        if (range.empty()) range = own;
        range = {std::min(range[0], own[0]), std::max(range[1], own[1])};
    }
    if (settings_.colour_range.empty()) settings_.colour_range = range;
    for (std::size_t i = 0; i < model_.colliders.size(); ++i) {
        if (!scene_.colliders[i].visible || !model_.colliders[i].shape().is_bounded()) continue;
        const TriangleMesh mesh = drawn_collider(model_.colliders[i], scene_.colliders[i], 0).mesh;
        bounds_.push_back(mesh.bounds());
    }
}

RenderMesh RunPainter::drawn_rigid(std::size_t index, const Placement& place) const {
    RenderMesh drawn;
    drawn.mesh = placed_mesh(rigid_meshes_[index], place);
    drawn.colour = colour_from(scene_.rigids[index].colour, Colour::Constant(0.55f));
    drawn.is_smooth = false;
    return drawn;
}

Image RunPainter::paint(std::size_t index) const {
    const ParticleFrame frame = particle_format_of(frames_[index].path).read(frames_[index].path);
    const std::vector<Colour> colours = body_colours(scene_);
    RenderScene drawn = make_render_scene(frame, settings_, colours, clear_bodies(scene_));
    if (settings_.style == "skin" && settings_.colour_by == "body") draw_skins(drawn, frame, skins_.at(frame), colours);
    drawn.bounds = bounds_;
    const std::vector<Placement> poses = rigid_poses_of(folder_, frames_[index].number, model_);
    for (std::size_t r = 0; r < poses.size(); ++r) drawn.meshes.push_back(drawn_rigid(r, poses[r]));
    for (std::size_t i = 0; i < model_.colliders.size(); ++i) {
        if (!scene_.colliders[i].visible) continue;
        if (model_.colliders[i].shape().is_bounded()) {
            drawn.meshes.push_back(drawn_collider(model_.colliders[i], scene_.colliders[i], frame.time));
        } else {
            drawn.planes.push_back(drawn_plane(model_.colliders[i], frame.time));
        }
    }
    return render(drawn, settings_);
}

void render_run(const RunFolder& folder, const std::filesystem::path& output, const RenderSettings& settings,
                std::optional<int> frame, const std::function<void(int, int)>& on_progress) {
    const RunPainter painter(folder, settings);
    const auto& frames = painter.frames();
    if (frames.empty()) {
        throw InputError(fmt::format("{}: holds no frames to draw. Run the scene with output.particles = true first",
                                     folder.path().string()));
    }
    if (output.extension() == ".png") {
        std::size_t index = frames.size() - 1;
        if (frame) {
            const auto found =
                std::find_if(frames.begin(), frames.end(), [&](const auto& f) { return f.number == *frame; });
            if (found == frames.end()) {
                throw InputError(fmt::format("{}: has no frame {}; the last is {}", folder.path().string(), *frame,
                                             frames.back().number));
            }
            index = static_cast<std::size_t>(found - frames.begin());
        }
        write_png(output, painter.paint(index));
        return;
    }
    if (output.extension() != ".mp4") {
        throw InputError(fmt::format("{}: pictures end in .png and movies in .mp4", output.string()));
    }
    MovieSettings movie;
    movie.fps = painter.scene().simulation.fps;
    MovieWriter writer(output, movie);
    for (std::size_t i = 0; i < frames.size(); ++i) {
        writer.add(painter.paint(i));
        if (on_progress) on_progress(static_cast<int>(i + 1), static_cast<int>(frames.size()));
    }
    writer.finish();
}

}  // namespace pliant
