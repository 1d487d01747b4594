#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/schema/builtin.h"
#include "api/schema/decode.h"
#include "api/schema/model/schema_document.h"
#include "api/schema/prune.h"
#include "api/schema/validate/validate.h"
#include "json/parse.h"

namespace {

using namespace coppice;
using namespace coppice::api;

void CheckDecode(const json::Value& object) {
  const Schema* pod = BuiltinTypes::For(35).FindKind("v1", "Pod");
  const auto once = DecodeBuiltin(*pod, object);
  if (!once) return;
  const auto twice = DecodeBuiltin(*pod, *once);
  if (!twice || !(*twice == *once)) std::abort();
}

}  // namespace

// The input is a schema, a newline and an object. Pruning and defaulting twice change nothing more.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return 0;
  const auto openapi = json::Parse(text.substr(0, newline));
  const auto object = json::Parse(text.substr(newline + 1));
  if (!object) return 0;
  CheckDecode(*object);
  if (!openapi) return 0;
  const auto document = SchemaDocument::Parse(*openapi);
  if (!document) return 0;
  const Schema& schema = (*document)->root();
  std::vector<std::string> unknown;
  const json::Value pruned = Prune(schema, *object, &unknown);
  if (!(Prune(schema, pruned) == pruned)) std::abort();
  (void)ValidateObject(schema, ApplyDefaults(schema, pruned), &pruned);
  return 0;
}
