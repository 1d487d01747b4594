#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::cli {

// The output format of a view: -o. kName prints one kind/name per line, for other commands.
enum class Format { kText, kWide, kJson, kYaml, kName };
base::Result<Format> ParseFormat(std::string_view text);

// Aligns columns to their widest cell, two spaces apart, without trailing blanks; one line per row.
// With a width, the last column is cut so that no line is longer; then, if that is not enough, the
// first.
std::string AlignColumns(std::vector<std::vector<std::string>> rows, size_t width = 0);

// The meaningful lines of a scheduler's message; some consist only of a full stop.
std::vector<std::string_view> MessageLines(std::string_view message);

// A number without needless digits: 4, 0.5, 1234.
std::string Number(double value);

}  // namespace coppice::cli
