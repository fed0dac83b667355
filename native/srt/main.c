#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <srt/logging_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "log.h"
#include "watchdog.h"

/* The oldest version with the listener callback, reject codes and statistics used here. */
#define OLDEST_LIBSRT 0x010500

static void version_text(char out[32]) {
  uint32_t version = srt_getversion();
  snprintf(out, 32, "%u.%u.%u", version >> 16, (version >> 8) & 0xFF, version & 0xFF);
}

/* libsrt reports why a handshake failed only in its log; its other messages below "critical" are dropped. */
static void on_library_log(void *opaque, int level, const char *file, int line, const char *area, const char *message) {
  (void)opaque;
  (void)file;
  (void)line;
  if (level <= LOG_CRIT) log_error("libsrt: %s %s", area, message);
  if (strstr(message, "connection rejected due to") == NULL) return;
  if (strstr(message, "BADSECRET") != NULL || strstr(message, "UNSECURE") != NULL) admission_note_bad_secret();
}

static bool start_library(void) {
  const int areas[] = {SRT_LOGFA_GENERAL, SRT_LOGFA_CONN};
  srt_setloghandler(NULL, on_library_log);
  srt_setlogflags(SRT_LOGF_DISABLE_TIME | SRT_LOGF_DISABLE_THREADNAME | SRT_LOGF_DISABLE_SEVERITY |
                  SRT_LOGF_DISABLE_EOL);
  srt_resetlogfa(areas, sizeof areas / sizeof areas[0]);
  srt_setloglevel(LOG_WARNING);
  return srt_startup() >= 0;
}

/* libsrt allocates send buffers in pieces of 46 kB, up to 12 MB for a receiver that has vanished. On the heap they
   leave holes that the process never returns [2000 receivers in a minute: 440 MB]; separate mappings are freed with the
   connection. Beyond some thousand of them the heap is used: the number of mappings of a process is limited. */
static void give_back_what_is_freed(void) {
  const int mapped_from = 32 << 10, max_maps = 16384;
  mallopt(M_MMAP_THRESHOLD, mapped_from);
  mallopt(M_MMAP_MAX, max_maps);
}

/* Sends a shutdown to every peer; the rest of libsrt ends with the process. */
static void close_all(struct endpoint *endpoint, int signal_fd) {
  listeners_close(endpoint);
  for (uint32_t i = 0; i < endpoint->connection_count; i++) {
    connection_close(endpoint, endpoint->connections[i], "stopping", 0);
  }
  connections_sweep(endpoint);
  ports_sweep();
  feeds_free(endpoint);
  admission_set_keys(NULL, 0);
  link_close(&endpoint->link);
  srt_cleanup();
  close(endpoint->wake_fd);
  close(signal_fd);
}

static int serve(const char *path) {
  static struct endpoint endpoint;
  give_back_what_is_freed();
  char version[32];
  endpoint.next_connection = 1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* Before libsrt starts its threads, so that they inherit the mask. */
  int signal_fd = signals_open();
  endpoint.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signal_fd < 0 || endpoint.wake_fd < 0) {
    log_error("cannot start: %s", strerror(errno));
    return EXIT_START;
  }
  if (!wire_connect(&endpoint.link.wire, path)) {
    log_error("cannot connect to %s: %s", path, endpoint.link.wire.fault);
    return EXIT_START;
  }
  admission_init();
  if (!start_library()) {
    log_error("libsrt does not start: %s", srt_getlasterror_str());
    return EXIT_START;
  }
  endpoint.poll_id = srt_epoll_create();
  /* The set is empty until the first listener or call. */
  srt_epoll_set(endpoint.poll_id, SRT_EPOLL_ENABLE_EMPTY);
  endpoint.now = endpoint.stats_at = clock_us();
  version_text(version);
  event_hello(&endpoint, version);
  if (!watchdog_start()) {
    log_error("cannot start a thread: %s", strerror(errno));
    return EXIT_START;
  }
  int code = loop_run(&endpoint, signal_fd);
  close_all(&endpoint, signal_fd);
  return code;
}

int main(int count, char **arguments) {
  char version[32];
  version_text(version);
  if (count == 2 && strcmp(arguments[1], "--version") == 0) {
    printf("srt-endpoint %d, libsrt %s\n", PROTOCOL_VERSION, version);
    return EXIT_SUCCESS;
  }
  if (count != 3 || strcmp(arguments[1], "--socket") != 0) {
    fprintf(stderr, "usage: srt-endpoint --socket <path>|fd:<number> | --version\n");
    return EXIT_START;
  }
  if (srt_getversion() < OLDEST_LIBSRT) {
    log_error("libsrt %s is too old, 1.5.0 is needed", version);
    return EXIT_START;
  }
  return serve(arguments[2]);
}
