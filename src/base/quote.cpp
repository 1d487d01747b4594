#include "base/quote.h"

#include <fmt/format.h>

#include <iterator>

namespace coppice::base {

void AppendQuoted(std::string_view text, std::string& out) {
  static constexpr std::string_view kSpecial = "\"\\\n\r\t", kLetters = "\"\\nrt";
  out += '"';
  size_t clean = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, clean, i - clean);
    clean = i + 1;
    const size_t special = kSpecial.find(text[i]);
    if (special != kSpecial.npos) {
      out.append({'\\', kLetters[special]});
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
    }
  }
  out.append(text, clean, text.size() - clean);
  out += '"';
}

}  // namespace coppice::base
