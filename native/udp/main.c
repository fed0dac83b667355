#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"

/* One socket per input and per output. */
static void allow_many_sockets(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void close_all(struct endpoint *endpoint, int signal_fd) {
  while (!TAILQ_EMPTY(&endpoint->inputs)) input_close(endpoint, TAILQ_FIRST(&endpoint->inputs));
  while (!TAILQ_EMPTY(&endpoint->outputs)) output_close(endpoint, TAILQ_FIRST(&endpoint->outputs));
  link_close(&endpoint->link);
  close(signal_fd);
}

int main(int count, char **arguments) {
  static struct endpoint endpoint;
  char version[32];
  snprintf(version, sizeof version, "udp-endpoint %d", PROTOCOL_VERSION);
  int signal_fd = link_open(&endpoint.link, link_name(count, arguments, version));
  if (signal_fd < 0) return EXIT_START;
  allow_many_sockets();
  TAILQ_INIT(&endpoint.inputs);
  TAILQ_INIT(&endpoint.outputs);
  endpoint.now = endpoint.second_at = clock_us();
  link_report(&endpoint.link, "hello", "version:%d", PROTOCOL_VERSION);
  int code = wire_flush(&endpoint.link.wire, endpoint.now);
  if (code == KEEP_RUNNING) code = loop_run(&endpoint, signal_fd);
  close_all(&endpoint, signal_fd);
  return code;
}
