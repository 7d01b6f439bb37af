#include "pliant/output/render_settings.h"

#include "pliant/output/colour.h"

namespace pliant {

const FieldTable& RenderSettings::fields() {
    using S = RenderSettings;
    static const FieldTable table = {
        field("width", &S::width, "", "columns of the picture").at_least(16).at_most(16384),
        field("height", &S::height, "", "rows of the picture").at_least(16).at_most(16384),
        field("samples", &S::samples, "", "rays a pixel at most; even pixels stop sooner").at_least(1).at_most(4096),
        field(
            "style", &S::style, "",
            "how bodies are drawn. skin: by their skin if they have one, else as ellipsoids; surface: around particles")
            .one_of({"skin", "spheres", "ellipsoids", "surface"}),
        field("radius_scale", &S::radius_scale, "", "size of the drawn balls, of their radius").above(0).at_most(100),
        field("colour_by", &S::colour_by, "", "body, material, speed, or the name of a quantity"),
        field("colour_range", &S::colour_range, "", "lowest and highest value of the colours; empty: from the frame"),
        field("colour_map", &S::colour_map, "", "colours of a quantity").one_of(ColourMap::names()),
        field("camera_position", &S::camera_position, "m", "where the camera stands; unset: it frames the scene"),
        field("camera_target", &S::camera_target, "m", "what it looks at; unset: the middle of the scene"),
        field("camera_up", &S::camera_up, "", "the direction that is up in the picture"),
        field("field_of_view", &S::field_of_view, "degrees", "vertical angle of the view").at_least(1).at_most(150),
        field("ground", &S::ground, "", "draw planes"),
        field("colour_bar", &S::colour_bar, "", "draw the scale of the colours"),
        field("stamp", &S::stamp, "", "draw the time in a corner"),
        field("title", &S::title, "", "words at the top"),
    };
    return table;
}

}  // namespace pliant
