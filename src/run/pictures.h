// Pictures and movies of a run folder's frames.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "pliant/output/image.h"
#include "pliant/output/render_scene.h"
#include "pliant/output/render_settings.h"
#include "pliant/run/run_folder.h"
#include "pliant/scene/scene.h"
#include "pliant/scene/skins.h"

namespace pliant {

// Draws frames of one run with one camera and one range of colours, so that they fit together.
class RunPainter {
public:
    // Settings default to the scene's [render].
    RunPainter(const RunFolder& folder, const std::optional<RenderSettings>& settings = std::nullopt);

    const Scene& scene() const { return scene_; }
    const std::vector<RunFolder::FrameFile>& frames() const { return frames_; }
    RenderSettings& settings() { return settings_; }

    Image paint(std::size_t index) const;  // of frames()

private:
    void look_over_frames();
    RenderMesh drawn_rigid(std::size_t index, const Placement& place) const;

    RunFolder folder_;
    Scene scene_;
    std::vector<RunFolder::FrameFile> frames_;
    RenderSettings settings_;
    Model model_;
    mutable BodySkins skins_;  // its working memory
    std::vector<TriangleMesh> rigid_meshes_;
    std::vector<Box> bounds_;
};

// A .png of one frame (the last by default), or an .mp4 of all, by the extension of `output`.
void render_run(const RunFolder& folder, const std::filesystem::path& output, const RenderSettings& settings,
                std::optional<int> frame, const std::function<void(int done, int all)>& on_progress);

}  // namespace pliant
