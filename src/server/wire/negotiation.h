#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace coppice::server {

enum class BodyFormat { kJson, kYaml, kProtobuf };
// The shape that objects take in a response.
enum class Shape { kObject, kTable, kPartialMetadata, kAggregatedDiscovery };

struct ResponseForm {
  BodyFormat format = BodyFormat::kJson;
  Shape shape = Shape::kObject;
  std::string discovery_version;  // "v2" or "v2beta1" with kAggregatedDiscovery.
};

// The first form of an Accept header that the server can produce; protobuf only for a client that
// accepts nothing else, because objects are stored as JSON. kNotAcceptable if there is none.
base::Result<ResponseForm> NegotiateResponse(std::string_view accept);

// The error for a client that accepts none of the forms.
base::Error NotAcceptable();

enum class BodyType {
  kJson,
  kYaml,
  kJsonPatch,
  kMergePatch,
  kStrategicPatch,
  kApplyPatch,
  kProtobuf
};
// kUnsupportedMedia for other types. `patch` selects which list of types the error names.
base::Result<BodyType> ReadContentType(std::string_view content_type, bool patch);

}  // namespace coppice::server
