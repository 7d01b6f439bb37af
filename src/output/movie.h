// An MP4 movie (H.264), by the ffmpeg program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "pliant/output/image.h"

namespace pliant {

struct MovieSettings {
    double fps = 30;
    int quality = 18;                // libx264's crf: 0 lossless, 18 visually so, 51 worst
    std::string program = "ffmpeg";  // name or path of the encoder
};

// Frames are sent to the encoder as they come. The movie appears under its name at finish(), whole; without finish()
// nothing is left behind. Throws FileError when ffmpeg is absent or fails, with its last words.
class MovieWriter {
public:
    MovieWriter(const std::filesystem::path& path, const MovieSettings& settings = {});
    ~MovieWriter();
    MovieWriter(MovieWriter&&) noexcept;
    MovieWriter& operator=(MovieWriter&&) noexcept;

    void add(const Image& image);  // all of one size; InputError otherwise
    void finish();                 // InputError without any frame

private:
    struct Encoder;
    std::unique_ptr<Encoder> encoder_;
};

bool movie_encoder_is_installed(const MovieSettings& settings = {});

}  // namespace pliant
