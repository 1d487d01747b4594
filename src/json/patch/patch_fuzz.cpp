#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "json/parse.h"
#include "json/patch/patch.h"

namespace {

using namespace coppice::json;

// Every list merges by "name", at any depth.
class AllMerge final : public PatchSchema {
 public:
  const PatchSchema* Field(std::string_view) const override { return this; }
  const PatchSchema* Item() const override { return this; }
  bool MergesItems() const override { return true; }
  std::string_view MergeKey() const override { return "name"; }
};

}  // namespace

// The input is a document, a newline and a patch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t newline = text.find('\n');
  if (newline == std::string_view::npos) return 0;
  const auto document = Parse(text.substr(0, newline));
  const auto patch = Parse(text.substr(newline + 1));
  if (!document || !patch) return 0;
  const Value before = *document;
  static const AllMerge kSchema;
  (void)ApplyJsonPatch(*document, *patch);
  (void)ApplyStrategicMergePatch(*document, *patch, &kSchema);
  (void)ApplyMergePatch(*document, *patch);
  if (!(*document == before)) std::abort();
  // Merge patches cannot say null; anything without nulls must arrive.
  const Value target = ApplyMergePatch(Value::Object(), *patch);
  const Value source = ApplyMergePatch(Value::Object(), *document);
  const Value difference = CreateMergePatch(source, target);
  if (source.IsObject() && target.IsObject() && !(ApplyMergePatch(source, difference) == target)) {
    std::abort();
  }
  return 0;
}
