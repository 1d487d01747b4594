#pragma once

#include <string>
#include <vector>

namespace coppice::http {

// This machine's name and addresses: what others may call a server that listens on all of them.
std::vector<std::string> OwnAddresses();

}  // namespace coppice::http
