#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace coppice::cli {

// How a view is printed.
enum class Format { kText, kJson, kYaml };
base::Result<Format> ParseFormat(std::string_view text);

// Columns aligned by the widest cell, two spaces apart, no trailing blanks, a line for each row.
std::string AlignColumns(std::vector<std::vector<std::string>> rows);

// The lines of a scheduler's message that say something: some are nothing but a full stop.
std::vector<std::string_view> MessageLines(std::string_view message);

// A number without needless digits: 4, 0.5, 1234.
std::string Number(double value);

}  // namespace coppice::cli
