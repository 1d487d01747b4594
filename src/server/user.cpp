#include "server/user.h"

#include <algorithm>

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

}  // namespace coppice::server
