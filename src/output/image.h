// A picture: 8-bit sRGB, rows from the top; and its PNG file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace pliant {

struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;  // 3 * width * height

    Image() = default;
    Image(int columns, int rows) : width(columns), height(rows), rgb(3 * std::size_t(columns) * std::size_t(rows)) {}

    std::uint8_t* pixel(int x, int y) { return &rgb[3 * (std::size_t(y) * std::size_t(width) + std::size_t(x))]; }
    const std::uint8_t* pixel(int x, int y) const {
        return &rgb[3 * (std::size_t(y) * std::size_t(width) + std::size_t(x))];
    }
};

std::vector<std::byte> encode_png(const Image& image);
Image decode_png(const std::vector<std::byte>& bytes);                  // InputError when it is none
void write_png(const std::filesystem::path& path, const Image& image);  // whole or not at all

}  // namespace pliant
