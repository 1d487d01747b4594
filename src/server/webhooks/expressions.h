#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "cel/program.h"
#include "json/value.h"
#include "server/authorization/authorizer.h"
#include "server/model/admission.h"

namespace coppice::server {

// The variables of admission expressions, in the order that their programs know them.
const std::vector<std::string>& AdmissionVariableNames();

// Their values for one request; those that only policies have are null. Must not outlive
// `authorizer`.
struct AdmissionVariables {
  AdmissionVariables(const AdmissionRequest& request, const json::Value& object,
                     Authorizer& authorizer);

  void SetParams(const json::Value& params);
  void SetNamespace(const json::Value& ns);
  void SetVariables(cel::Value variables);

  std::vector<cel::Value> values;

 private:
  const json::Value review_;
};

// Compiled admission expressions, by their text. Thread-safe.
class Expressions {
 public:
  base::Result<std::shared_ptr<const cel::Program>> Get(const std::string& source) const;

 private:
  mutable std::mutex mutex_;  // Guards programs_.
  mutable std::map<std::string, std::shared_ptr<const cel::Program>> programs_;
};

}  // namespace coppice::server
