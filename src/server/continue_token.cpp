#include "server/continue_token.h"

#include "json/parse.h"
#include "json/write.h"
#include "server/base64.h"
#include "server/errors.h"

namespace coppice::server {

std::string ContinueToken::Encode() const {
  return EncodeBase64Url(json::Write(
      json::Value::Object({{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"start", after}})));
}

base::Result<ContinueToken> ContinueToken::Decode(const std::string& text) {
  const base::Error invalid = BadRequest("continue key is not valid: " + text);
  const std::optional<std::string> decoded = DecodeBase64Url(text);
  if (!decoded) return invalid;
  const base::Result<json::Value> token = json::Parse(*decoded);
  if (!token || !(*token)["rv"].IsInt() || !(*token)["start"].IsString()) return invalid;
  return ContinueToken{(*token)["rv"].AsInt(), (*token)["start"].ToString()};
}

}  // namespace coppice::server
