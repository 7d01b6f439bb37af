#include "pliant/output/movie.h"

#include <fmt/core.h>

#include <optional>
#include <span>
#include <vector>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/output/encoder_process.h"

namespace pliant {

namespace {

constexpr const char* advice = "install it (apt-get install ffmpeg), or write the frames as PNG pictures";

std::vector<std::string> encoding_command(const MovieSettings& settings, int width, int height,
                                          const std::filesystem::path& output) {
    // Players want even sides and the colours of television; the pictures are sRGB.
    const std::string filter = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
    return {settings.program,
            "-hide_banner",
            "-loglevel",
            "error",
            "-y",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
            "-video_size",
            fmt::format("{}x{}", width, height),
            "-framerate",
            fmt::format("{}", settings.fps),
            "-i",
            "pipe:0",
            "-an",
            "-vf",
            filter,
            "-c:v",
            "libx264",
            "-crf",
            fmt::format("{}", settings.quality),
            "-colorspace",
            "bt709",
            "-color_primaries",
            "bt709",
            "-color_trc",
            "iec61966-2-1",
            "-color_range",
            "tv",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
            std::filesystem::absolute(output).string()};  // absolute: a name may start with a dash
}

}  // namespace

// Starts with the first frame, which says the size.
struct MovieWriter::Encoder {
    AtomicFile file;
    MovieSettings settings;
    int width = 0;
    int height = 0;
    std::optional<EncoderProcess> process;

    void start(const Image& image) {
        width = image.width;
        height = image.height;
        process.emplace(encoding_command(settings, width, height, file.temporary()), advice);
    }

    void check_end() {
        const int code = process->wait();
        if (code == 0) return;
        const std::string how =
            code < 0 ? fmt::format("was ended by signal {}", -code) : fmt::format("failed ({})", code);
        throw FileError(fmt::format("cannot write {}: {} {}: {}; is the disk full, or {}", file.path().string(),
                                    settings.program, how, process->last_words(), "ffmpeg built without libx264?"));
    }
};

MovieWriter::MovieWriter(const std::filesystem::path& path, const MovieSettings& settings)
    : encoder_(new Encoder{AtomicFile(path), settings, 0, 0, {}}) {
    if (!(settings.fps > 0 && settings.fps <= 1000)) {
        throw InputError(fmt::format("a movie cannot have {} frames a second; choose 1 to 1000", settings.fps));
    }
}

MovieWriter::~MovieWriter() = default;
MovieWriter::MovieWriter(MovieWriter&&) noexcept = default;
MovieWriter& MovieWriter::operator=(MovieWriter&&) noexcept = default;

void MovieWriter::add(const Image& image) {
    if (!encoder_->process) encoder_->start(image);
    if (image.width != encoder_->width || image.height != encoder_->height) {
        throw InputError(fmt::format("a frame of {}x{} does not fit in a movie of {}x{}; draw all frames in one size",
                                     image.width, image.height, encoder_->width, encoder_->height));
    }
    if (encoder_->process->feed(std::as_bytes(std::span(image.rgb)))) return;
    encoder_->check_end();
    throw FileError(fmt::format("cannot write {}: {} ended before the last frame: {}", encoder_->file.path().string(),
                                encoder_->settings.program, encoder_->process->last_words()));
}

void MovieWriter::finish() {
    if (!encoder_->process) {
        throw InputError(fmt::format("{}: a movie needs at least one frame", encoder_->file.path().string()));
    }
    encoder_->check_end();
    encoder_->file.commit();
}

bool movie_encoder_is_installed(const MovieSettings& settings) {
    try {
        return EncoderProcess({settings.program, "-version"}, advice).wait() == 0;
    } catch (const FileError&) {
        return false;
    }
}

}  // namespace pliant
