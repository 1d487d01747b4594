#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cel/program.h"

// Any text compiles or is refused; any program ends within its budget.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coppice::cel;
  const auto program =
      Program::Compile({reinterpret_cast<const char*>(data), size}, {"self", "oldSelf"});
  if (!program) return 0;
  static const Value kSelf = Value::MakeMap(
      {{"a", 1}, {"s", "text"}, {"l", Value::MakeList({1, 2, "x", Value::MakeMap({{"k", 1.5}})})}});
  const Value values[] = {kSelf, Value::SomeOptional(kSelf)};
  size_t budget = 10'000;
  (void)program->EvaluateWithin(values, budget);
  if (budget > 10'000) std::abort();
  return 0;
}
