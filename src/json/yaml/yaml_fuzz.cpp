#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "json/yaml/yaml.h"

// What parses must write, and what is written must read back equal.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coppice::json;
  const YamlOptions options{.max_values = 10'000};
  const auto documents = ParseYamlDocuments({reinterpret_cast<const char*>(data), size}, options);
  if (!documents) return 0;
  for (const Value& document : *documents) {
    const auto again = ParseYaml(WriteYaml(document), options);
    if (!again || !(*again == document)) std::abort();
  }
  return 0;
}
