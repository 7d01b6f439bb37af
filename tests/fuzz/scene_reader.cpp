// Any bytes are a scene or a SceneError; nothing else may happen. A scene that reads can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pliant/scene/scene_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const pliant::Scene scene = pliant::parse_scene(text, "fuzz.toml", ".");
        const std::string once = pliant::to_toml(scene);
        if (pliant::to_toml(pliant::parse_scene(once, "again.toml", ".")) != once) std::abort();
    } catch (const pliant::SceneError&) {
    }
    return 0;
}
