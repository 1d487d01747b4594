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

// Columns aligned by the widest cell, two spaces apart, no trailing blanks.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

// A number without needless digits: 4, 0.5, 1234.
std::string Number(double value);

}  // namespace coppice::cli
