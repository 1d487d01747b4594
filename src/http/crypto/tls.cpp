#include "http/crypto/tls.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

#include "base/files.h"
#include "http/crypto/crypto.h"
#include "http/crypto/openssl.h"

namespace coppice::http {
namespace {

using openssl::LastError;
using openssl::PKeyPtr;
using openssl::X509Ptr;

time_t ToUnix(base::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

void AddName(X509_NAME* name, const char* attribute, std::string_view value) {
  X509_NAME_add_entry_by_txt(name, attribute, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

base::Status AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const openssl::ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (!extension || X509_add_ext(certificate, extension.get(), -1) != 1) {
    return LastError("adding a certificate extension");
  }
  return {};
}

bool IsAddress(const std::string& host) {
  unsigned char parsed[16];
  return inet_pton(AF_INET, host.c_str(), parsed) == 1 ||
         inet_pton(AF_INET6, host.c_str(), parsed) == 1;
}

// Alternative names go through OpenSSL's configuration syntax, in which ',' starts the next name.
bool IsPlainHost(const std::string& host) {
  return !host.empty() && host.find_first_of(", \t\n\"\\@;") == std::string::npos;
}

base::Result<X509Ptr> NewCertificate(EVP_PKEY* key, base::Time not_before,
                                     base::Duration validity) {
  X509Ptr certificate(X509_new());
  const std::string serial = RandomBytes(16);
  const openssl::BignumPtr number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(serial.data()), 15, nullptr));
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get()));
  X509_set_version(certificate.get(), X509_VERSION_3);
  // An hour of tolerance for machines whose clocks differ.
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), ToUnix(not_before - std::chrono::hours(1)));
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), ToUnix(not_before + validity));
  if (X509_set_pubkey(certificate.get(), key) != 1) return LastError("setting the public key");
  return certificate;
}

base::Result<KeyPair> SignAndWrite(X509* certificate, EVP_PKEY* key, EVP_PKEY* signer) {
  if (X509_sign(certificate, signer, EVP_sha256()) == 0) return LastError("signing a certificate");
  const openssl::BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  COPPICE_ASSIGN(std::string key_pem, openssl::PrivateKeyToPem(key));
  return KeyPair{openssl::Contents(bio.get()), std::move(key_pem)};
}

base::Status AddHosts(X509* certificate, X509* issuer, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return {};
  std::string names;
  for (const std::string& host : hosts) {
    if (!IsPlainHost(host)) return base::InvalidArgument("not a host name: \"" + host + "\"");
    if (!names.empty()) names += ',';
    names += (IsAddress(host) ? "IP:" : "DNS:") + host;
  }
  return AddExtension(certificate, issuer, NID_subject_alt_name, names);
}

base::Status AddUses(X509* certificate, X509* issuer, const CertificateRequest& request) {
  COPPICE_TRY(AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE"));
  COPPICE_TRY(AddExtension(certificate, issuer, NID_key_usage, "critical,digitalSignature"));
  std::string uses;
  if (request.server) uses = "serverAuth";
  if (request.client) uses += uses.empty() ? "clientAuth" : ",clientAuth";
  if (!uses.empty()) COPPICE_TRY(AddExtension(certificate, issuer, NID_ext_key_usage, uses));
  return AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid");
}

base::Time FromAsn1(const ASN1_TIME* time) {
  std::tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return base::Time(std::chrono::seconds(timegm(&parts)));
}

std::vector<std::string> Hosts(X509* certificate) {
  std::vector<std::string> hosts;
  const openssl::NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    char text[INET6_ADDRSTRLEN];
    if (name->type == GEN_DNS) {
      hosts.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)));
    } else if (name->type == GEN_IPADD) {
      const int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
      hosts.emplace_back(
          inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text));
    }
  }
  return hosts;
}

base::Status WriteFile(const std::string& path, std::string_view contents, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return base::Unavailable("cannot write " + path);
  const bool written =
      write(fd, contents.data(), contents.size()) == static_cast<ssize_t>(contents.size());
  const bool closed = fchmod(fd, mode) == 0 && fsync(fd) == 0;
  close(fd);
  if (!written || !closed) return base::Unavailable("cannot write " + path);
  return {};
}

}  // namespace

base::Result<KeyPair> MakeCertificateAuthority(std::string_view common_name, base::Time not_before,
                                               base::Duration validity) {
  COPPICE_ASSIGN(PKeyPtr key, openssl::GenerateP256());
  COPPICE_ASSIGN(X509Ptr certificate, NewCertificate(key.get(), not_before, validity));
  X509_NAME* name = X509_get_subject_name(certificate.get());
  AddName(name, "CN", common_name);
  X509_set_issuer_name(certificate.get(), name);
  X509* self = certificate.get();
  COPPICE_TRY(AddExtension(self, self, NID_basic_constraints, "critical,CA:TRUE"));
  COPPICE_TRY(
      AddExtension(self, self, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign"));
  COPPICE_TRY(AddExtension(self, self, NID_subject_key_identifier, "hash"));
  return SignAndWrite(self, key.get(), key.get());
}

base::Result<KeyPair> MakeSelfSignedCertificate(const std::string& host, base::Time not_before,
                                                base::Duration validity) {
  const PKeyPtr key(EVP_RSA_gen(2048));
  if (!key) return LastError("generating a key");
  COPPICE_ASSIGN(X509Ptr certificate, NewCertificate(key.get(), not_before, validity));
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 2019);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  AddName(name, "CN", host);
  X509_set_issuer_name(certificate.get(), name);
  X509* self = certificate.get();
  COPPICE_TRY(AddExtension(self, self, NID_basic_constraints, "critical,CA:TRUE"));
  COPPICE_TRY(AddExtension(self, self, NID_key_usage,
                           "critical,digitalSignature,keyEncipherment,keyCertSign"));
  COPPICE_TRY(AddExtension(self, self, NID_ext_key_usage, "serverAuth,clientAuth"));
  COPPICE_TRY(AddHosts(self, self, {host}));
  COPPICE_ASSIGN(KeyPair pair, SignAndWrite(self, key.get(), key.get()));
  const openssl::BioPtr bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey_traditional(bio.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                           nullptr) != 1) {
    return LastError("writing a private key");
  }
  pair.key_pem = openssl::Contents(bio.get());
  return pair;
}

base::Result<KeyPair> IssueCertificate(const KeyPair& authority,
                                       const CertificateRequest& request) {
  COPPICE_ASSIGN(X509Ptr issuer, openssl::CertificateFromPem(authority.certificate_pem));
  COPPICE_ASSIGN(PKeyPtr issuer_key, openssl::PrivateKeyFromPem(authority.key_pem));
  COPPICE_ASSIGN(PKeyPtr key, openssl::GenerateP256());
  COPPICE_ASSIGN(X509Ptr certificate,
                 NewCertificate(key.get(), request.not_before, request.validity));
  X509_NAME* name = X509_get_subject_name(certificate.get());
  for (const std::string& group : request.organizations) AddName(name, "O", group);
  AddName(name, "CN", request.common_name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  COPPICE_TRY(AddUses(certificate.get(), issuer.get(), request));
  COPPICE_TRY(AddHosts(certificate.get(), issuer.get(), request.hosts));
  return SignAndWrite(certificate.get(), key.get(), issuer_key.get());
}

base::Result<CertificateInfo> ReadCertificate(std::string_view certificate_pem) {
  COPPICE_ASSIGN(X509Ptr certificate, openssl::CertificateFromPem(certificate_pem));
  const X509_NAME* name = X509_get_subject_name(certificate.get());
  CertificateInfo info;
  const std::vector<std::string> names = openssl::NameValues(name, NID_commonName);
  if (!names.empty()) info.common_name = names.back();
  info.organizations = openssl::NameValues(name, NID_organizationName);
  info.hosts = Hosts(certificate.get());
  info.not_before = FromAsn1(X509_get0_notBefore(certificate.get()));
  info.not_after = FromAsn1(X509_get0_notAfter(certificate.get()));
  return info;
}

base::Result<KeyPair> LoadKeyPair(const std::string& dir, const std::string& name) {
  COPPICE_ASSIGN(std::string certificate, base::ReadFile(dir + "/" + name + ".crt"));
  COPPICE_ASSIGN(std::string key, base::ReadFile(dir + "/" + name + ".key"));
  return KeyPair{std::move(certificate), std::move(key)};
}

base::Status SaveKeyPair(const KeyPair& pair, const std::string& dir, const std::string& name) {
  COPPICE_TRY(WriteFile(dir + "/" + name + ".key", pair.key_pem, 0600));
  return WriteFile(dir + "/" + name + ".crt", pair.certificate_pem, 0644);
}

}  // namespace coppice::http
