#include "pliant/output/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant {

namespace {

// Stops of a colour map at even distances.
struct ColourMap {
    const char* name;
    std::vector<std::uint32_t> stops;
};

const std::vector<ColourMap>& colour_maps() {
    // Chosen in OKLab: lightness in even steps, hue along a smooth path, chroma within sRGB.
    static const std::vector<ColourMap> maps = {
        {"dusk", {0x2A1A5E}},
    };
    return maps;
}

}  // namespace
}  // namespace pliant
