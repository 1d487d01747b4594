#include "server/api_server.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "api/well_known.h"
#include "kube/object.h"
#include "server/auth/bootstrap.h"
#include "server/controllers/controllers.h"
#include "server/core/core.h"
#include "server/core/namespaces.h"
#include "server/crd/crd_serving.h"
#include "server/kinds/builtin.h"
#include "server/local_client.h"
#include "server/plugins/plugins.h"
#include "store/sqlite/bulk_journal.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"

namespace coppice::server {
namespace {

constexpr const char* kDatabaseName = "coppice.db";

uint64_t SeedFor(const ApiServer::Options& options) {
  if (options.seed) return *options.seed;
  if (options.data_dir.empty()) return 1;
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

bool Lists(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// `bulk` is the store's journal while the server starts; null in memory.
base::Result<std::unique_ptr<store::Store>> OpenStore(const ApiServer::Options& options,
                                                      store::BulkJournal*& bulk) {
  const store::Store::Options store_options{.history = options.watch_history};
  if (options.data_dir.empty()) return store::Store::InMemory(store_options);
  std::error_code error;
  std::filesystem::create_directories(options.data_dir, error);
  if (error) {
    return base::Internal("cannot create " + options.data_dir + ": " + error.message());
  }
  COPPICE_ASSIGN(auto file, store::OpenSqliteJournal(options.data_dir + "/" + kDatabaseName,
                                                     {.max_bytes = options.max_database_bytes,
                                                      .accept_loss = options.accept_data_loss}));
  auto journal = std::make_unique<store::BulkJournal>(std::move(file));
  bulk = journal.get();
  return store::Store::Open(std::move(journal), store_options);
}

}  // namespace

ApiServer::ApiServer(std::unique_ptr<Core> core)
    : core_(std::move(core)), controllers_(std::make_unique<Controllers>(*core_)) {}

ApiServer::~ApiServer() { controllers_->Stop(); }

base::Result<std::unique_ptr<ApiServer>> ApiServer::Make(Options options) {
  if (options.clock == nullptr) return base::InvalidArgument("ApiServer needs a clock");
  store::BulkJournal* bulk = nullptr;
  COPPICE_ASSIGN(std::unique_ptr<store::Store> store, OpenStore(options, bulk));
  auto core = std::make_unique<Core>(
      std::move(store),
      Core::Options{.clock = options.clock,
                    .kubernetes_version = options.kubernetes_version,
                    .seed = SeedFor(options),
                    .pki_dir = options.data_dir.empty() ? std::string() : options.data_dir + "/pki",
                    .fills_token_secrets = !Lists(options.disabled_admission, "ServiceAccount")});
  if (!options.data_dir.empty()) COPPICE_TRY(core->pki());
  core->ChangeRegistry(
      [&](Registry& registry) { AddBuiltinKinds(options.kubernetes_version, registry); });
  ServeStoredCrds(*core);
  AddBuiltinPlugins(*core, options.disabled_admission);
  std::unique_ptr<ApiServer> server(new ApiServer(std::move(core)));
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    COPPICE_TRY(EnsureNamespace(*server->core_, name));
  }
  COPPICE_TRY(EnsureBootstrapPolicy(*server->core_));
  COPPICE_TRY(EnsureSystemObjects(*server->core_));
  if (bulk) COPPICE_TRY(bulk->Finish());
  return server;
}

std::unique_ptr<kube::Client> ApiServer::NewClient(kube::Executor& executor, User user) {
  return MakeLocalClient(*core_, executor, std::move(user));
}

base::Status ApiServer::InstallCrd(const json::Value& crd) {
  Request request{.served = core_->registry()->Find(api::kCustomResourceDefinitions),
                  .user = User::Admin(),
                  .field_manager = "coppice"};
  const base::Result<Outcome> created = core_->Create(request, crd);
  if (created || !created.Is(base::ErrorCode::kAlreadyExists)) {
    return created ? base::Status() : base::Status(created.error());
  }
  request.name = kube::Name(crd);
  COPPICE_TRY(core_->Update(request, crd));
  return {};
}

void ApiServer::AddAdmission(std::shared_ptr<AdmissionPlugin> plugin) {
  core_->admission().Add(std::move(plugin));
}

base::Status ApiServer::BackUp(const std::string& data_dir, const std::string& file) {
  const std::string database = data_dir + "/" + kDatabaseName;
  if (!std::filesystem::exists(database)) {
    return base::NotFound("there is no database in " + data_dir);
  }
  if (std::filesystem::exists(file)) return base::AlreadyExists(file + " exists already");
  return store::BackUpSqlite(database, file);
}

void ApiServer::StartControllers(kube::Executor& executor) { controllers_->Start(executor); }

}  // namespace coppice::server
