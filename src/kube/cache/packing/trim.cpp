#include "kube/cache/packing/trim.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "api/edit/core.h"
#include "api/key/core.h"
#include "api/view/core.h"

namespace coppice::kube {
namespace {

using json::Value;

constexpr std::string_view kAlways[] = {
    "apiVersion",
    "kind",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.generation",
    "metadata.labels",
    "metadata.ownerReferences",
    "metadata.finalizers",
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
};

// What to keep of an object: the members named; of those without children, everything.
struct Kept {
  std::map<std::string, Kept, std::less<>> members;

  void Add(std::string_view path) {
    const size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    const auto [member, added] = members.try_emplace(name);
    if (dot == std::string_view::npos) {
      member->second.members.clear();
    } else if (added || !member->second.members.empty()) {
      member->second.Add(path.substr(dot + 1));
    }
  }
};

Value Trim(const Value& value, const Kept& kept);

Value TrimItems(const Value& list, const Kept& kept) {
  std::vector<Value> items;
  items.reserve(list.size());
  for (const Value& item : list.Items()) items.push_back(Trim(item, kept));
  return Value::Array(std::move(items));
}

Value TrimMembers(const Value& object, const Kept& kept) {
  std::vector<json::Member> members;
  members.reserve(std::min(object.size(), kept.members.size()));
  for (const auto& [name, inner] : kept.members) {
    const Value* member = object.Find(name);
    if (member != nullptr) members.push_back({Value(name), Trim(*member, inner)});
  }
  members.shrink_to_fit();  // What is trimmed is kept for long.
  return Value::Object(std::move(members));
}

Value Trim(const Value& value, const Kept& kept) {
  if (kept.members.empty()) return value;
  if (value.IsArray()) return TrimItems(value, kept);
  if (value.IsObject()) return TrimMembers(value, kept);
  return value;
}

constexpr std::string_view kTokenPrefix = "kube-api-access-";

// Of volumes, or of the places that they are mounted at: both call it `name`.
bool HasToken(const Value& named) {
  const auto items = named.Items();
  return std::any_of(items.begin(), items.end(), [](const Value& item) {
    return IsTokenName(item[key::core::Volume::name].AsString());
  });
}

void RenameToken(Value& named) {
  constexpr std::string_view kName = key::core::Volume::name;
  for (size_t i = 0; i < named.size(); ++i) {
    if (IsTokenName(named.At(i)[kName].AsString())) named.MutableAt(i).Set(kName, kTokenPrefix);
  }
}

}  // namespace

std::function<Value(Value)> TrimTo(const std::vector<std::string_view>& paths) {
  const auto kept = std::make_shared<Kept>();
  for (const std::string_view path : kAlways) kept->Add(path);
  for (const std::string_view path : paths) kept->Add(path);
  return [kept](Value object) { return Trim(object, *kept); };
}

bool IsTokenName(std::string_view name) { return name.starts_with(kTokenPrefix); }

Value WithCommonTokenName(Value pod) {
  using Key = key::core::PodSpec;
  constexpr std::string_view kMounts = key::core::Container::volumeMounts;
  if (!HasToken(view::core::Pod(pod).spec().volumes().Json())) return pod;
  Value& spec = edit::core::Pod(pod).spec().Json();
  RenameToken(spec.Mutable(Key::volumes));
  for (const std::string_view list : {Key::containers, Key::initContainers}) {
    for (size_t i = 0; i < spec[list].size(); ++i) {
      if (!HasToken(spec[list].At(i)[kMounts])) continue;
      RenameToken(spec.Mutable(list).MutableAt(i).Mutable(kMounts));
    }
  }
  return pod;
}

}  // namespace coppice::kube
