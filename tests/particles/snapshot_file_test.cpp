// Checkpoint files: what is written is read, and what is not whole is refused.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/particles/snapshot.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class SnapshotFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("pliant_snapshot_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
        path_ = folder_ / "checkpoint.h5";
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string bytes_of(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void put_bytes(const std::string& bytes) const {
        std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    // Reading throws an InputError that names the file.
    void expect_refused(const fs::path& path, const std::string& what) const {
        std::string message;
        try {
            read_snapshot(path);
            ADD_FAILURE() << "was read: " << what;
        } catch (const InputError& error) {
            message = error.what();
        }
        EXPECT_NE(message.find(path.string()), std::string::npos) << what << ": " << message;
    }

    fs::path folder_, path_;
};

Snapshot sample() {
    Snapshot snapshot;
    Mat3 A;
    A << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    std::string all_bytes;
    for (int k = 0; k < 256; ++k) all_bytes += static_cast<char>(k);
    snapshot.put("state.mass", std::vector<double>{0.5, -0.0, 1e308, std::numeric_limits<double>::infinity()});
    snapshot.put("state.id", std::vector<std::uint32_t>{0, 0xFFFFFFFF});
    snapshot.put("state.pin", std::vector<std::int32_t>{-1, 5});
    snapshot.put("state.position", std::vector<Vec3>{{1, 2, 3}, {4, 5, 6}});
    snapshot.put("state.deformation", std::vector<Mat3>{A});
    snapshot.put("empty", std::vector<Vec3>{});
    snapshot.put("empty ids", std::vector<std::uint32_t>{});
    snapshot.put_number("hash", 0xFEDCBA9876543210u);
    snapshot.put_real("offset", 0.1);
    snapshot.put_text("scene", all_bytes);
    snapshot.put_text("no text", "");
    return snapshot;
}

void expect_same(const Snapshot& a, const Snapshot& b) {
    ASSERT_EQ(a.arrays().size(), b.arrays().size());
    for (const auto& [name, array] : a.arrays()) {
        ASSERT_TRUE(b.has(name)) << name;
        const Snapshot::Array& other = b.arrays().at(name);
        ASSERT_EQ(array.index(), other.index()) << name;
        std::visit(
            [&, &name = name](const auto& table) {
                const auto& same = std::get<std::decay_t<decltype(table)>>(other);
                EXPECT_EQ(table.width, same.width) << name;
                EXPECT_EQ(table.values, same.values) << name;
            },
            array);
    }
}

TEST_F(SnapshotFile, GivesBackEverythingThatWasPut) {
    write_snapshot(path_, sample());
    expect_same(read_snapshot(path_), sample());
    EXPECT_EQ(read_snapshot(path_).get_text("scene"), sample().get_text("scene"));
}

TEST_F(SnapshotFile, GivesBackTheBitsOfEveryNumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Snapshot snapshot;
    snapshot.put("odd", std::vector<double>{-0.0, nan, std::numeric_limits<double>::denorm_min(), 0.1 + 0.2});
    write_snapshot(path_, snapshot);
    std::vector<double> read;
    read_snapshot(path_).get("odd", read);
    EXPECT_TRUE(std::signbit(read[0]));
    EXPECT_TRUE(std::isnan(read[1]));
    EXPECT_EQ(read[2], std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(read[3], 0.1 + 0.2);
}

TEST_F(SnapshotFile, MayHoldNothing) {
    write_snapshot(path_, Snapshot());
    EXPECT_TRUE(read_snapshot(path_).arrays().empty());
}

TEST_F(SnapshotFile, MayBeLarge) {
    Snapshot snapshot;
    std::vector<Mat3> many(30'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = Mat3::Constant(static_cast<Real>(i));
    snapshot.put("many", many);
    write_snapshot(path_, snapshot);
    EXPECT_LT(fs::file_size(path_), many.size() * sizeof(Mat3) + 100'000);
    std::vector<Mat3> read;
    read_snapshot(path_).get("many", read);
    EXPECT_EQ(read, many);
}

TEST_F(SnapshotFile, HasTheSameBytesForTheSameContent) {
    write_snapshot(path_, sample());
    const std::string first = bytes_of(path_);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would note the second
    write_snapshot(path_, sample());
    EXPECT_TRUE(bytes_of(path_) == first);
}

TEST_F(SnapshotFile, CutShortAnywhereIsRefused) {
    write_snapshot(path_, sample());
    const std::string whole = bytes_of(path_);
    std::vector<std::size_t> lengths = {0, 1, 7, 8, 15, 16, 17, 100, whole.size() / 2};
    for (std::size_t k = 1; k <= 33; ++k) lengths.push_back(whole.size() - k);
    for (std::size_t k = 0; k < whole.size(); k += 1009) lengths.push_back(k);
    for (const std::size_t length : lengths) {
        put_bytes(whole.substr(0, length));
        expect_refused(path_, std::to_string(length) + " of " + std::to_string(whole.size()) + " bytes");
    }
}

TEST_F(SnapshotFile, WithAnyChangedByteIsRefused) {
    write_snapshot(path_, sample());
    const std::string whole = bytes_of(path_);
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < whole.size(); k += 97) places.push_back(k);
    for (std::size_t k = 1; k <= 20; ++k) places.push_back(whole.size() - k);
    for (const std::size_t place : places) {
        std::string changed = whole;
        changed[place] = static_cast<char>(changed[place] ^ (1 << (place % 8)));
        put_bytes(changed);
        expect_refused(path_, "byte " + std::to_string(place));
    }
    put_bytes(whole + "x");
    expect_refused(path_, "a byte too many");
}

TEST_F(SnapshotFile, OfZerosOrNoiseIsRefused) {
    put_bytes(std::string(10'000, '\0'));
    expect_refused(path_, "zeros");
    put_bytes("this is not a checkpoint at all, but a text of some length");
    expect_refused(path_, "text");
    put_bytes(std::string(100, '\0') + "PLIANTC1" + std::string(8, '\0'));
    expect_refused(path_, "zeros with our mark");
}

TEST_F(SnapshotFile, WithOurMarkAndChecksumButOtherContentIsRefusedQuietly) {
    for (const std::size_t size : {1u, 600u, 5000u}) {
        const std::string noise(size, 'n');
        Hash hash;
        hash.add_bytes(noise.data(), noise.size());
        const std::uint64_t value = hash.value();
        put_bytes(noise + "PLIANTC1" + std::string(reinterpret_cast<const char*>(&value), sizeof value));
        ::testing::internal::CaptureStderr();
        expect_refused(path_, "noise");
        EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    }
}

TEST_F(SnapshotFile, OfAnotherProgramIsRefused) {
    // What HDF5 alone would write: ours without the mark and the checksum at its end.
    write_snapshot(path_, sample());
    const std::string whole = bytes_of(path_);
    EXPECT_EQ(whole.substr(1, 3), "HDF");
    put_bytes(whole.substr(0, whole.size() - 16));
    expect_refused(path_, "plain HDF5");
}

TEST_F(SnapshotFile, ThatIsAbsentOrAFolderIsRefused) {
    expect_refused(folder_ / "absent.h5", "absent");
    expect_refused(folder_, "a folder");
    expect_refused("/dev/null", "a device");
}

TEST_F(SnapshotFile, OnAFullDiskLeavesTheOldOne) {
    write_snapshot(path_, sample());
    Snapshot large;
    large.put("much", std::vector<double>(100'000, 1.0));
    const fs::path disk = folder_ / "disk";
    fs::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=128k") != 0) GTEST_SKIP() << "cannot mount a small disk here";
    write_snapshot(disk / "checkpoint.h5", sample());
    EXPECT_THROW(write_snapshot(disk / "checkpoint.h5", large), FileError);
    expect_same(read_snapshot(disk / "checkpoint.h5"), sample());
    const auto files = std::distance(fs::directory_iterator(disk), fs::directory_iterator());
    EXPECT_EQ(::umount(disk.c_str()), 0);
    EXPECT_EQ(files, 1);
}

TEST_F(SnapshotFile, InAFolderThatCannotBeWrittenLeavesTheOldOne) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    write_snapshot(path_, sample());
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THROW(write_snapshot(path_, Snapshot()), FileError);
    fs::permissions(folder_, fs::perms::owner_all);
    expect_same(read_snapshot(path_), sample());
}

TEST_F(SnapshotFile, UnderAFileInsteadOfAFolderSaysSo) {
    std::ofstream(folder_ / "file") << "x";
    EXPECT_THROW(write_snapshot(folder_ / "file" / "checkpoint.h5", sample()), FileError);
}

TEST_F(SnapshotFile, AreWrittenAndReadByManyThreadsAtOnce) {
    write_snapshot(path_, sample());
    std::vector<std::thread> threads;
    std::vector<std::string> failures(4);
    for (std::size_t t = 0; t < failures.size(); ++t) {
        threads.emplace_back([&, t] {
            try {
                Snapshot own;
                own.put("numbers", std::vector<double>(1000, static_cast<double>(t)));
                const fs::path file = folder_ / ("thread" + std::to_string(t));
                for (int k = 0; k < 10; ++k) {
                    write_snapshot(file, own);
                    std::vector<double> read;
                    read_snapshot(file).get("numbers", read);
                    if (read != std::vector<double>(1000, static_cast<double>(t))) failures[t] = "other numbers";
                }
            } catch (const std::exception& error) {
                failures[t] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

TEST_F(SnapshotFile, LeavesNothingElseInTheFolder) {
    write_snapshot(path_, sample());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
    EXPECT_FALSE(fs::exists("checkpoint"));
}

}  // namespace
}  // namespace pliant
