/* The interface between Coppice and backends in shared objects: plain C, without a library on the
 * plugin's side. Documents are opaque values that the plugin reads and builds through the host.
 *
 * A plugin exports one function,
 *
 *   const coppice_backend_v1* coppice_backend_open_v1(const coppice_host_v1* host);
 *
 * which returns its description, or NULL if it cannot work with this host. Host and description
 * stay valid until the process ends; shared objects are never unloaded. The plugin's functions may
 * be called from several threads at once and must not throw.
 *
 * Versioning: members are only added at the end of the structures, and `size` tells which members
 * the other side knows. An incompatible change gets new names ending in _v2.
 *
 * Ownership: values that the host passes in belong to the host, are read-only, and are valid during
 * the call. A plugin owns the values that it creates until it returns them or adds them to another
 * value with set or append. */
#ifndef COPPICE_BACKENDS_PLUGIN_ABI_H_
#define COPPICE_BACKENDS_PLUGIN_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coppice_value coppice_value;

typedef struct coppice_host_v1 {
  size_t size; /* sizeof(coppice_host_v1) of the host. */

  /* Reading. A missing member or item reads as null, "", 0. */
  const coppice_value* (*member)(const coppice_value* value, const char* key);
  const coppice_value* (*item)(const coppice_value* value, size_t index);
  size_t (*count)(const coppice_value* value); /* Items of an array, members of an object. */
  /* Not NUL-terminated; stores the length in `length`. */
  const char* (*text)(const coppice_value* value, size_t* length);
  int64_t (*integer)(const coppice_value* value);
  int (*is_null)(const coppice_value* value);

  /* Building. */
  coppice_value* (*make_object)(void);
  coppice_value* (*make_array)(void);
  coppice_value* (*make_text)(const char* text, size_t length);
  coppice_value* (*make_integer)(int64_t number);
  coppice_value* (*make_boolean)(int truth);
  coppice_value* (*copy)(const coppice_value* value);
  /* Takes ownership of `child`; replaces an existing member. */
  void (*set)(coppice_value* object, const char* key, coppice_value* child);
  void (*append)(coppice_value* array, coppice_value* child);
  void (*release)(coppice_value* value);
} coppice_host_v1;

typedef struct coppice_backend_v1 {
  size_t size;                        /* sizeof(coppice_backend_v1) of the plugin. */
  const char* name;                   /* "acme". */
  const char* const* scheduler_names; /* NULL-terminated; the first is set on pods. */
  const char* gate;                   /* NULL: grove.io/podgang. */
  void* context;                      /* Passed to every function below. */

  /* [{group, version, plural, kind, namespaced, write, fields: [path]}] */
  coppice_value* (*resources)(void* context);
  /* `input` is the document of backends/framework/gang_document.h. Returns
   *   {objects: [{resource: {…}, object: {…}, immutable: [path], createOnly: [path]}],
   *    outcomes: [{kind: "Approximated" | "Dropped", path, value, outcome}],
   *    refusal: {reason, path, message}}
   * The PodGang owns namespaced objects, which are deleted with it. It cannot own cluster-scoped
   * objects, so those are never deleted. */
  coppice_value* (*translate)(void* context, const coppice_value* input);
  /* `slot` is {group, index, core}. Returns {labels: {…}, annotations: {…}} to set on the pod, or
   * {error, retry: boolean}. */
  coppice_value* (*mark_pod)(void* context, const coppice_value* input, const coppice_value* slot);
  /* May be NULL. `objects` are the live objects in the order of translate's. Returns
   * {unschedulableReason, unschedulableMessage, unhealthyReason, disruptionReason, message}. */
  coppice_value* (*read_signals)(void* context, const coppice_value* input,
                                 const coppice_value* objects);
} coppice_backend_v1;

typedef const coppice_backend_v1* (*coppice_backend_open_v1_function)(const coppice_host_v1* host);
#define COPPICE_BACKEND_OPEN_V1 "coppice_backend_open_v1"

#ifdef __cplusplus
}
#endif

#endif /* COPPICE_BACKENDS_PLUGIN_ABI_H_ */
