#include "store/files/damage.h"

#include <fmt/format.h>

namespace coppice::store {

base::Error Damaged(std::string_view file, std::string_view what) {
  return base::Internal(
      fmt::format("{} is damaged: {}; restore a backup into a new folder, or start once with "
                  "--accept-data-loss to go on with what can still be read",
                  file, what));
}

}  // namespace coppice::store
