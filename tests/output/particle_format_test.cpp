// Every format of the list by the same tests.
#include "pliant/output/particle_format.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include "output/sample_frames.h"
#include "output/scratch_folder.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

class ParticleFormats : public ::testing::TestWithParam<ParticleFormat> {
protected:
    const ParticleFormat& format() const { return GetParam(); }
    std::filesystem::path file() const { return folder_ / ("frame" + format().extension); }
    ParticleFrame round_trip(const ParticleFrame& frame) const {
        format().write(file(), frame);
        return format().read(file());
    }

    // Reading a damaged file must say so or give the same frame; anything else fails the test.
    void expect_noticed(const std::string& bytes, const ParticleFrame& original, const std::string& what) {
        write_file(file(), bytes);
        try {
            EXPECT_TRUE(are_same(format().read(file()), original)) << what << " went unnoticed";
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(file().string()), std::string::npos) << error.what();
        }
    }

    ScratchFolder folder_;
};

TEST_P(ParticleFormats, KeepsEveryBitOfAFrame) {
    const ParticleFrame frame = full_frame(1000);
    EXPECT_TRUE(are_same(round_trip(frame), frame));
    EXPECT_EQ(folder_.file_count(), 1u);
}

TEST_P(ParticleFormats, KeepsAFrameWithoutOptionalArrays) {
    ParticleFrame frame = full_frame(10);
    frame.material.clear();
    frame.deformation.clear();
    frame.quantities.clear();
    EXPECT_TRUE(are_same(round_trip(frame), frame));
}

TEST_P(ParticleFormats, KeepsAFrameWithoutParticles) {
    const ParticleFrame frame = full_frame(0);
    EXPECT_TRUE(are_same(round_trip(frame), frame));
}

TEST_P(ParticleFormats, KeepsNumbersThatAreNotFinite) {
    ParticleFrame frame = full_frame(4);
    frame.time = std::numeric_limits<double>::infinity();
    frame.position[0].x() = std::numeric_limits<float>::quiet_NaN();
    frame.radius[1] = -std::numeric_limits<float>::infinity();
    frame.quantities[0].values[2] = std::numeric_limits<float>::denorm_min();
    EXPECT_TRUE(are_same(round_trip(frame), frame));
}

TEST_P(ParticleFormats, WritesTheSameBytesForTheSameFrame) {
    format().write(file(), full_frame(100));
    const std::string first = file_text(file());
    format().write(file(), full_frame(100));
    EXPECT_EQ(file_text(file()), first);
}

TEST_P(ParticleFormats, NoticesThatAFileIsCutOff) {
    const ParticleFrame frame = full_frame(60);
    format().write(file(), frame);
    const std::string whole = file_text(file());
    for (std::size_t part = 0; part < 50; ++part) {
        expect_noticed(whole.substr(0, part * whole.size() / 50), frame, "cut to " + std::to_string(part) + "/50");
    }
    expect_noticed(whole.substr(0, whole.size() - 1), frame, "one byte less");
    expect_noticed(whole + '\0', frame, "one byte more");
}

TEST_P(ParticleFormats, NoticesAFlippedBitInItsHeader) {
    const ParticleFrame frame = full_frame(3);
    format().write(file(), frame);
    const std::string whole = file_text(file());
    for (std::size_t byte = 0; byte < std::min<std::size_t>(whole.size(), 1500); ++byte) {
        std::string damaged = whole;
        damaged[byte] = char(damaged[byte] ^ (1 << byte % 8));
        expect_noticed(damaged, frame, "a bit of byte " + std::to_string(byte));
    }
}

TEST_P(ParticleFormats, NoticesAFlippedBitInItsNumbers) {
    const ParticleFrame frame = full_frame(300);
    format().write(file(), frame);
    const std::string whole = file_text(file());
    for (std::size_t part = 0; part < 100; ++part) {
        std::string damaged = whole;
        damaged[part * whole.size() / 100] ^= 4;
        expect_noticed(damaged, frame, "a bit at " + std::to_string(part) + "/100");
    }
}

TEST_P(ParticleFormats, RefusesWhatIsNoParticleFile) {
    for (const std::string& text :
         {std::string(), std::string("hello"), std::string(100000, '\0'), std::string("ply\n")}) {
        write_file(file(), text);
        EXPECT_THROW(format().read(file()), InputError);
    }
}

TEST_P(ParticleFormats, SaysThatAFileIsAbsent) {
    EXPECT_THROW(format().read(folder_ / "absent"), FileError);
    EXPECT_THROW(format().read(folder_.path()), FileError);
}

TEST_P(ParticleFormats, RefusesToWriteAnInconsistentFrame) {
    ParticleFrame frame = full_frame(5);
    frame.velocity.pop_back();
    EXPECT_THROW(format().write(file(), frame), InputError);
    frame = full_frame(5);
    frame.quantities[0].name = "two words";
    EXPECT_THROW(format().write(file(), frame), InputError);
    frame = full_frame(5);
    frame.quantities[1].name = frame.quantities[0].name;
    EXPECT_THROW(format().write(file(), frame), InputError);
    EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_P(ParticleFormats, KeepsTheOldFileWhenTheDiskIsFull) {
    const std::filesystem::path disk = folder_ / "disk";
    std::filesystem::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting needs root";
    const std::filesystem::path path = disk / ("frame" + format().extension);
    const ParticleFrame small = full_frame(2);
    std::string message;
    bool is_kept = false;
    try {
        format().write(path, small);
        format().write(path, full_frame(20000));
    } catch (const FileError& error) {
        message = error.what();
        is_kept = are_same(format().read(path), small);
    }
    ::umount(disk.c_str());
    EXPECT_NE(message.find("disk is full"), std::string::npos) << message;
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_TRUE(is_kept);
}

INSTANTIATE_TEST_SUITE_P(All, ParticleFormats, ::testing::ValuesIn(particle_formats()),
                         [](const auto& test) { return test.param.name; });

TEST(ParticleFormatList, FindsByNameAndByExtension) {
    for (const ParticleFormat& format : particle_formats()) {
        EXPECT_EQ(particle_format(format.name).name, format.name);
        EXPECT_EQ(particle_format_of("a/b" + format.extension).name, format.name);
        EXPECT_FALSE(format.help.empty());
    }
}

TEST(ParticleFormatList, NamesWhatThereIsWhenAskedForSomethingElse) {
    try {
        particle_format("abc");
        FAIL() << "there is no such format";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("ply"), std::string::npos) << error.what();
    }
    EXPECT_THROW(particle_format_of("frame.xyz"), InputError);
    EXPECT_THROW(particle_format_of("frame"), InputError);
}

TEST(ParticleFrames, HaveBoundsAroundTheirFiniteBalls) {
    ParticleFrame frame = full_frame(2);
    frame.position = {{0, 0, 0}, {1, 2, 3}};
    frame.radius = {0.5f, std::numeric_limits<float>::quiet_NaN()};
    EXPECT_TRUE(frame.bounds().min().isApprox(Vec3::Constant(-0.5)));
    EXPECT_TRUE(frame.bounds().max().isApprox(Vec3(1, 2, 3)));
    frame.position[1].y() = std::numeric_limits<float>::infinity();
    EXPECT_TRUE(frame.bounds().max().isApprox(Vec3::Constant(0.5)));
    EXPECT_TRUE(ParticleFrame().bounds().isEmpty());
}

}  // namespace
}  // namespace pliant
