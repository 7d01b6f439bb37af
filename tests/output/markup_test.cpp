#include "pliant/output/markup.h"

#include <gtest/gtest.h>

#include <vector>

namespace pliant {
namespace {

std::string base64_of(std::string_view text) {
    return base64(std::as_bytes(std::span(text)));
}

TEST(Markup, EscapesWhatHasAMeaning) {
    EXPECT_EQ(escape_markup("<a href=\"x\" b='y'>&</a>"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
    EXPECT_EQ(escape_markup("plain, 5 % of x^2\n\tx"), "plain, 5 % of x^2\n\tx");
}

TEST(Markup, KeepsUtf8AndReplacesWhatIsNone) {
    EXPECT_EQ(escape_markup("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\xBB"), "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\xBB");
    const std::string mark = "\xEF\xBF\xBD";
    EXPECT_EQ(escape_markup(std::string("a\0b\x1B\x7F", 5)), "a" + mark + "b" + mark + mark);
    EXPECT_EQ(escape_markup("\xC3"), mark) << "cut off";
    EXPECT_EQ(escape_markup("\xC0\xBC"), mark + mark) << "a `<` in two bytes";
    EXPECT_EQ(escape_markup("\xED\xA0\x80"), mark + mark + mark) << "half of a pair";
    EXPECT_EQ(escape_markup("\xFFx"), mark + "x");
}

TEST(Base64, EncodesEveryLength) {
    EXPECT_EQ(base64_of(""), "");
    EXPECT_EQ(base64_of("f"), "Zg==");
    EXPECT_EQ(base64_of("fo"), "Zm8=");
    EXPECT_EQ(base64_of("foo"), "Zm9v");
    EXPECT_EQ(base64_of("foob"), "Zm9vYg==");
    EXPECT_EQ(base64_of("\xFF\xFE\xFD"), "//79");
}

}  // namespace
}  // namespace pliant
