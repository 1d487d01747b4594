#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "json/parse.h"

// What parses has a string form that parses to the same, and matching never fails.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coppice;
  static const json::Value kObject = *json::Parse(
      R"({"metadata":{"name":"x","labels":{"a":"b","c":"1"}},"spec":{"nodeName":"n"}})");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto labels = api::LabelSelector::Parse(text)) {
    const auto again = api::LabelSelector::Parse(labels->ToString());
    if (!again || again->ToString() != labels->ToString()) std::abort();
    if (again->MatchesObject(kObject) != labels->MatchesObject(kObject)) std::abort();
  }
  if (const auto fields = api::FieldSelector::Parse(text)) {
    const auto again = api::FieldSelector::Parse(fields->ToString());
    if (!again || again->Matches(kObject) != fields->Matches(kObject)) std::abort();
  }
  return 0;
}
