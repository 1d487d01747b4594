#include "tests/vectors/kind.h"

namespace coppice::vectors {

std::vector<Kind>& Kinds() {
  static std::vector<Kind> kinds;
  return kinds;
}

}  // namespace coppice::vectors
