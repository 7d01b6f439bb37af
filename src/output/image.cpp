#include "pliant/output/image.h"

#include <fmt/core.h>
#include <png.h>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"

namespace pliant {

namespace {

constexpr std::size_t most_pixels = std::size_t(1) << 28;

png_image png_header(int width, int height) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(width);
    header.height = static_cast<png_uint_32>(height);
    header.format = PNG_FORMAT_RGB;
    return header;
}

}  // namespace

std::vector<std::byte> encode_png(const Image& image) {
    const bool has_size = image.width > 0 && image.height > 0 &&
                          image.rgb.size() == 3 * std::size_t(image.width) * std::size_t(image.height);
    if (!has_size) throw InputError("a picture without pixels, or of another size than it says, cannot be written");
    png_image header = png_header(image.width, image.height);
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
    std::vector<std::byte> bytes(size);
    if (!png_image_write_to_memory(&header, bytes.data(), &size, false, image.rgb.data(), 0, nullptr)) {
        throw FileError(fmt::format("cannot make a PNG: {}", header.message));
    }
    bytes.resize(size);
    return bytes;
}

Image decode_png(const std::vector<std::byte>& bytes) {
    png_image header = png_header(0, 0);
    const bool is_png = png_image_begin_read_from_memory(&header, bytes.data(), bytes.size());
    const bool is_too_large = is_png && std::size_t(header.width) * header.height > most_pixels;
    if (!is_png || is_too_large) {
        const std::string reason = is_too_large ? "it is too large" : header.message;
        png_image_free(&header);
        throw InputError(fmt::format("this is not a PNG that can be read: {}", reason));
    }
    header.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(header.width), static_cast<int>(header.height));
    const png_color background = {255, 255, 255};
    if (!png_image_finish_read(&header, &background, image.rgb.data(), 0, nullptr)) {
        throw InputError(fmt::format("this PNG is damaged: {}", header.message));
    }
    return image;
}

void write_png(const std::filesystem::path& path, const Image& image) {
    write_bytes_atomically(path, encode_png(image));
}

}  // namespace pliant
