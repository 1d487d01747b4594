#pragma once

#include <memory>

#include "base/result.h"
#include "http/client/client.h"
#include "kube/client/client.h"
#include "kube/executor/executor.h"
#include "kube/transport/object_decoder.h"

namespace coppice::kube {

// Opens a watch stream and waits for the server's response; an error if it is rejected. Events are
// parsed and delivered by tasks on `executor`. The watch keeps `transport` alive.
base::Result<std::unique_ptr<Watch>> OpenHttpWatch(std::shared_ptr<http::ClientTransport> transport,
                                                   http::ClientRequest request, Executor& executor,
                                                   std::shared_ptr<ObjectDecoder> decoder,
                                                   WatchSink& sink);

}  // namespace coppice::kube
