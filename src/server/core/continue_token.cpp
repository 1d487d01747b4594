#include "server/core/continue_token.h"

#include "base/base64.h"
#include "json/parse.h"
#include "json/write.h"
#include "server/model/errors.h"

namespace coppice::server {

std::string ContinueToken::Encode() const {
  return base::Base64UrlEncode(json::Write(
      json::Value::Object({{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"start", after}})));
}

base::Result<ContinueToken> ContinueToken::Decode(const std::string& text) {
  const base::Error invalid = BadRequest("continue key is not valid: " + text);
  const auto decoded = base::Base64UrlDecode(text);
  if (!decoded) return invalid;
  const base::Result<json::Value> token = json::Parse(*decoded);
  if (!token || !(*token)["rv"].IsInt() || !(*token)["start"].IsString()) return invalid;
  return ContinueToken{(*token)["rv"].AsInt(), (*token)["start"].ToString()};
}

}  // namespace coppice::server
