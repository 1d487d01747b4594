#include "server/model/user.h"

#include <algorithm>

#include "json/strings.h"

namespace coppice::server {

bool User::InGroup(const std::string& group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

User User::Admin() {
  return {"kubernetes-admin", {"system:masters", "system:authenticated"}, "", {}};
}

User User::ServiceAccount(const std::string& ns, const std::string& name) {
  return {"system:serviceaccount:" + ns + ":" + name,
          {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
          "",
          {}};
}

User User::Anonymous() { return {"system:anonymous", {"system:unauthenticated"}, "", {}}; }

json::Value UserInfo(const User& user) {
  json::Value info =
      json::Value::Object({{"username", user.name}, {"groups", json::StringList(user.groups)}});
  if (!user.uid.empty()) info.Set("uid", user.uid);
  for (const auto& [key, values] : user.extra)
    info.Mutable("extra").Set(key, json::StringList(values));
  return info;
}

}  // namespace coppice::server
