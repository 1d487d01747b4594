#include "cli/run/own_image.h"

#include <cstdlib>
#include <string_view>

#include "base/own_image.h"

namespace coppice::cli {
namespace {

std::string ImageFromEnvironment(const char* name, std::string fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : std::move(fallback);
}

// ":tag", "@digest" or both; not a registry port.
std::string_view TagOf(std::string_view image) {
  const size_t slash = image.find_last_of('/');
  const size_t end = image.find_first_of(":@", slash == image.npos ? 0 : slash);
  return end == image.npos ? std::string_view() : image.substr(end);
}

}  // namespace

std::string OwnImage() { return ImageFromEnvironment("COPPICE_IMAGE", base::kOwnImage); }

std::string InitContainerImage() {
  const std::string own = OwnImage();
  std::string image = ImageFromEnvironment("GROVE_INIT_CONTAINER_IMAGE", own);
  if (!TagOf(image).empty()) return image;
  // The digest belongs to another image.
  const std::string_view tag = TagOf(own);
  image += tag.substr(0, tag.find('@'));
  return image;
}

}  // namespace coppice::cli
