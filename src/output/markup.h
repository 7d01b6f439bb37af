// Text made safe to stand in XML and HTML.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pliant {

// <, >, &, " and ' become entities, control characters but tab and newline become U+FFFD, and so do bytes that are not
// UTF-8; for text and quoted attributes.
std::string escape_markup(std::string_view text);

std::string base64(std::span<const std::byte> bytes);

}  // namespace pliant
