#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"
#include "log.h"

/* One socket per input and per output. */
static void allow_many_sockets(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

static void close_all(struct endpoint *endpoint, int signal_fd) {
  while (endpoint->input_count > 0) input_close(endpoint, endpoint->inputs[0]->id);
  while (endpoint->output_count > 0) output_close(endpoint, endpoint->outputs[0]->id);
  link_close(&endpoint->link);
  close(signal_fd);
}

static int serve(const char *path) {
  static struct endpoint endpoint;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int signal_fd = signals_open();
  if (signal_fd < 0) {
    log_error("cannot start: %s", strerror(errno));
    return EXIT_START;
  }
  if (!wire_connect(&endpoint.link.wire, path)) {
    log_error("cannot connect to %s: %s", path, endpoint.link.wire.fault);
    return EXIT_START;
  }
  allow_many_sockets();
  endpoint.now = endpoint.second_at = clock_us();
  json_put_integer(link_event(&endpoint.link, "hello"), "version", PROTOCOL_VERSION);
  link_send(&endpoint.link);
  int code = link_flush(&endpoint.link, endpoint.now);
  if (code < 0) code = loop_run(&endpoint, signal_fd);
  close_all(&endpoint, signal_fd);
  return code;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--version") == 0) {
    printf("udp-endpoint %d\n", PROTOCOL_VERSION);
    return EXIT_SUCCESS;
  }
  if (count != 3 || strcmp(arguments[1], "--socket") != 0) {
    fprintf(stderr, "usage: udp-endpoint --socket <path>|fd:<number> | --version\n");
    return EXIT_START;
  }
  return serve(arguments[2]);
}
