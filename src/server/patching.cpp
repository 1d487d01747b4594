#include "server/patching.h"

#include <fmt/format.h>

#include <charconv>

#include "server/errors.h"

namespace coppice::server {
namespace {

void Merge(json::Value& target, const json::Value& patch) {
  if (!patch.IsObject()) {
    target = patch;
    return;
  }
  if (!target.IsObject()) target = json::Value::Object();
  for (const json::Member& member : patch.Members()) {
    if (member.value.IsNull()) {
      target.Erase(member.name());
    } else {
      Merge(target.Mutable(member.name()), member.value);
    }
  }
}

std::vector<std::string> Pointer(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    text.remove_prefix(1);
    const size_t end = std::min(text.find('/'), text.size());
    std::string part;
    for (size_t i = 0; i < end; ++i) {
      const bool escaped = text[i] == '~' && i + 1 < end;
      part.push_back(escaped ? (text[++i] == '1' ? '/' : '~') : text[i]);
    }
    parts.push_back(std::move(part));
    text.remove_prefix(end);
  }
  return parts;
}

base::Error Missing(std::string_view path) {
  return base::Error(base::ErrorCode::kInvalid,
                     fmt::format("the server rejected our request due to an error in our request: "
                                 "{}: missing path",
                                 path));
}

json::Value* Descend(json::Value& root, const std::vector<std::string>& parts, size_t count) {
  json::Value* at = &root;
  for (size_t i = 0; i < count; ++i) {
    if (at->IsArray()) {
      size_t index = 0;
      std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), index);
      if (index >= at->size()) return nullptr;
      at = &at->MutableAt(index);
    } else {
      at = at->FindMutable(parts[i]);
      if (!at) return nullptr;
    }
  }
  return at;
}

base::Status ApplyOperation(json::Value& object, const json::Value& operation) {
  const std::string_view op = operation["op"].AsString();
  const std::string_view path = operation["path"].AsString();
  const std::vector<std::string> parts = Pointer(path);
  if (parts.empty()) return Missing(path);
  json::Value* parent = Descend(object, parts, parts.size() - 1);
  if (!parent) return Missing(path);
  const std::string& last = parts.back();
  if (op == "test") {
    json::Value* found = Descend(object, parts, parts.size());
    if (found && *found == operation["value"]) return {};
    return base::Error(base::ErrorCode::kInvalid,
                       fmt::format("the server rejected our request due to an error in our "
                                   "request: testing value {} failed",
                                   path));
  }
  if (parent->IsArray()) {
    std::vector<json::Value>& items = parent->MutableItems();
    size_t index = items.size();
    if (last != "-") std::from_chars(last.data(), last.data() + last.size(), index);
    if (index > items.size() || (op != "add" && index == items.size())) return Missing(path);
    if (op == "remove") items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    if (op == "replace") items[index] = operation["value"];
    if (op == "add") {
      items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), operation["value"]);
    }
    return {};
  }
  if (op != "add" && !parent->Has(last)) return Missing(path);
  if (op == "remove") {
    parent->Erase(last);
  } else {
    parent->Set(last, operation["value"]);
  }
  return {};
}

}  // namespace

base::Result<json::Value> ApplyPatch(const ServedResource& served, kube::PatchType type,
                                     const json::Value& object, const json::Value& patch) {
  (void)served;
  json::Value next = object;
  if (type != kube::PatchType::kJson) {
    Merge(next, patch);
    return next;
  }
  for (const json::Value& operation : patch.Items()) COPPICE_TRY(ApplyOperation(next, operation));
  return next;
}

}  // namespace coppice::server
