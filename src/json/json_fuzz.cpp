#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "json/parse.h"
#include "json/write.h"

// What parses must write, and what is written must read back equal.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coppice::json;
  std::vector<std::string> duplicates;
  const auto value =
      Parse({reinterpret_cast<const char*>(data), size}, {.duplicates = &duplicates});
  if (!value) return 0;
  const auto again = Parse(Write(*value));
  if (!again || !(*again == *value)) std::abort();
  const auto pretty = Parse(WritePretty(*value));
  if (!pretty || !(*pretty == *value)) std::abort();
  return 0;
}
