// Any bytes, read as a rig, are a rig in which every number can be trusted, or an InputError. A rig that reads can be
// written and read again. The skin's mesh is looked for in a folder that holds nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pliant/base/error.h"
#include "pliant/methods/oriented/rig_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const pliant::Rig rig = pliant::parse_rig(text, "fuzz.toml", "/nowhere");
        const std::string once = pliant::rig_text(rig);
        if (pliant::rig_text(pliant::parse_rig(once, "again.toml", "/nowhere")) != once) std::abort();
    } catch (const pliant::InputError&) {
    }
    return 0;
}
