// The shapes of the letters, by hand.
#pragma once

#include <string_view>

namespace pliant {

// Strokes are separated by spaces and start with their kind: '-' straight lines, '~' a curve drawn by its control
// points, 'o' a closed one. Points are pairs of base-36 digits x, y on a grid whose baseline is y = 6, height of small
// letters 16 (G), of capitals 20 (K), and depth of descenders 0. `advance` is the way to the next letter.
struct Glyph {
    std::string_view character;  // UTF-8
    int advance;
    std::string_view strokes;
};

inline constexpr Glyph glyphs[] = {
    {" ", 7, ""},
    {"0", 12, "o06868K0K"},
    {"1", 12, "-1G5K56"},
    {"2", 12, "~0F0K8K8E06 -0686"},
    {"3", 12, "-0K8K3D ~3D8D860609"},
    {"4", 12, "-666K0B8B"},
    {"5", 12, "-8K1K0D ~0D4F8F860609"},
    {"6", 12, "~7K0K0B o06868E0E"},
    {"7", 12, "-0K8K26"},
    {"8", 12, "o06868D0D o1D7D7K1K"},
    {"9", 12, "o0C8C8K0K ~8F8616"},
    {"A", 13, "-065KA6 -2B8B"},
    {"B", 13, "-060K ~0K9K9D0D ~0DADA606"},
    {"C", 13, "~9H9K0K069699"},
    {"D", 14, "-060K ~0KAKA606"},
    {"E", 12, "-8K0K0686 -0D7D"},
    {"F", 11, "-8K0K06 -0D7D"},
    {"G", 14, "~9H9K0K06A6AC -5CAC"},
    {"H", 13, "-060K -969K -0D9D"},
    {"I", 4, "-060K"},
    {"J", 10, "-6K6B ~6B66060A"},
    {"K", 12, "-060K -8K0C -3F86"},
    {"L", 11, "-0K0686"},
    {"M", 14, "-060K5CAKA6"},
    {"N", 13, "-060K969K"},
    {"O", 14, "o06A6AK0K"},
    {"P", 13, "-060K ~0K9K9C0C"},
    {"Q", 14, "o06A6AK0K -6AA5"},
    {"R", 13, "-060K ~0K9K9C0C -4C96"},
    {"S", 12, "~8H8K0K0D4D8D860609"},
    {"T", 13, "-0KAK -5K56"},
    {"U", 13, "-0K0C ~0C06969C -9C9K"},
    {"V", 13, "-0K56AK"},
    {"W", 16, "-0K366H96CK"},
    {"X", 13, "-069K -0K96"},
    {"Y", 13, "-0K5DAK -5D56"},
    {"Z", 13, "-0K9K0696"},
    {"a", 11, "o06767G0G -7G76"},
    {"b", 11, "-0K06 o06767G0G"},
    {"c", 10, "~7E7G0G067678"},
    {"d", 11, "-7K76 o06767G0G"},
    {"e", 11, "-0B7B ~7B7G0G066678"},
    {"f", 8, "~5K2K2G -2G26 -0G5G"},
    {"g", 11, "o06767G0G -7G74 ~74701002"},
    {"h", 11, "-0K06 ~0C0G7G7C -7C76"},
    {"i", 4, "-0G06 -0K0L"},
    {"j", 6, "-2G23 ~232000 -2K2L"},
    {"k", 10, "-0K06 -6G0B -2D66"},
    {"l", 6, "-0K0826"},
    {"m", 16, "-060G ~0D0G6G6D -6D66 ~6D6GCGCD -CDC6"},
    {"n", 11, "-060G ~0C0G7G7C -7C76"},
    {"o", 11, "o06767G0G"},
    {"p", 11, "-000G o06767G0G"},
    {"q", 11, "-707G o06767G0G"},
    {"r", 8, "-060G ~0C0G5G"},
    {"s", 10, "~6E6G0G0B3B6B660608"},
    {"t", 8, "-2K29 ~292656 -0G5G"},
    {"u", 11, "-0G0A ~0A06767A -7G76"},
    {"v", 10, "-0G366G"},
    {"w", 14, "-0G265E86AG"},
    {"x", 10, "-066G -0G66"},
    {"y", 10, "-0G36 -6G10"},
    {"z", 10, "-0G6G0666"},
    {".", 5, "-0607"},
    {",", 5, "-1704"},
    {":", 5, "-0607 -0E0F"},
    {";", 5, "-1704 -1E1F"},
    {"!", 5, "-0K0B -0706"},
    {"?", 11, "~0H0K7K7E3D3A -3736"},
    {"-", 9, "-0C5C"},
    {"+", 12, "-0C8C -4G48"},
    {"=", 12, "-0E8E -0A8A"},
    {"/", 11, "-048M"},
    {"\\", 11, "-0M84"},
    {"(", 7, "~3M0G0A34"},
    {")", 7, "~0M3G3A04"},
    {"[", 7, "-3M0M0434"},
    {"]", 7, "-0M3M3404"},
    {"{", 8, "~4M2M2E0D ~0D2C2444"},
    {"}", 8, "~0M2M2E4D ~4D2C2404"},
    {"<", 11, "-7G0C78"},
    {">", 11, "-0G7C08"},
    {"%", 14, "o0E4E4K0K o66A6AC6C -06AK"},
    {"*", 12, "-4K4C -0I8E -8I0E"},
    {"^", 11, "-1G4K7G"},
    {"_", 12, "-0484"},
    {"'", 5, "-0K0G"},
    {"\"", 8, "-0K0G -4K4G"},
    {"`", 6, "-0L3I"},
    {"#", 14, "-264K -668K -0FAF -0BAB"},
    {"$", 12, "~8H8K0K0D4D8D860609 -4M44"},
    {"&", 14, "~A62F2K7K7F0C066699CD"},
    {"@", 17, "o49999F4F -9G99 ~99D9DK0K06C6"},
    {"|", 5, "-0M02"},
    {"~", 12, "~0B0F4E4B8A8E"},
    {"\xC2\xB0", 8, "o0G5G5L0L"},               // degree
    {"\xC2\xB2", 8, "~0J0L5L5H0E -0E5E"},       // squared
    {"\xC2\xB3", 8, "-0L5L2I ~2I5I5E0E0F"},     // cubed
    {"\xC2\xB5", 11, "-0G00 ~0A06767A -7G76"},  // micro
    {"\xC2\xB7", 6, "-1C1D"},                   // middle dot
    {"\xC3\x97", 11, "-187G -1G78"},            // times
};

}  // namespace pliant
