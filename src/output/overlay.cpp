#include "pliant/output/overlay.h"
namespace pliant {
void draw_overlays(Image&, const RenderScene&, const RenderSettings&) {}
}  // namespace pliant
