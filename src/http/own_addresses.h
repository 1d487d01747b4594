#pragma once

#include <string>
#include <vector>

namespace coppice::http {

// This machine's name and addresses, under which clients may reach a server that listens on all of
// them.
std::vector<std::string> OwnAddresses();

}  // namespace coppice::http
