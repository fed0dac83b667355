#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"
#include "log.h"

/* One socket per connection. */
static void allow_many_sockets(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int count, char **arguments) {
  static struct endpoint endpoint;
  char version[32];
  snprintf(version, sizeof version, "rtmp-endpoint %d", PROTOCOL_VERSION);
  const int signal_fd = link_open(&endpoint.link, link_name(count, arguments, version));
  endpoint.poll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (signal_fd < 0 || endpoint.poll_fd < 0) return EXIT_START;
  allow_many_sockets();
  TAILQ_INIT(&endpoint.publishers);
  TAILQ_INIT(&endpoint.gone_publishers);
  TAILQ_INIT(&endpoint.gone_players);
  endpoint.now = endpoint.second_at = clock_us();
  link_report(&endpoint.link, "hello", "version:%d", PROTOCOL_VERSION);
  int code = wire_flush(&endpoint.link.wire, endpoint.now);
  if (code == KEEP_RUNNING) code = loop_run(&endpoint, signal_fd);
  /* The system frees the rest. */
  link_close(&endpoint.link);
  return code;
}
