#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"

namespace coppice::http {

class Handler;
class Server;

// A small server with its own handler, on 127.0.0.1 for the lifetime of the object.
class OwningServer {
 public:
  // Port 0: the system picks one.
  static base::Result<std::unique_ptr<OwningServer>> Start(uint16_t port,
                                                           std::unique_ptr<Handler> handler);
  // Lets running requests finish for a second.
  ~OwningServer();

  uint16_t port() const;

 private:
  explicit OwningServer(std::unique_ptr<Handler> handler);

  std::unique_ptr<Handler> handler_;
  std::unique_ptr<Server> server_;
};

}  // namespace coppice::http
