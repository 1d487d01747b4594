#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr int64_t kMaxId = 2147483647;

void CheckId(const json::Value& id, const std::string& path, Causes& causes) {
  if (!id.IsInt() || (id.AsInt() >= 0 && id.AsInt() <= kMaxId)) return;
  causes.push_back(
      api::InvalidField(path, id, fmt::format("must be between 0 and {}, inclusive", kMaxId)));
}

// Of seccomp and AppArmor, as `what` says.
void CheckProfile(const json::Value& profile, std::string_view field, std::string_view what,
                  const std::string& path, Causes& causes) {
  if (!profile.IsObject()) return;
  const json::Value& local = profile["localhostProfile"];
  const std::string place = Child(path, "localhostProfile");
  if (profile["type"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(path, "type"),
                                        fmt::format("type is required when {} is set", field)));
  } else {
    CheckOneOf(profile["type"], {"Localhost", "RuntimeDefault", "Unconfined"}, Child(path, "type"),
               causes);
  }
  const bool needed = profile["type"].AsString() == "Localhost";
  if (needed && local.AsString().empty()) {
    causes.push_back(
        api::RequiredField(place, fmt::format("must be set when {} type is Localhost", what)));
  } else if (!needed && !local.IsNull()) {
    causes.push_back(api::InvalidField(
        place, profile, fmt::format("can only be set when {} type is Localhost", what)));
  } else if (needed && what == "seccomp") {
    CheckRelativePath(local, place, causes);
  }
}

void CheckProfiles(const json::Value& context, const std::string& path, Causes& causes) {
  CheckProfile(context["seccompProfile"], "seccompProfile", "seccomp",
               Child(path, "seccompProfile"), causes);
  CheckProfile(context["appArmorProfile"], "appArmorProfile", "AppArmor",
               Child(path, "appArmorProfile"), causes);
}

bool Adds(const json::Value& context, std::string_view capability) {
  for (const json::Value& each : context["capabilities"]["add"].Items()) {
    if (each.AsString() == capability) return true;
  }
  return false;
}

void CheckEscalation(const json::Value& context, const std::string& path, Causes& causes) {
  const json::Value& allowed = context["allowPrivilegeEscalation"];
  if (!allowed.IsBool() || allowed.AsBool()) return;
  if (context["privileged"].AsBool()) {
    causes.push_back(api::InvalidField(
        path, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
  }
  if (Adds(context, "CAP_SYS_ADMIN")) {
    causes.push_back(api::InvalidField(path, context,
                                       "cannot set `allowPrivilegeEscalation` to false and "
                                       "`capabilities.Add` CAP_SYS_ADMIN"));
  }
}

bool IsSysctlPart(std::string_view part) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !part.empty() && plain(part.front()) && plain(part.back()) &&
         std::ranges::all_of(part, [&](char c) { return plain(c) || c == '-' || c == '_'; });
}

// "kernel.shm_rmid_forced", or with slashes.
bool IsSysctl(std::string_view name) {
  if (name.size() > 253) return false;
  for (;;) {
    const size_t end = name.find_first_of("./");
    if (!IsSysctlPart(name.substr(0, end))) return false;
    if (end == name.npos) return true;
    name.remove_prefix(end + 1);
  }
}

void CheckSysctls(const json::Value& sysctls, const std::string& path, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < sysctls.size(); ++i) {
    const json::Value& name = sysctls.At(i)["name"];
    const std::string place = Child(Index(path, i), "name");
    if (name.AsString().empty()) {
      causes.push_back(api::RequiredField(place));
    } else if (!IsSysctl(name.AsString())) {
      causes.push_back(api::InvalidField(
          place, name,
          R"(must have at most 253 characters and match regex )"
          R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)"));
    } else if (!names.insert(name.ToString()).second) {
      causes.push_back(api::DuplicateField(place, name));
    }
  }
}

void CheckSharedUsers(const json::Value& spec, const std::string& path, Causes& causes) {
  if (spec["shareProcessNamespace"].AsBool() && spec["hostPID"].AsBool()) {
    causes.push_back(api::InvalidField(Child(path, "securityContext.shareProcessNamespace"), true,
                                       "ShareProcessNamespace and HostPID cannot both be enabled"));
  }
  if (!spec["hostUsers"].IsBool() || spec["hostUsers"].AsBool()) return;
  // Two of them by Kubernetes' inner names.
  const std::pair<const char*, const char*> fields[] = {
      {"hostNetwork", "hostNetwork"}, {"hostPID", "HostPID"}, {"hostIPC", "HostIPC"}};
  for (const auto& [field, shown] : fields) {
    if (!spec[field].AsBool()) continue;
    causes.push_back(api::ForbiddenField(Child(path, shown), "when `hostUsers` is false"));
  }
}

}  // namespace

void ValidateContainerSecurity(const json::Value& context, const std::string& path,
                               Causes& causes) {
  if (!context.IsObject()) return;
  CheckId(context["runAsUser"], Child(path, "runAsUser"), causes);
  CheckId(context["runAsGroup"], Child(path, "runAsGroup"), causes);
  if (context.Has("procMount")) {
    CheckOneOf(context["procMount"], {"Default", "Unmasked"}, Child(path, "procMount"), causes);
  }
  CheckProfiles(context, path, causes);
  CheckEscalation(context, path, causes);
}

void ValidatePodSecurity(const json::Value& spec, const std::string& path, Causes& causes) {
  CheckSharedUsers(spec, path, causes);
  const json::Value& context = spec["securityContext"];
  if (context.empty()) return;
  const std::string place = Child(path, "securityContext");
  for (const char* field : {"fsGroup", "runAsUser", "runAsGroup"}) {
    CheckId(context[field], Child(place, field), causes);
  }
  const json::Value& groups = context["supplementalGroups"];
  for (size_t i = 0; i < groups.size(); ++i) {
    CheckId(groups.At(i), Index(Child(place, "supplementalGroups"), i), causes);
  }
  if (context.Has("fsGroupChangePolicy")) {
    CheckOneOf(context["fsGroupChangePolicy"], {"Always", "OnRootMismatch"},
               Child(place, "fsGroupChangePolicy"), causes);
  }
  if (context.Has("supplementalGroupsPolicy")) {
    CheckOneOf(context["supplementalGroupsPolicy"], {"Merge", "Strict"},
               Child(place, "supplementalGroupsPolicy"), causes);
  }
  CheckSysctls(context["sysctls"], Child(place, "sysctls"), causes);
  CheckProfiles(context, place, causes);
}

}  // namespace coppice::server
