#include "pliant/output/markup.h"

#include <algorithm>
#include <cstdint>

namespace pliant {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD in UTF-8

// The length of the UTF-8 character at the front, or 0 when the bytes are none: too short, too long, a surrogate.
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    std::uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
        code = code << 6 | (byte(i) & 0x3Fu);
    }
    const bool is_too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    const bool is_no_character =
        (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF;
    return is_too_long || is_no_character ? 0 : length;
}

std::string_view escaped(std::string_view character) {
    switch (character[0]) {
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '&': return "&amp;";
        case '"': return "&quot;";
        case '\'': return "&#39;";
        case '\t':
        case '\n': return character;
        default: break;
    }
    const auto first = static_cast<unsigned char>(character[0]);
    return first < 0x20 || first == 0x7F ? replacement : character;
}

}  // namespace

std::string escape_markup(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        result += length == 0 ? replacement : escaped(text.substr(0, length));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string base64(std::span<const std::byte> bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    result.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k) result += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
    }
    return result;
}

}  // namespace pliant
