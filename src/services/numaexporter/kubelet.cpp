#include "services/numaexporter/kubelet.h"

#include "http/client/grpc_call.h"

namespace coppice::services::numaexporter {

base::Result<std::vector<PodResources>> ListPodResources(const std::string& socket,
                                                         base::Duration timeout) {
  COPPICE_ASSIGN(const std::string answer,
                 http::CallGrpc(socket, "/v1.PodResourcesLister/List", "", timeout));
  return DecodePodResources(answer);
}

}  // namespace coppice::services::numaexporter
