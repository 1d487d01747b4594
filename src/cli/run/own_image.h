#pragma once

#include <string>

namespace coppice::cli {

// The image of the pods that run this program: COPPICE_IMAGE, which the chart sets to the image of
// the process itself; base::kOwnImage where that is not set.
std::string OwnImage();

// The image of init containers that hold pods back. GROVE_INIT_CONTAINER_IMAGE, as for Grove's
// operator: an image without a tag gets that of OwnImage(). Not set: OwnImage().
std::string InitContainerImage();

}  // namespace coppice::cli
