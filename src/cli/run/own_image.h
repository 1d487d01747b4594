#pragma once

#include <string>

namespace coppice::cli {

// The image for pods that run this program: COPPICE_IMAGE, which the chart sets to the image of the
// process itself; base::kOwnImage if it is not set.
std::string OwnImage();

// The image of the init containers that delay pods: GROVE_INIT_CONTAINER_IMAGE, as for Grove's
// operator. An image without a tag gets the tag of OwnImage(). If not set: OwnImage().
std::string InitContainerImage();

}  // namespace coppice::cli
