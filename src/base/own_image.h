#pragma once

namespace coppice::base {

// The image that a build is released as. Pods that run this program, such as init containers and
// GPU reservations, use it unless the process knows which image it runs from itself.
inline constexpr char kOwnImage[] = "coppice:" COPPICE_VERSION;

}  // namespace coppice::base
