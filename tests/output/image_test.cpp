#include "pliant/output/image.h"

#include <gtest/gtest.h>

#include "output/scratch_folder.h"
#include "pliant/base/error.h"
#include "pliant/output/read_bytes.h"

namespace pliant {
namespace {

Image gradient(int width, int height) {
    Image image(width, height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            image.pixel(x, y)[0] = std::uint8_t(x);
            image.pixel(x, y)[1] = std::uint8_t(y);
            image.pixel(x, y)[2] = std::uint8_t(x * y);
        }
    }
    return image;
}

TEST(Pictures, KeepEveryPixelAsPng) {
    const ScratchFolder folder;
    const Image image = gradient(37, 21);
    write_png(folder / "picture.png", image);
    const Image read = decode_png(read_bytes(folder / "picture.png"));
    EXPECT_EQ(read.width, 37);
    EXPECT_EQ(read.height, 21);
    EXPECT_EQ(read.rgb, image.rgb);
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Pictures, WithoutPixelsAreNotWritten) {
    const ScratchFolder folder;
    EXPECT_THROW(write_png(folder / "picture.png", Image()), InputError);
    Image cut = gradient(4, 4);
    cut.rgb.pop_back();
    EXPECT_THROW(write_png(folder / "picture.png", cut), InputError);
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Pictures, ThatAreDamagedAreRefused) {
    const std::vector<std::byte> whole = encode_png(gradient(64, 64));
    for (std::size_t part = 0; part < 50; ++part) {
        const std::size_t length = part * whole.size() / 50;
        EXPECT_THROW(decode_png({whole.begin(), whole.begin() + std::ptrdiff_t(length)}), InputError);
    }
    std::vector<std::byte> damaged = whole;
    damaged[17] = std::byte(0x7F);  // a width of billions
    EXPECT_THROW(decode_png(damaged), InputError);
}

}  // namespace
}  // namespace pliant
