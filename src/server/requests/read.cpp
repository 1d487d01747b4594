#include <fmt/format.h>

#include <charconv>

#include "server/core/continue_token.h"
#include "server/core/core.h"
#include "server/core/selection.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/requests/scale.h"

namespace coppice::server {
namespace {

base::Status CheckMatch(const kube::ListOptions& options) {
  if (options.resource_version_match.empty() || !options.resource_version.empty()) return {};
  const std::string why =
      "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
  return base::Error(base::ErrorCode::kInvalid,
                     "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: " + why)
      .WithCauses({{"FieldValueForbidden", "resourceVersionMatch", why}});
}

// Where a list begins and in which state it looks.
base::Result<store::ListQuery> QueryFor(const Core& core, const kube::ListOptions& options,
                                        const Selection& selection) {
  COPPICE_TRY(CheckMatch(options));
  store::ListQuery query;
  query.prefix = selection.prefix;
  if (!options.continue_token.empty()) {
    COPPICE_ASSIGN(const ContinueToken token, ContinueToken::Decode(options.continue_token));
    query.after = token.after;
    query.at_revision = token.revision;
    return query;
  }
  COPPICE_ASSIGN(const int64_t revision, core.ReadRevision(options.resource_version));
  if (options.resource_version_match == "Exact") query.at_revision = revision;
  return query;
}

std::string TokenAfter(const Core::VersionList& list) {
  return ContinueToken{list.revision, list.items.back()->name()}.Encode();
}

base::Error ExpiredContinue() {
  return Expired(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this "
      "response to retrieve the remainder of the results. Continuing with the provided token "
      "results in an inconsistent list - objects that were created, modified, or deleted between "
      "the time the first chunk was returned and now may show up in the list.");
}

}  // namespace

base::Result<int64_t> Core::ReadRevision(std::string_view text) const {
  int64_t revision = 0;
  if (text.empty()) return revision;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (error != std::errc() || end != text.data() + text.size() || revision < 0) {
    return BadRequest(
        fmt::format("invalid resource version: resourceVersion: Invalid value: "
                    "\"{0}\": strconv.ParseUint: parsing \"{0}\": invalid syntax",
                    text));
  }
  const int64_t current = store_->revision();
  if (revision > current) return RevisionTooLarge(revision, current);
  return revision;
}

base::Result<Outcome> Core::Get(const Request& request) {
  store::VersionPtr version = store_->Get(request.served->storage, request.stored_name());
  if (!version) return ObjectNotFound(request.resource(), request.name);
  if (request.subresource == "scale") {
    return Outcome{ScaleOf(*request.served, version->value()), nullptr, false};
  }
  json::Value object = ToServed(*request.served, version->value());
  return Outcome{std::move(object), std::move(version), false};
}

base::Result<Core::VersionList> Core::ListVersions(const Request& request,
                                                   const kube::ListOptions& options) {
  COPPICE_ASSIGN(const Selection selection,
                 Selection::Parse(*request.served, options.ns, options.label_selector,
                                  options.field_selector));
  COPPICE_ASSIGN(store::ListQuery query, QueryFor(*this, options, selection));
  const auto limit = static_cast<size_t>(std::max<int64_t>(options.limit, 0));
  // What a selector leaves out does not count: all are read at once, however few are wanted.
  query.limit = selection.MatchesEverything() ? limit : 0;
  base::Result<store::Listing> page = store_->List(request.served->storage, query);
  if (!page) return options.continue_token.empty() ? page.error() : ExpiredContinue();
  VersionList list;
  list.revision = page->revision;
  if (selection.MatchesEverything()) {
    list.items = std::move(page->items);
    list.remaining = page->remaining;
    if (page->more) list.continue_token = TokenAfter(list);
    return list;
  }
  for (const store::VersionPtr& item : page->items) {
    if (!selection.Matches(item->value())) continue;
    list.items.push_back(item);
    if (limit == 0 || list.items.size() < limit) continue;
    if (item != page->items.back()) list.continue_token = TokenAfter(list);
    break;
  }
  return list;
}

base::Result<kube::ObjectList> Core::List(const Request& request,
                                          const kube::ListOptions& options) {
  COPPICE_ASSIGN(VersionList versions, ListVersions(request, options));
  kube::ObjectList list;
  list.resource_version = std::to_string(versions.revision);
  list.continue_token = std::move(versions.continue_token);
  list.items.reserve(versions.items.size());
  for (const store::VersionPtr& version : versions.items) {
    list.items.push_back(ToServed(*request.served, version->value()));
  }
  return list;
}

}  // namespace coppice::server
