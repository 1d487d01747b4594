#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// Zip files with one member, in memory.
namespace coppice::services {

// The member of this name. Damaged files, encrypted members and members above `max_size` bytes are
// errors.
base::Result<std::string> ReadZipMember(std::string_view zip, std::string_view name,
                                        size_t max_size = size_t{1} << 32);
std::string WriteZip(std::string_view name, std::string_view content);

}  // namespace coppice::services
