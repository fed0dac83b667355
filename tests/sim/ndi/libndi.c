/*
 * A double of the NDI library: discovery and routing; media.c has the senders and receivers. It behaves as the real one
 * was measured to (6.3), including its surprises: any route is accepted, a receiver keeps its source when the router's
 * process ends, and the array of sources is overwritten by the next call.
 *
 * Processes with the same NDI_DOUBLE_NETWORK, a file, are on one network. A confined process, which cannot open that
 * file, gets its descriptor through a socket next to the library, `network.sock`, if another process serves one
 * (serve.c). Otherwise a process is alone.
 *
 * Environment: NDI_DOUBLE_SOURCES adds simulated sources (simulated.c). NDI_DOUBLE_FAULT=CALL:ACTION
 * or CALL:ACTION:NTH makes that call fail: `null` (refused), `hang`, `crash`, `abort`, `exit`, `thread` (crash on a
 * thread of the library). The same text at the start of the network's file applies once, to the next caller.
 */
#include "double.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_NAME = 253, DISCOVERY_MS = 50 };

struct network *network;
int network_file = -1;
static char machine[NAME_BYTES], default_send[NAME_BYTES] = "Public", default_receive[NAME_BYTES] = "Public";
static bool sees_twice;

uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void sleep_ms(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

void copy(char *to, const char *from) { snprintf(to, NAME_BYTES, "%s", from ? from : ""); }

/* ---- Faults on request ---- */

static void *crash(void *unused) {
  (void)unused;
  *(volatile int *)(uintptr_t)8 = 1;
  return NULL;
}

static void act(const char *action) {
  pthread_t thread;
  if (strcmp(action, "crash") == 0) crash(NULL);
  if (strcmp(action, "abort") == 0) abort();
  if (strcmp(action, "exit") == 0) _exit(0);
  if (strcmp(action, "thread") == 0 && pthread_create(&thread, NULL, crash, NULL) == 0) pthread_join(thread, NULL);
  if (strcmp(action, "hang") == 0) {
    for (;;) sleep_ms(1000);
  }
}

/* Returns whether the call is to be refused. */
bool fails(const char *call) {
  static char seen[FAULT_BYTES];
  static unsigned long calls;
  char spec[FAULT_BYTES] = "";
  const char *environment = getenv("NDI_DOUBLE_FAULT");
  bool is_once = network && network->fault[0] != '\0';
  snprintf(spec, sizeof spec, "%.63s", is_once ? network->fault : environment ? environment : "");
  if (strcmp(spec, seen) != 0) calls = 0;
  strcpy(seen, spec);
  char *rest = spec;
  const char *wanted = strsep(&rest, ":"), *action = strsep(&rest, ":");
  unsigned long nth = rest ? strtoul(rest, NULL, 10) : 1;
  if (!action || strcmp(wanted, call) != 0 || ++calls < nth) return false;
  if (is_once) network->fault[0] = '\0';
  if (is_once || calls == nth || strcmp(action, "null") == 0) act(action);
  return strcmp(action, "null") == 0;
}

/* ---- Configuration: read once per process ---- */

/* Finds `"key": "text"`; the file is written by the hub. */
static void configured(const char *json, const char *section, const char *key, char *value) {
  char quoted[64];
  const char *at = json;
  snprintf(quoted, sizeof quoted, "\"%s\"", section);
  if (section[0] != '\0' && (at = strstr(json, quoted)) == NULL) return;
  snprintf(quoted, sizeof quoted, "\"%s\"", key);
  at = strstr(at, quoted);
  if (!at) return;
  at = strchr(at + strlen(quoted), '"');
  const char *end = at ? strchr(at + 1, '"') : NULL;
  if (end && end > at + 1) snprintf(value, NAME_BYTES, "%.*s", (int)(end - at - 1), at + 1);
}

static void read_configuration(void) {
  char path[4096], json[8192] = "", name[NAME_BYTES] = "", extra_ips[NAME_BYTES] = "";
  gethostname(name, sizeof name - 1);
  const char *folder = getenv("NDI_CONFIG_DIR");
  snprintf(path, sizeof path, "%s/ndi-config.v1.json", folder ? folder : "/nonexistent");
  FILE *file = fopen(path, "r");
  if (file) {
    json[fread(json, 1, sizeof json - 1, file)] = '\0';
    fclose(file);
    configured(json, "", "machinename", name);
    configured(json, "networks", "ips", extra_ips);
    configured(json, "groups", "send", default_send);
    configured(json, "groups", "recv", default_receive);
  }
  sees_twice = extra_ips[0] != '\0';
  char *to = machine;
  for (const char *from = name; *from; from++) {
    if (*from != '(' && *from != ')') *to++ = (char)toupper((unsigned char)*from);
  }
  *to = '\0';
}

static void open_network(void) {
  const char *path = getenv("NDI_DOUBLE_NETWORK");
  bool is_own = path || serves_network;
  if (path) network_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  else network_file = serves_network ? memfd_create("network", MFD_CLOEXEC) : served_network();
  if (is_own && network_file >= 0 && ftruncate(network_file, sizeof *network) != 0) abort();
  int flags = network_file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  network = mmap(NULL, sizeof *network, PROT_READ | PROT_WRITE, flags, network_file, 0);
  if (network == MAP_FAILED) abort();
}

void prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_once_t opened = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_configuration);
  pthread_once(&opened, open_network);
}

/* ---- Entries ---- */

/* A confined process must not signal others, but it sees their folders. */
static bool runs(pid_t pid) {
  char folder[32];
  if (pid == getpid() || kill(pid, 0) == 0) return true;
  snprintf(folder, sizeof folder, "/proc/%d", pid);
  return errno == EPERM && access(folder, F_OK) == 0;
}

bool lives(const struct entry *entry) { return entry->kind != FREE && runs(entry->pid); }

/* Not a lock of the file: processes that were passed its descriptor would share that. */
static void lock(void) {
  for (pid_t holder = 0; !atomic_compare_exchange_strong(&network->lock, &holder, getpid());) {
    if (holder != 0 && runs(holder)) holder = 0;
    sleep_ms(1);
  }
}

static void unlock(void) { network->lock = 0; }

struct entry *named(const char *name) {
  for (uint32_t at = 0; name[0] != '\0' && at < network->used; at++) {
    struct entry *entry = &network->entries[at];
    if (strcmp(entry->name, name) == 0 && lives(entry)) return entry;
  }
  return NULL;
}

struct entry *add(enum kind kind, const char *name, const char *groups) {
  lock();
  struct entry *found = NULL;
  if (!named(name)) {
    for (uint32_t at = 0; at < SLOTS && !found; at++) {
      if (at < network->used && lives(&network->entries[at])) continue;
      found = &network->entries[at];
      if (at >= network->used) network->used = at + 1;
    }
  }
  if (found) {
    memset(found, 0, sizeof *found);
    found->serial = ++network->serial;
    copy(found->name, name);
    copy(found->groups, groups);
    found->pid = getpid();
    found->kind = kind;
  }
  unlock();
  return found;
}

void drop(struct entry *entry) {
  entry->kind = FREE;
  entry->name[0] = '\0';
}

/* `MACHINE (name)`, with the characters replaced that a name must not have. Returns whether it is short enough. */
static bool full_name(char *full, const char *name) {
  if (!name || name[0] == '\0') name = "bun";
  if (strlen(machine) + strlen(name) + 3 > LONGEST_NAME) return false;
  int length = snprintf(full, NAME_BYTES, "%s (%s)", machine, name);
  for (int at = (int)strlen(machine) + 2; at < length - 1; at++) {
    if (strchr("\\/:*?\"<>|", full[at])) full[at] = ' ';
  }
  return true;
}

struct entry *add_named(enum kind kind, const char *name, const char *groups) {
  char full[NAME_BYTES];
  if (!full_name(full, name)) return NULL;
  return add(kind, full, groups && groups[0] ? groups : default_send);
}

static bool share_group(const char *one, const char *other) {
  char list[NAME_BYTES], *rest = list;
  copy(list, one);
  for (char *group; (group = strsep(&rest, ","));) {
    const char *at = strstr(other, group);
    size_t length = strlen(group);
    if (length > 0 && at && (at == other || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) return true;
  }
  return false;
}

/* ---- Exports: library ---- */

EXPORT bool NDIlib_initialize(void) {
  prepare();
  return !fails("initialize");
}

EXPORT void NDIlib_destroy(void) {}

#ifndef VERSION
#define VERSION "Double of the NDI library 6.3.99.0"
#endif
#ifndef WITHOUT_VERSION
EXPORT const char *NDIlib_version(void) {
  return VERSION;
}
#endif

/* ---- Exports: discovery ---- */

struct listing {
  struct source *sources;
  uint32_t count;
};

struct finder {
  char groups[NAME_BYTES];
  uint64_t since, digest;
  struct listing current, stale;
};

static void forget(struct listing *listing) {
  for (uint32_t at = 0; at < listing->count; at++) free((void *)listing->sources[at].name);
  free(listing->sources);
  *listing = (struct listing){0};
}

/* What a caller kept beyond its time reads as garbage. */
static void poison(struct listing *listing) {
  for (uint32_t at = 0; at < listing->count; at++) {
    char *name = (char *)listing->sources[at].name;
    memset(name, '#', strlen(name));
  }
}

static void list(struct listing *listing, const char *name) {
  struct source *grown = realloc(listing->sources, (listing->count + 1) * sizeof *grown);
  if (!grown) abort();
  listing->sources = grown;
  grown[listing->count++] = (struct source){.name = strdup(name), .address = "127.0.0.1:5961"};
}

EXPORT void *NDIlib_find_create_v2(const struct find_create *options) {
  prepare();
  if (fails("find_create")) return NULL;
  struct finder *finder = calloc(1, sizeof *finder);
  copy(finder->groups, options && options->groups ? options->groups : default_receive);
  finder->since = now_ms();
  return finder;
}

EXPORT void NDIlib_find_destroy(struct finder *finder) {
  forget(&finder->current);
  forget(&finder->stale);
  free(finder);
}

/* What a finder sees, as one number: names have no order here, but entries have. */
static uint64_t digest(const struct finder *finder) {
  uint64_t sum = now_ms() - finder->since >= DISCOVERY_MS ? 1 : 0;
  for (uint32_t at = 0; sum != 0 && at < network->used; at++) {
    const struct entry *entry = &network->entries[at];
    if ((entry->kind != SENDER && entry->kind != ROUTER) || !lives(entry)) continue;
    for (const char *byte = entry->name; *byte; byte++) sum = sum * 31 + (unsigned char)*byte;
  }
  return sum;
}

EXPORT bool NDIlib_find_wait_for_sources(struct finder *finder, uint32_t timeout_ms) {
  fails("find_wait_for_sources");
  for (uint64_t end = now_ms() + timeout_ms;;) {
    uint64_t seen = digest(finder);
    if (seen != finder->digest) {
      finder->digest = seen;
      return true;
    }
    if (now_ms() >= end) return false;
    sleep_ms(2);
  }
}

EXPORT const struct source *NDIlib_find_get_current_sources(struct finder *finder, uint32_t *count) {
  fails("find_get_current_sources");
  forget(&finder->stale);
  finder->stale = finder->current;
  poison(&finder->stale);
  finder->current = (struct listing){0};
  if (now_ms() - finder->since >= DISCOVERY_MS) {
    char name[NAME_BYTES];
    for (int at = 0; simulated_name(at, name); at++) list(&finder->current, name);
    for (uint32_t at = 0; at < network->used; at++) {
      const struct entry *entry = &network->entries[at];
      if ((entry->kind != SENDER && entry->kind != ROUTER) || !lives(entry)) continue;
      if (!share_group(entry->groups, finder->groups)) continue;
      list(&finder->current, entry->name);
      if (sees_twice) list(&finder->current, entry->name);
    }
  }
  *count = finder->current.count;
  return finder->current.sources;
}

/* ---- Exports: routing ---- */

struct router {
  struct entry *entry;
  struct source source;
};

EXPORT void *NDIlib_routing_create(const struct routing_create *options) {
  prepare();
  if (fails("routing_create")) return NULL;
  struct entry *entry = add_named(ROUTER, options->name, options->groups);
  if (!entry) return NULL;
  struct router *router = calloc(1, sizeof *router);
  router->entry = entry;
  router->source.name = entry->name;
  return router;
}

EXPORT void NDIlib_routing_destroy(struct router *router) {
  fails("routing_destroy");
  drop(router->entry);
  free(router);
}

EXPORT bool NDIlib_routing_change(struct router *router, const struct source *source) {
  if (fails("routing_change")) return false;
  copy(router->entry->target, source->name);
  return true;
}

EXPORT bool NDIlib_routing_clear(struct router *router) {
  if (fails("routing_clear")) return false;
  router->entry->target[0] = '\0';
  router->entry->clears++;
  return true;
}

EXPORT int NDIlib_routing_get_no_connections(struct router *router, uint32_t timeout_ms) {
  fails("routing_get_no_connections");
  int count = 0;
  for (uint32_t at = 0; at < network->used; at++) {
    const struct entry *entry = &network->entries[at];
    if (entry->kind == RECEIVER && strcmp(entry->target, router->entry->name) == 0 && lives(entry)) count++;
  }
  if (count == 0) sleep_ms((long)timeout_ms);
  return count;
}

EXPORT const struct source *NDIlib_routing_get_source_name(struct router *router) { return &router->source; }
