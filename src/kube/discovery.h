#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"

namespace coppice::kube {

struct ServerVersion {
  int major = 0;
  int minor = 0;
  std::string git_version;  // "v1.35.2".

  bool AtLeast(int wanted_major, int wanted_minor) const {
    return major != wanted_major ? major > wanted_major : minor >= wanted_minor;
  }
};

// What a cluster serves, as it was when this was made. A value: make a new one to look again.
//
//   COPPICE_ASSIGN(Discovery served, Discovery::Load(client));
//   if (served.Serves(api::kWorkloadsV1Alpha1)) …
class Discovery {
 public:
  // A group or version that cannot be read (an aggregated API that is down, say) is left out and
  // named by failed(); an unreachable server is an error.
  static base::Result<Discovery> Load(Client& client);

  bool Serves(const Resource& resource) const;
  // "pods/binding" has the subresource "binding".
  bool ServesSubresource(const Resource& resource, std::string_view subresource) const;
  // Versions served of a group, the preferred one first.
  std::vector<std::string> Versions(std::string_view group) const;
  // The first of `versions` in which `group` serves `plural`.
  std::optional<Resource> FindVersion(std::string_view group, std::string_view plural,
                                      const std::vector<std::string>& versions) const;
  // All resources served, subresources left out.
  const std::vector<Resource>& resources() const { return resources_; }
  // The served resource of this apiVersion and kind.
  std::optional<Resource> FindKind(std::string_view api_version, std::string_view kind) const;
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  void LoadVersion(Client& client, const std::string& group, const std::string& version);

  std::map<std::string, std::vector<std::string>, std::less<>> versions_;
  std::vector<Resource> resources_;
  std::map<std::string, std::set<std::string, std::less<>>> subresources_;  // By "group/version".
  std::vector<std::string> failed_;
};

// GET /version.
base::Result<ServerVersion> GetServerVersion(Client& client);

}  // namespace coppice::kube
