// Rigs as files: .toml to read and to write by hand, .rig to keep many vertices in little room. docs/rig-files.md
// describes both.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pliant/methods/oriented/rig.h"

namespace pliant {

// Everything that is wrong with the file comes out as one InputError, a line each: of a .toml with line and column.
Rig read_rig(const std::filesystem::path& path);

// What is read back is equal to the bit. An old file is replaced, once the new one is whole. A rig that has problems is
// an InputError.
void write_rig(const std::filesystem::path& path, const Rig& rig);

// InputError unless the name ends in .toml or .rig.
void require_rig_name(const std::filesystem::path& path);

// Reading and writing .toml in memory. Messages call it `name`; a skin's mesh is looked for from `folder`.
Rig parse_rig(std::string_view text, const std::string& name, const std::filesystem::path& folder);
std::string rig_text(const Rig& rig);

}  // namespace pliant
