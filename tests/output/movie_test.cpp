#include "pliant/output/movie.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "output/scratch_folder.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

Image grey(int width, int height, int level) {
    Image image(width, height);
    for (std::uint8_t& byte : image.rgb) byte = std::uint8_t(level);
    return image;
}

std::string error_of(MovieWriter& movie, const Image& image) {
    try {
        for (int i = 0; i < 50; ++i) movie.add(image);
        movie.finish();
    } catch (const FileError& error) {
        return error.what();
    }
    return "";
}

// A program in the encoder's place that does what a test wants to see handled.
std::string program(const ScratchFolder& folder, const std::string& script) {
    const std::string path = folder / "encoder";
    write_file(path, "#!/bin/sh\n" + script + "\n");
    ::chmod(path.c_str(), 0755);
    return path;
}

TEST(Movies, AreWrittenWhole) {
    if (!movie_encoder_is_installed()) GTEST_SKIP() << "ffmpeg is not installed";
    const ScratchFolder folder;
    {
        MovieWriter movie(folder / "movie.mp4");
        for (int i = 0; i < 10; ++i) movie.add(grey(65, 33, 20 * i));  // odd sides too
        EXPECT_FALSE(std::filesystem::exists(folder / "movie.mp4"));
        movie.finish();
    }
    const std::string text = file_text(folder / "movie.mp4");
    EXPECT_EQ(text.substr(4, 4), "ftyp");
    EXPECT_LT(text.find("moov"), text.find("mdat")) << "players should be able to start at once";
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Movies, LeaveNothingBehindWhenAbandoned) {
    if (!movie_encoder_is_installed()) GTEST_SKIP() << "ffmpeg is not installed";
    const ScratchFolder folder;
    {
        MovieWriter movie(folder / "movie.mp4");
        movie.add(grey(64, 32, 100));
    }
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Movies, SayWhatToInstallWhenTheEncoderIsAbsent) {
    const ScratchFolder folder;
    const MovieSettings settings{.program = "no-such-encoder"};
    EXPECT_FALSE(movie_encoder_is_installed(settings));
    MovieWriter movie(folder / "movie.mp4", settings);
    const std::string message = error_of(movie, grey(64, 32, 0));
    EXPECT_NE(message.find("apt-get install ffmpeg"), std::string::npos) << message;
}

TEST(Movies, TellTheEncodersLastWordsWhenItFails) {
    const ScratchFolder folder;
    MovieWriter movie(folder / "movie.mp4",
                      {.program = program(folder, "echo 'Unknown encoder' >&2; cat >/dev/null; exit 3")});
    const std::string message = error_of(movie, grey(64, 32, 0));
    EXPECT_NE(message.find("Unknown encoder"), std::string::npos) << message;
    EXPECT_NE(message.find("movie.mp4"), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(folder / "movie.mp4"));
}

// More frames than a pipe holds, to one that reads none: no SIGPIPE may end us, and no wait be endless.
TEST(Movies, SurviveAnEncoderThatStopsReading) {
    const ScratchFolder folder;
    MovieWriter movie(folder / "movie.mp4", {.program = program(folder, "exit 1")});
    const std::string message = error_of(movie, grey(640, 480, 0));
    EXPECT_NE(message.find("failed (1)"), std::string::npos) << message;
}

TEST(Movies, SayThatTheEncoderLeftNoFile) {
    const ScratchFolder folder;
    MovieWriter movie(folder / "movie.mp4", {.program = program(folder, "cat >/dev/null")});
    EXPECT_NE(error_of(movie, grey(64, 32, 0)).find("movie.mp4"), std::string::npos);
}

TEST(Movies, NeedFramesOfOneSize) {
    const ScratchFolder folder;
    MovieWriter movie(folder / "movie.mp4", {.program = program(folder, "cat >/dev/null")});
    EXPECT_THROW(movie.finish(), InputError);
    movie.add(grey(64, 32, 0));
    EXPECT_THROW(movie.add(grey(32, 64, 0)), InputError);
    EXPECT_THROW(MovieWriter(folder / "movie.mp4", {.fps = 0}), InputError);
}

}  // namespace
}  // namespace pliant
