// Words and scales drawn over a picture. Sizes follow the picture's height.
#pragma once

#include <string>

#include "pliant/output/image.h"
#include "pliant/output/render_scene.h"

namespace pliant {

void draw_title(Image& image, const std::string& title);      // top left
void draw_stamp(Image& image, const std::string& stamp);      // bottom left
void draw_scale_note(Image& image, const std::string& note);  // bottom right
void draw_colour_bar(Image& image, const ColourBar& bar);     // at the right, with ticks, title and unit

}  // namespace pliant
