#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace coppice::server {

// An object of a built-in kind, a list of them, a Status or metadata alone, in Kubernetes' protobuf
// encoding. kNotAcceptable for other kinds.
base::Result<std::string> EncodeProtobuf(const json::Value& object);

// Whether objects of this kind, and lists of them, can be encoded.
bool HasProtobuf(std::string_view api_version, std::string_view kind);

// An event of a watch as a frame of a stream: its length, then the event. The object is encoded as
// above.
base::Result<std::string> EncodeWatchFrame(std::string_view type, const json::Value& object);

}  // namespace coppice::server
