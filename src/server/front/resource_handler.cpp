#include "server/front/resource_handler.h"

#include "api/selectors/field_selector.h"
#include "kube/object.h"
#include "server/auth/reviews.h"
#include "server/core/lease_guard.h"
#include "server/front/route.h"
#include "server/protobuf/encode.h"
#include "server/requests/subresources.h"
#include "server/wire/options.h"

namespace coppice::server {
namespace {

constexpr std::chrono::seconds kDefaultWatchTimeout(30 * 60);

Attributes AttributesFrom(const RequestInfo& info, const http::Query& query) {
  Attributes attributes{
      info.verb, true,      info.group, info.resource, info.subresource, info.name,
      info.ns,   info.path, ""};
  if (info.verb == "list" || info.verb == "watch" || info.verb == "deletecollection") {
    attributes.field_selector = query.Get("fieldSelector");
  }
  return attributes;
}

kube::PatchType PatchTypeOf(BodyType type) {
  switch (type) {
    case BodyType::kJsonPatch:
      return kube::PatchType::kJson;
    case BodyType::kMergePatch:
      return kube::PatchType::kMerge;
    case BodyType::kApplyPatch:
      return kube::PatchType::kApply;
    default:
      return kube::PatchType::kStrategic;
  }
}

// What only a running kubelet could answer.
base::Error NeedsKubelet(Core& core, const Request& request) {
  if (const auto found = core.Get(request); !found) return found.error();
  return base::Unimplemented(
      "the embedded API server has no kubelets: " + request.resource().plural + "/" +
      request.subresource + " is not available, as the containers of simulated pods do not run");
}

// The name in the path and the one in the field selector are the same, or there is only one.
base::Status RestrictToName(const std::string& name, std::string& field_selector) {
  if (name.empty()) return {};
  COPPICE_ASSIGN(const api::FieldSelector fields, api::FieldSelector::Parse(field_selector));
  if (fields.MatchesEverything()) {
    field_selector = api::FieldSelector::Equal("metadata.name", name).ToString();
    return {};
  }
  const std::string* demanded = fields.Demanded("metadata.name");
  if (demanded && *demanded == name) return {};
  return BadRequest("fieldSelector metadata.name doesn't match requested name");
}

// Reviews are not shown as tables. Custom resources have no protobuf encoding, but their metadata
// and their scale do.
bool IsEncodable(const ResponseForm& form, const RequestInfo& info, const ServedResource& served) {
  if (form.shape == Shape::kTable && IsReview(served)) return false;
  if (form.format != BodyFormat::kProtobuf || form.shape == Shape::kPartialMetadata) return true;
  return info.subresource == "scale" ||
         HasProtobuf(served.resource.ApiVersion(), served.resource.kind);
}

// How long the client waits. Requests are answered at once, so only its form matters.
base::Status CheckTimeout(const http::Query& query) {
  const std::string_view timeout = query.Get("timeout");
  if (timeout.empty() || base::ParseDuration(timeout)) return {};
  return BadRequest("invalid timeout specified in the request URL");
}

const char* OptionsKind(std::string_view verb) {
  if (verb == "create") return "CreateOptions";
  if (verb == "update") return "UpdateOptions";
  return verb == "patch" ? "PatchOptions" : "DeleteOptions";
}

}  // namespace

void ResourceHandler::Handle(Call call) {
  const base::Status allowed =
      core_.Authorize(call.user, AttributesFrom(call.info, call.http.query));
  if (!allowed) return SendError(call, allowed.error());
  const base::Result<ServedPtr> served = FindRoute(*core_.registry(), call.info);
  if (!served) return SendError(call, served.error());
  if (!*served) return SendText(call, 404, "404 page not found\n");
  const base::Status status = Run(call, *served);
  if (!status) SendError(call, status.error());
}

base::Status ResourceHandler::Run(Call& call, const ServedPtr& served) {
  const RequestInfo& info = call.info;
  COPPICE_ASSIGN(const ResponseForm form, NegotiateResponse(call.http.headers.Joined("accept")));
  if (!IsEncodable(form, info, *served)) return NotAcceptable();
  call.form = form;
  if (info.verb != "watch") COPPICE_TRY(CheckTimeout(call.http.query));
  if (!served->deprecation.empty()) call.remarks->Warn(served->deprecation);
  const Subresource* below = served->GetSubresource(info.subresource);
  Request request{.served = served,
                  .ns = info.in_namespace ? info.ns : "",
                  .name = info.name,
                  .subresource = info.subresource,
                  .user = call.user,
                  .remarks = call.remarks.get()};
  if (below && below->on_node) return NeedsKubelet(core_, request);
  if (info.verb == "get" || info.verb == "list") return Read(call, request);
  if (info.verb == "watch") return Watch(call, request);
  COPPICE_TRY(ReadWriteOptions(call.http.query, OptionsKind(info.verb),
                               call.http.headers.Get("user-agent"), request));
  COPPICE_TRY(ReadLease(core_, call.http.headers.Get(kube::WriteFence::kHeader), request));
  if (info.verb == "create" || info.verb == "update") return Write(call, std::move(request));
  if (info.verb == "patch") return Patch(call, std::move(request));
  if (info.verb == "delete") return Delete(call, std::move(request));
  return DeleteCollection(call, std::move(request));
}

base::Status ResourceHandler::Read(Call& call, const Request& request) {
  if (call.info.verb == "get") {
    COPPICE_TRY(core_.ReadRevision(call.http.query.Get("resourceVersion")));
    COPPICE_ASSIGN(const Outcome outcome, core_.Get(request));
    SendOutcome(call, *request.served, outcome, core_.clock().Now());
    return {};
  }
  COPPICE_ASSIGN(const kube::ListOptions options, ReadListOptions(call.http.query, request.ns));
  COPPICE_ASSIGN(const Core::VersionList list, core_.ListVersions(request, options));
  SendList(call, *request.served, list, core_.clock().Now());
  return {};
}

base::Status ResourceHandler::Watch(Call& call, const Request& request) {
  COPPICE_ASSIGN(const std::chrono::seconds asked, ReadTimeout(call.http.query));
  const std::chrono::seconds timeout = asked.count() == 0 ? kDefaultWatchTimeout : asked;
  COPPICE_ASSIGN(kube::WatchOptions options, ReadWatchOptions(call.http.query, request.ns));
  COPPICE_TRY(RestrictToName(request.name, options.field_selector));
  COPPICE_ASSIGN(std::unique_ptr<WatchCursor> cursor, WatchCursor::Open(core_, request, options));
  std::shared_ptr<WatchStream> stream;
  {
    std::lock_guard lock(mutex_);
    // Before the call is given away: an error is still to be sent by its writer.
    if (stopped_) return base::Unavailable("the server is shutting down");
    stream = std::make_shared<WatchStream>(std::move(call), request.served, std::move(cursor),
                                           options.allow_bookmarks, executor_);
    streams_.insert(stream);
  }
  stream->Start(timeout, [this, weak = std::weak_ptr<WatchStream>(stream)] {
    std::lock_guard lock(mutex_);
    streams_.erase(weak.lock());
  });
  return {};
}

base::Status ResourceHandler::Write(Call& call, Request request) {
  COPPICE_ASSIGN(const BodyType type,
                 ReadContentType(call.http.headers.Get("content-type"), false));
  COPPICE_ASSIGN(Body body, ReadBody(call.http.body, type));
  request.duplicate_fields = std::move(body.duplicates);
  const bool create = call.info.verb == "create";
  if (call.info.name.empty()) call.info.name = body.value["metadata"]["name"].ToString();
  call.remarks->SetName(call.info.name);
  base::Result<Outcome> outcome = create ? core_.Create(request, std::move(body.value))
                                         : core_.Update(request, std::move(body.value));
  if (!outcome) return outcome.error();
  if (call.info.name.empty()) call.remarks->SetName(kube::Name(outcome->object));  // Generated.
  SendOutcome(call, *request.served, *outcome, core_.clock().Now());
  return {};
}

base::Status ResourceHandler::Patch(Call& call, Request request) {
  COPPICE_ASSIGN(const BodyType type, ReadContentType(call.http.headers.Get("content-type"), true));
  if (type == BodyType::kApplyPatch && request.default_manager) request.field_manager.clear();
  COPPICE_ASSIGN(Body body, ReadBody(call.http.body, type));
  request.duplicate_fields = std::move(body.duplicates);
  COPPICE_ASSIGN(const Outcome outcome, core_.Patch(request, PatchTypeOf(type), body.value));
  SendOutcome(call, *request.served, outcome, core_.clock().Now());
  return {};
}

// Answers with the object as long as it exists, with a Status once it is gone.
base::Status ResourceHandler::Delete(Call& call, Request request) {
  COPPICE_ASSIGN(const kube::DeleteOptions options, ReadDeleteOptions(call.http));
  COPPICE_ASSIGN(const Outcome outcome, core_.Delete(request, options));
  const bool stays = outcome.object["metadata"].Has("deletionTimestamp");
  if (stays || request.served->returns_deleted) {
    SendOutcome(call, *request.served, outcome, core_.clock().Now());
    return {};
  }
  json::Value status = SuccessStatus(200);
  status.Erase("code");
  json::Value details = json::Value::Object({{"name", request.name},
                                             {"kind", request.resource().plural},
                                             {"uid", outcome.object["metadata"]["uid"]}});
  if (!request.resource().group.empty()) details.Set("group", request.resource().group);
  status.Set("details", std::move(details));
  SendValue(call, 200, status);
  return {};
}

base::Status ResourceHandler::DeleteCollection(Call& call, Request request) {
  COPPICE_ASSIGN(const kube::DeleteOptions options, ReadDeleteOptions(call.http));
  COPPICE_ASSIGN(const kube::ListOptions which, ReadListOptions(call.http.query, request.ns));
  COPPICE_ASSIGN(const Core::VersionList list, core_.ListVersions(request, which));
  COPPICE_TRY(core_.DeleteCollection(request, which, options));
  SendList(call, *request.served, list, core_.clock().Now());
  return {};
}

void ResourceHandler::Stop() {
  std::set<std::shared_ptr<WatchStream>> streams;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    streams = streams_;
  }
  for (const std::shared_ptr<WatchStream>& stream : streams) stream->Stop();
}

}  // namespace coppice::server
