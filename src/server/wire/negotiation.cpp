#include "server/wire/negotiation.h"

#include <map>
#include <optional>

namespace coppice::server {
namespace {

constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

struct MediaRange {
  std::string type;
  std::map<std::string, std::string> parameters;
};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

MediaRange ParseRange(std::string_view text) {
  MediaRange range{std::string(TakeUntil(text, ';')), {}};
  while (!text.empty()) {
    std::string_view parameter = TakeUntil(text, ';');
    const std::string_view name = TakeUntil(parameter, '=');
    std::string_view value = Trim(parameter);
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    range.parameters.emplace(name, value);
  }
  return range;
}

std::optional<ResponseForm> FormOf(const MediaRange& range) {
  ResponseForm form;
  if (range.type == "application/yaml") {
    form.format = BodyFormat::kYaml;
  } else if (range.type == kProtobufType) {
    form.format = BodyFormat::kProtobuf;
  } else if (range.type != "application/json" && range.type != "*/*" &&
             range.type != "application/*") {
    return std::nullopt;
  }
  const auto as = range.parameters.find("as");
  if (as == range.parameters.end()) return form;
  const bool is_protobuf = form.format == BodyFormat::kProtobuf;
  if (as->second == "Table" && !is_protobuf) {
    form.shape = Shape::kTable;
  } else if (as->second == "PartialObjectMetadata" || as->second == "PartialObjectMetadataList") {
    form.shape = Shape::kPartialMetadata;
  } else if (as->second == "APIGroupDiscoveryList" && !is_protobuf) {
    form.shape = Shape::kAggregatedDiscovery;
    const auto version = range.parameters.find("v");
    form.discovery_version = version == range.parameters.end() ? "v2" : version->second;
    if (form.discovery_version != "v2" && form.discovery_version != "v2beta1") return std::nullopt;
  } else {
    return std::nullopt;
  }
  return form;
}

base::Error Unsupported(bool patch) {
  return {base::ErrorCode::kUnsupportedMedia,
          patch
              ? "the body of the request was in an unknown format - accepted media types include: "
                "application/json-patch+json, application/merge-patch+json, "
                "application/strategic-merge-patch+json, application/apply-patch+yaml"
              : "the body of the request was in an unknown format - accepted media types include: "
                "application/json, application/yaml"};
}

}  // namespace

base::Error NotAcceptable() {
  return {base::ErrorCode::kNotAcceptable,
          "only the following media types are accepted: application/json, application/yaml, "
          "application/vnd.kubernetes.protobuf"};
}

base::Result<ResponseForm> NegotiateResponse(std::string_view accept) {
  if (Trim(accept).empty()) return ResponseForm{};
  std::optional<ResponseForm> protobuf;
  while (!accept.empty()) {
    const std::optional<ResponseForm> form = FormOf(ParseRange(TakeUntil(accept, ',')));
    if (form && form->format != BodyFormat::kProtobuf) return *form;
    if (form && !protobuf) protobuf = form;
  }
  if (protobuf) return *protobuf;
  return NotAcceptable();
}

base::Result<BodyType> ReadContentType(std::string_view content_type, bool patch) {
  const std::string type(TakeUntil(content_type, ';'));
  if (patch) {
    if (type == "application/json-patch+json") return BodyType::kJsonPatch;
    if (type == "application/merge-patch+json") return BodyType::kMergePatch;
    if (type == "application/strategic-merge-patch+json") return BodyType::kStrategicPatch;
    if (type == "application/apply-patch+yaml") return BodyType::kApplyPatch;
    return Unsupported(true);
  }
  if (type.empty() || type == "application/json" || type == "*/*") return BodyType::kJson;
  if (type == "application/yaml" || type == "application/x-yaml" || type == "text/yaml") {
    return BodyType::kYaml;
  }
  if (type == kProtobufType) return BodyType::kProtobuf;
  return Unsupported(false);
}

}  // namespace coppice::server
