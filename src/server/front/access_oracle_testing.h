#pragma once

#include <string>
#include <vector>

#include "json/value.h"

// What the rules allow and discovery promises, worked out from the parts of a request and not from
// its path: tests compare the server with it. Shares nothing with the server's own routing.
namespace coppice::server {

// A request in parts, before it has a path.
struct Asked {
  std::string method;
  std::string root;    // "/api/v1", "/apis/apps/v1".
  std::string prefix;  // "watch" for /api/v1/watch/…, or "".
  std::string ns;      // Stands before the resource; "" for none.
  std::string resource;
  std::string name;
  std::string subresource;
  std::string below;  // What follows the subresource.
  std::string query;  // "fieldSelector=metadata.name=one".

  std::string Path() const;
  std::string Group() const;
  std::string Verb() const;
  // What authorization looks at: the name in the path or in the selector, the namespace.
  std::string AuthorizedName() const;
  std::string AuthorizedNamespace() const;
  std::string ToString() const;
};

// One rule that a user has, in one namespace or in all ("").
struct Granted {
  std::string ns;
  std::vector<std::string> verbs, resources, names;

  bool Allows(const Asked& asked) const;
};

enum class Answer { kForbidden, kNotFound, kMethodNotAllowed, kServed };

// `discovery`: the APIResourceList of the request's group and version.
Answer Expect(const Asked& asked, const std::vector<Granted>& rules, const json::Value& discovery);

}  // namespace coppice::server
