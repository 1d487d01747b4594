#include "services/scheduler/read/shown_as.h"

#include <algorithm>
#include <cctype>

#include "kube/object.h"

namespace coppice::services::scheduler {

std::string ShownAs(std::string_view kind, std::string_view name) {
  if (kind == "PodCliqueSet") kind = "set";
  if (kind == "PodGang") kind = "gang";
  std::string text(kind);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.append("/").append(name);
}

std::string ShownAs(const json::Value& object) {
  return ShownAs(kube::Kind(object), kube::Name(object));
}

std::string ShownGroup(const json::Value& group) {
  const auto owners = kube::Metadata(group).ownerReferences();
  if (owners.empty()) return ShownAs(group);
  return ShownAs(owners.At(0).kind(), owners.At(0).name());
}

}  // namespace coppice::services::scheduler
