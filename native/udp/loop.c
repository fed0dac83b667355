#include <poll.h>
#include <stdlib.h>

#include "clock.h"
#include "endpoint.h"

/* Minimum interval between reads: at a high rate, waking for each datagram costs more than sending it. A datagram that
   arrives later than this after the previous read is read at once. */
enum { GATHER = 1000 };

enum { WIRE, SIGNAL, FIRST_INPUT };

static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t next_due(const struct endpoint *endpoint) {
  int64_t due = earlier(feeds_due(endpoint), inputs_due(endpoint));
  return endpoint->is_early ? earlier(due, endpoint->inputs_at) : due;
}

/* Returns the number of watched descriptors. */
static nfds_t watch(const struct endpoint *endpoint, struct pollfd *watched, int signal_fd) {
  const struct wire *wire = &endpoint->link.wire;
  watched[WIRE] = (struct pollfd){.fd = wire->fd, .events = POLLIN};
  if (wire_has_unsent(wire)) watched[WIRE].events = POLLIN | POLLOUT;
  watched[SIGNAL] = (struct pollfd){.fd = signal_fd, .events = POLLIN};
  if (endpoint->is_early) return FIRST_INPUT;
  const struct input *input;
  nfds_t count = FIRST_INPUT;
  TAILQ_FOREACH(input, &endpoint->inputs, entry_in_all)
    watched[count++] = (struct pollfd){.fd = input->fd, .events = POLLIN};
  return count;
}

static void sleep_until(struct pollfd *watched, nfds_t count, int64_t due) {
  int64_t left = due == INT64_MAX ? 0 : due - clock_us();
  if (left < 0) left = 0;
  struct timespec timeout = {.tv_sec = left / 1000000, .tv_nsec = (left % 1000000) * 1000};
  if (ppoll(watched, count, due == INT64_MAX ? NULL : &timeout, NULL) >= 0) return;
  for (nfds_t i = 0; i < count; i++) watched[i].revents = 0;
}

static void read_inputs(struct endpoint *endpoint, const struct pollfd *watched, nfds_t count) {
  const bool is_early = endpoint->now < endpoint->inputs_at;
  struct input *input = TAILQ_FIRST(&endpoint->inputs);
  for (nfds_t i = FIRST_INPUT; i < count; i++, input = TAILQ_NEXT(input, entry_in_all)) {
    if (watched[i].revents == 0) continue;
    endpoint->is_early = is_early;
    if (is_early) return;
    input_read(endpoint, input);
    endpoint->inputs_at = endpoint->now + GATHER;
  }
}

int loop_run(struct endpoint *endpoint, int signal_fd) {
  struct pollfd watched[FIRST_INPUT + MAX_INPUTS];
  for (;;) {
    endpoint->now = clock_us();
    if (endpoint->now >= endpoint->inputs_at) endpoint->is_early = false;
    nfds_t count = watch(endpoint, watched, signal_fd);
    sleep_until(watched, count, next_due(endpoint));
    if (watched[SIGNAL].revents != 0) return EXIT_SUCCESS;
    endpoint->now = clock_us();
    /* Before reading from the engine: it may close inputs, and `watched` depends on their order. */
    read_inputs(endpoint, watched, count);
    if (watched[WIRE].revents != 0) {
      int code = link_talk(&endpoint->link, control_handle, endpoint, endpoint->now);
      if (code != KEEP_RUNNING) return code;
    }
    feeds_run(endpoint);
    inputs_flush(endpoint);
    if (endpoint->now - endpoint->second_at >= SECONDS(1)) {
      endpoint->second_at = endpoint->now;
      endpoint->link.errors_in_second = 0;
      outputs_mend(endpoint);
      inputs_mend(endpoint);
    }
    int code = wire_flush(&endpoint->link.wire, endpoint->now);
    if (code != KEEP_RUNNING) return code;
  }
}
