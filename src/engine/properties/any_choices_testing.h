#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "engine/properties/choices_testing.h"

namespace coppice::engine::testing {

// Lists of choices that grow from case to case; a failing list is shrunk until nothing can be
// removed. rapidcheck prints the seed, and RC_PARAMS="seed=…" runs it again.
inline rc::Gen<Choices> AnyChoices() {
  return rc::gen::map(rc::gen::scale(6.0, rc::gen::arbitrary<std::vector<uint32_t>>()),
                      [](std::vector<uint32_t> given) { return Choices(std::move(given)); });
}

}  // namespace coppice::engine::testing

namespace rc {
// A list of numbers says little; the property describes what was built from it.
inline void showValue(const coppice::engine::testing::Choices&, std::ostream& out) {
  out << "(see below)";
}
}  // namespace rc
