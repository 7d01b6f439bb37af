// How a picture is drawn: size, quality, view, colours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct RenderSettings {
    int width = 1280;
    int height = 720;
    int samples = 8;
    std::string style = "skin";
    double radius_scale = 1;
    std::string colour_by = "body";
    std::vector<double> colour_range;
    std::string colour_map = "dusk";
    std::optional<Vec3> camera_position;
    std::optional<Vec3> camera_target;
    Vec3 camera_up = Vec3::UnitY();
    double field_of_view = 30;
    bool ground = true;
    bool colour_bar = true;
    bool stamp = true;
    std::string title;

    static const FieldTable& fields();
};

}  // namespace pliant
