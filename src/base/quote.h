#pragma once

#include <string>
#include <string_view>

namespace coppice::base {

// Appends `text` in quotes, as JSON writes it.
void AppendQuoted(std::string_view text, std::string& out);

}  // namespace coppice::base
