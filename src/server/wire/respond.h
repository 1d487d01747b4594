#pragma once

#include <memory>

#include "base/error.h"
#include "http/server/handler.h"
#include "json/value.h"
#include "server/core/core.h"
#include "server/model/errors.h"
#include "server/model/request.h"
#include "server/wire/negotiation.h"
#include "server/wire/request_info.h"

namespace coppice::server {

// One HTTP request on its way through the front.
struct Call {
  http::Request http;
  std::shared_ptr<http::ResponseWriter> writer;
  RequestInfo info;
  ResponseForm form;
  User user;
  std::shared_ptr<Remarks> remarks = std::make_shared<Remarks>();
};

void SendError(const Call& call, const base::Error& error);
void SendValue(const Call& call, int status, const json::Value& value);
// An object in the requested format, from serialized bytes if available.
void SendOutcome(const Call& call, const ServedResource& served, const Outcome& outcome,
                 base::Time now);
void SendList(const Call& call, const ServedResource& served, const Core::VersionList& list,
              base::Time now);
void SendText(const Call& call, int status, std::string text);

// The object in the requested shape.
json::Value Reshape(const ResponseForm& form, const ServedResource& served,
                    const json::Value& object, bool with_columns, std::string_view include,
                    base::Time now);

}  // namespace coppice::server
