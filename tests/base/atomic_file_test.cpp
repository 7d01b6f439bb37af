#include "pliant/base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "pliant/base/error.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("pliant_atomic_file_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string content(const fs::path& path) const {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    std::size_t files_in(const fs::path& folder) const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }
    std::string error_of(FunctionRef<void()> action) const {
        try {
            action();
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }

    fs::path folder_;
};

TEST_F(AtomicFile, HoldsWhatWasWritten) {
    const std::string text("a\0b\n", 4);
    write_text_atomically(folder_ / "file.txt", text);
    EXPECT_EQ(content(folder_ / "file.txt"), text);
    EXPECT_EQ(files_in(folder_), 1u);
}

TEST_F(AtomicFile, MayBeEmpty) {
    write_bytes_atomically(folder_ / "empty", {});
    EXPECT_TRUE(fs::exists(folder_ / "empty"));
    EXPECT_EQ(fs::file_size(folder_ / "empty"), 0u);
}

TEST_F(AtomicFile, ReplacesAnOldFile) {
    write_text_atomically(folder_ / "file.txt", "the old and longer text");
    write_text_atomically(folder_ / "file.txt", "new");
    EXPECT_EQ(content(folder_ / "file.txt"), "new");
}

TEST_F(AtomicFile, MakesTheFoldersAboveIt) {
    write_text_atomically(folder_ / "a/b/file.txt", "x");
    EXPECT_EQ(content(folder_ / "a/b/file.txt"), "x");
}

TEST_F(AtomicFile, KeepsTheOldFileWhenTheWriterFails) {
    const fs::path path = folder_ / "file.txt";
    write_text_atomically(path, "old");
    const auto write = [](const fs::path& temporary) {
        std::ofstream(temporary) << "half of the new";
        throw SimulationError("stop");
    };
    EXPECT_THROW(write_atomically(path, write), SimulationError);
    EXPECT_EQ(content(path), "old");
    EXPECT_EQ(files_in(folder_), 1u);
}

TEST_F(AtomicFile, IsNotSeenBeforeItIsWhole) {
    const fs::path path = folder_ / "file.txt";
    write_atomically(path, [&](const fs::path& temporary) {
        std::ofstream(temporary) << "whole";
        EXPECT_FALSE(fs::exists(path));
        EXPECT_EQ(temporary.parent_path(), path.parent_path());
        EXPECT_EQ(temporary.extension(), path.extension());
    });
    EXPECT_EQ(content(path), "whole");
}

TEST_F(AtomicFile, SaysWhenTheWriterMadeNoFile) {
    const fs::path path = folder_ / "file.txt";
    const std::string message = error_of([&] { write_atomically(path, [](const fs::path&) {}); });
    EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    EXPECT_EQ(files_in(folder_), 0u);
}

TEST_F(AtomicFile, SaysThePathWhenAFolderCannotBeMade) {
    write_text_atomically(folder_ / "plain", "a file, not a folder");
    const std::string message = error_of([&] { write_text_atomically(folder_ / "plain/file.txt", "x"); });
    EXPECT_NE(message.find("plain"), std::string::npos) << message;
    EXPECT_NE(message.find("choose another folder"), std::string::npos) << message;
}

TEST_F(AtomicFile, SaysThePathWhenTheNameIsAFolder) {
    fs::create_directories(folder_ / "taken/inside");
    const std::string message = error_of([&] { write_text_atomically(folder_ / "taken", "x"); });
    EXPECT_NE(message.find("taken"), std::string::npos) << message;
    EXPECT_EQ(files_in(folder_), 1u);
}

TEST_F(AtomicFile, SaysWhatIsNeededOnAFullDevice) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::vector<std::byte> bytes(12345);
    const std::string message = error_of([&] { write_bytes("/dev/full", bytes, "wanted/name.ply"); });
    EXPECT_NE(message.find("wanted/name.ply"), std::string::npos) << message;
    EXPECT_NE(message.find("disk is full"), std::string::npos) << message;
    EXPECT_NE(message.find("12 kB"), std::string::npos) << message;
}

TEST_F(AtomicFile, LeavesNothingBehindOnAFullDisk) {
    const fs::path disk = folder_ / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting needs root";
    write_text_atomically(disk / "file", "old");
    const std::vector<std::byte> bytes(1 << 20);
    const std::string message = error_of([&] { write_bytes_atomically(disk / "file", bytes); });
    const std::string kept = content(disk / "file");
    const std::size_t files = files_in(disk);
    ::umount(disk.c_str());
    EXPECT_NE(message.find("disk is full"), std::string::npos) << message;
    EXPECT_NE(message.find((disk / "file").string()), std::string::npos) << message;
    EXPECT_EQ(kept, "old");
    EXPECT_EQ(files, 1u);
}

TEST_F(AtomicFile, IsOneOfTheVersionsWhenTwoWriteAtOnce) {
    const fs::path path = folder_ / "file.txt";
    const auto write_often = [&](char letter) {
        for (int i = 0; i < 20; ++i) write_text_atomically(path, std::string(5000, letter));
    };
    std::thread first(write_often, 'a'), second(write_often, 'b');
    first.join();
    second.join();
    const std::string text = content(path);
    ASSERT_EQ(text.size(), 5000u);
    EXPECT_EQ(text.find_first_not_of(text.front()), std::string::npos);
    EXPECT_EQ(files_in(folder_), 1u);
}

}  // namespace
}  // namespace pliant
