#pragma once

#include "backends/plugin_abi.h"
#include "json/value.h"

namespace coppice::backends::plugin {

// The host's side of the plugin interface: json::Value behind opaque pointers.
const coppice_host_v1& Host();

inline const coppice_value* ToPlugin(const json::Value& value) {
  return reinterpret_cast<const coppice_value*>(&value);
}
// Takes ownership of a value that a plugin returned; null for NULL.
json::Value Take(coppice_value* value);

}  // namespace coppice::backends::plugin
