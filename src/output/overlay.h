// Words and scales drawn over a picture.
#pragma once

#include "pliant/output/image.h"
#include "pliant/output/render_scene.h"
#include "pliant/output/render_settings.h"

namespace pliant {

// The scene's title, stamp and colour bar, as far as the settings want them; sizes follow the picture's height.
void draw_overlays(Image& image, const RenderScene& scene, const RenderSettings& settings);

}  // namespace pliant
