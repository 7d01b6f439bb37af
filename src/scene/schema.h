// Every setting of a scene file, made from the field tables.
#pragma once

#include <string>

namespace pliant {

std::string schema_markdown();  // docs/scene-reference.md
std::string schema_json();

}  // namespace pliant
