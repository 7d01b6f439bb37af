// Draws a scene by tracing rays on the processor (Embree): soft key light, sky, soft shadows. Needs no display.
#pragma once

#include "pliant/output/image.h"
#include "pliant/output/render_scene.h"
#include "pliant/output/render_settings.h"

namespace pliant {

// The same scene and settings give the same bits at any number of threads.
// Throws InputError for a size or camera that cannot be drawn.
Image render(const RenderScene& scene, const RenderSettings& settings);

}  // namespace pliant
