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
    int samples = 16;                     // a pixel, at most; even pixels stop sooner
    std::string style = "ellipsoids";     // spheres, ellipsoids (radius * F), surface
    double radius_scale = 1;              // of the drawn balls
    std::string colour_by = "body";       // body, material, speed, or the name of a quantity
    std::vector<double> colour_range;     // lowest and highest; empty: from the frame
    std::string colour_map = "dusk";      // see colour_map_names()
    std::optional<Vec3> camera_position;  // unset: framing_camera
    std::optional<Vec3> camera_target;    // unset: the middle of the scene
    double field_of_view = 30;            // vertical, degrees
    bool ground = true;                   // draw the ground plane
    bool colour_bar = true;               // when coloured by a quantity
    bool stamp = true;                    // the time, in a corner
    std::string title;

    static const FieldTable& fields();
};

}  // namespace pliant
