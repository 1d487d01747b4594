#include "api/schema/validate/cel_names.h"

#include <algorithm>

namespace coppice::api {
namespace {

constexpr std::string_view kReserved[] = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"__", "__underscores__"}, {".", "__dot__"}, {"-", "__dash__"}, {"/", "__slash__"}};

}  // namespace

std::string CelNameOf(std::string_view property) {
  if (std::ranges::find(kReserved, property) != std::end(kReserved)) {
    return "__" + std::string(property) + "__";
  }
  std::string out;
  while (!property.empty()) {
    const auto* escape = std::ranges::find_if(
        kEscapes, [&](const auto& pair) { return property.starts_with(pair.first); });
    if (escape == std::end(kEscapes)) {
      out += property[0];
      property.remove_prefix(1);
    } else {
      out += escape->second;
      property.remove_prefix(escape->first.size());
    }
  }
  return out;
}

std::string PropertyOfCelName(const Schema& schema, std::string_view name) {
  if (name.find("__") != std::string_view::npos) {
    for (const Property& property : schema.properties) {
      if (CelNameOf(property.name) == name) return property.name;
    }
  }
  return std::string(name);
}

}  // namespace coppice::api
