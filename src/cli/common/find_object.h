#pragma once

#include <string>

#include "api/resource.h"
#include "base/result.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

struct FoundObject {
  api::Resource resource;
  json::Value object;
};

// The one object that a target (NAME or KIND/NAME) means in a namespace. A name that nothing has,
// or that objects of two kinds have, is an error that says what to type.
base::Result<FoundObject> FindObject(kube::Client& client, const std::string& ns,
                                     const std::string& target);

}  // namespace coppice::cli
