#include "pliant/base/version.h"

#include <gtest/gtest.h>

#include <regex>

#include "pliant/base/processor.h"

namespace pliant {
namespace {

TEST(Version, NamesItsNumberProcessorAndCompiler) {
    const std::regex shape(R"(\d+\.\d+\.\d+ \((AVX2|portable), (GCC|clang) \d+[^)]*\))");
    EXPECT_TRUE(std::regex_match(version_text(), shape)) << version_text();
    EXPECT_NE(version_text().find(processor_of_build()), std::string::npos);
}

#if defined(__AVX2__)
TEST(Processor, IsTheOneThatTheRestIsCompiledFor) {
    EXPECT_STREQ(processor_of_build(), "AVX2");
}
#else
TEST(Processor, IsTheOneThatTheRestIsCompiledFor) {
    EXPECT_STREQ(processor_of_build(), "portable");
}
#endif

}  // namespace
}  // namespace pliant
