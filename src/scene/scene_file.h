// Scene files: TOML in, TOML out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/scene/scene.h"

namespace pliant {

// Everything that is wrong with a scene, a line each: "scene.toml:12:9: body.bear.spacing: ...".
class SceneError : public InputError {
public:
    SceneError(std::vector<std::string> lines, std::source_location place = std::source_location::current());
    const std::vector<std::string>& lines() const { return lines_; }

private:
    std::vector<std::string> lines_;
};

// `changes` are "key=value" pairs as of --set: "simulation.method=mls", "body.bear.spacing=0.01",
// "body.0.spacing=0.01", "body.*.spacing=0.01" for all of them.
Scene read_scene(const std::filesystem::path& file, const std::vector<std::string>& changes = {});
Scene parse_scene(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const std::vector<std::string>& changes = {});

// All values, those that were left to their defaults too. Reading it again gives the same scene.
std::string to_toml(const Scene& scene);

}  // namespace pliant
