#include "tests/vectors/rename.h"

#include <fmt/format.h>

#include <map>

namespace coppice::vectors {
namespace {

constexpr std::string_view kTemplateHash = "pod-template-hash";
constexpr size_t kFirstNumber = 1000;  // Beyond those that cases use themselves.

bool IsMask(std::string_view text) { return text.starts_with("hash-") || text.starts_with('<'); }

void CollectHashes(const json::Value& value, std::map<std::string, std::string>& masks) {
  for (const json::Value& item : value.Items()) CollectHashes(item, masks);
  for (const json::Member& member : value.Members()) {
    CollectHashes(member.value, masks);
    const std::string text = member.value.ToString();
    if (member.name() != kTemplateHash || text.empty() || IsMask(text)) continue;
    masks.try_emplace(text, fmt::format("hash-{}", kFirstNumber + masks.size()));
  }
}

}  // namespace

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

json::Value Renamed(const json::Value& value,
                    const std::function<std::string(std::string)>& rename) {
  if (value.IsString()) return rename(value.ToString());
  json::Value out = value;
  if (value.IsArray()) {
    for (json::Value& item : out.MutableItems()) item = Renamed(item, rename);
  } else if (value.IsObject()) {
    out = json::Value::Object();
    for (const json::Member& member : value.Members()) {
      out.Set(rename(std::string(member.name())), Renamed(member.value, rename));
    }
  }
  return out;
}

json::Value WithMaskedTemplateHashes(const json::Value& step) {
  std::map<std::string, std::string> masks;
  CollectHashes(step["state"], masks);
  if (masks.empty()) return step;
  return Renamed(step, [&](std::string text) {
    for (const auto& [hash, mask] : masks) ReplaceAll(text, hash, mask);
    return text;
  });
}

}  // namespace coppice::vectors
