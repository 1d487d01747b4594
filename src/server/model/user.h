#pragma once

#include <map>
#include <string>
#include <vector>

#include "json/value.h"

namespace coppice::server {

// The authenticated user of a request.
struct User {
  std::string name;
  std::vector<std::string> groups;
  std::string uid;
  std::map<std::string, std::vector<std::string>> extra;

  bool InGroup(const std::string& group) const;
  // A member of system:masters: may do everything.
  static User Admin();
  // The system's own controllers.
  static User ServiceAccount(const std::string& ns, const std::string& name);
  static User Anonymous();
};

// As in a TokenReview's status.
json::Value UserInfo(const User& user);

}  // namespace coppice::server
