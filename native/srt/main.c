#include <errno.h>
#include <malloc.h>
#include <srt/logging_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"
#include "log.h"
#include "watchdog.h"

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
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) connection_close(endpoint, connection, "stopping", 0);
  connections_sweep(endpoint);
  ports_sweep();
  feeds_free(endpoint);
  admission_set_keys(NULL, 0);
  link_close(&endpoint->link);
  srt_cleanup();
  close(endpoint->wake_fd);
  close(signal_fd);
}

int main(int count, char **arguments) {
  static struct endpoint endpoint;
  char libsrt[16], version[64];
  const uint32_t number = srt_getversion();
  snprintf(libsrt, sizeof libsrt, "%u.%u.%u", number >> 16, (number >> 8) & 0xFF, number & 0xFF);
  snprintf(version, sizeof version, "srt-endpoint %d, libsrt %s", PROTOCOL_VERSION, libsrt);
  give_back_what_is_freed();
  /* Before libsrt starts its threads, so that they inherit the mask of signals. */
  int signal_fd = link_open(&endpoint.link, link_name(count, arguments, version));
  if (signal_fd < 0) return EXIT_START;
  endpoint.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!start_library()) {
    log_error("libsrt does not start: %s", srt_getlasterror_str());
    return EXIT_START;
  }
  TAILQ_INIT(&endpoint.connections);
  endpoint.next_connection = 1;
  endpoint.poll_id = srt_epoll_create();
  /* The set is empty until the first listener or call. */
  srt_epoll_set(endpoint.poll_id, SRT_EPOLL_ENABLE_EMPTY);
  endpoint.now = endpoint.stats_at = clock_us();
  link_report(&endpoint.link, "hello", "version:%d libsrt:%s", PROTOCOL_VERSION, libsrt);
  if (endpoint.wake_fd < 0 || !watchdog_start()) {
    log_error("cannot start: %s", strerror(errno));
    return EXIT_START;
  }
  int code = loop_run(&endpoint, signal_fd);
  close_all(&endpoint, signal_fd);
  return code;
}
