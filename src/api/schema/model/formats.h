#pragma once

#include <string_view>

namespace coppice::api {

// Whether a text has the form that an OpenAPI `format` asks for. Formats that Kubernetes does not
// check, and unknown ones, accept everything.
bool HasFormat(std::string_view format, std::string_view text);

}  // namespace coppice::api
