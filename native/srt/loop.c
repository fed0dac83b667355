#include <poll.h>
#include <sys/eventfd.h>

#include "clock.h"
#include "endpoint.h"
#include "refusals.h"
#include "watchdog.h"

enum { EVENTS_PER_POLL = MAX_CONNECTIONS + MAX_DEDICATED_LISTENERS + 1 };

static void serve_connection(struct endpoint *endpoint, struct connection *connection, int events) {
  if (connection->state == CONNECTION_CONNECTING) {
    caller_ready(endpoint, connection, events);
  } else if (connection->state == CONNECTION_CONNECTED) {
    if (!connection_is_receiver(connection)) publish_receive(endpoint, connection);
    else if ((events & SRT_EPOLL_ERR) != 0) connection_broken(endpoint, connection);
    else publish_ignore(connection);
  }
}

static void serve_sockets(struct endpoint *endpoint) {
  SRT_EPOLL_EVENT events[EVENTS_PER_POLL];
  int count = srt_epoll_uwait(endpoint->poll_id, events, EVENTS_PER_POLL, 0);
  if (count > EVENTS_PER_POLL) count = EVENTS_PER_POLL;
  for (int i = 0; i < count; i++) {
    struct connection *connection = connection_by_socket(endpoint, events[i].fd);
    if (connection != NULL) serve_connection(endpoint, connection, events[i].events);
    else listener_accept(endpoint, events[i].fd);
  }
}

static int tick(struct endpoint *endpoint, bool is_grid) {
  endpoint->has_forwarded = false;
  if (is_grid) serve_sockets(endpoint);
  int code = link_talk(&endpoint->link, control_handle, endpoint, endpoint->now);
  if (code != KEEP_RUNNING) return code;
  fanout_run(endpoint);
  if (is_grid) {
    batches_flush_due(endpoint);
    listener_tidy(endpoint);
    stats_send(endpoint);
  }
  connections_sweep(endpoint);
  ports_sweep();
  return wire_flush(&endpoint->link.wire, endpoint->now);
}

struct waiter {
  int signal_fd;
  int64_t grid; /* when the next tick is due */
};

enum woken { WOKEN_TIME, WOKEN_ENGINE, WOKEN_SIGNAL };

/* Sleeps until `deadline` (-1: forever), a signal, or the requested events of `engine` and `threads`. */
static enum woken sleep_until(const struct endpoint *endpoint, const struct waiter *waiter, int64_t deadline,
                              short engine, short threads) {
  struct pollfd watched[3] = {
      {.fd = endpoint->link.wire.fd, .events = engine},
      {.fd = waiter->signal_fd, .events = POLLIN},
      {.fd = endpoint->wake_fd, .events = threads},
  };
  int64_t left = deadline - clock_us();
  if (left < 0) left = 0;
  struct timespec timeout = {.tv_sec = left / 1000000, .tv_nsec = (left % 1000000) * 1000};
  int count = ppoll(watched, 3, deadline < 0 ? NULL : &timeout, NULL);
  if (count > 0 && watched[1].revents != 0) return WOKEN_SIGNAL;
  if (count > 0 && watched[0].revents != 0) return WOKEN_ENGINE;
  if (count > 0) {
    eventfd_t ignored;
    eventfd_read(endpoint->wake_fd, &ignored);
  }
  return WOKEN_TIME;
}

/* True while something must be checked every few milliseconds; else the engine's next bytes wake the loop in time. */
static bool needs_ticks(const struct endpoint *endpoint) {
  const struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (!connection_is_receiver(connection) || connection->state != CONNECTION_CONNECTED) return true;
    if (connection->cursor.is_started && connection->cursor.offset < connection->feed->ring.head) return true;
  }
  return admission_has_pending() || refusal_is_waiting();
}

/* One batch per 4 ms: waking per packet doubles the cost. After publishers' bytes went to the engine, it usually sends
   them straight back for the receivers here, so its next bytes may wake the loop once before the tick is due. */
static enum woken wait_for_work(struct endpoint *endpoint, struct waiter *waiter, bool *is_grid) {
  enum woken woken = sleep_until(endpoint, waiter, waiter->grid, endpoint->has_forwarded ? POLLIN : 0, 0);
  *is_grid = woken != WOKEN_ENGINE;
  if (woken != WOKEN_TIME || needs_ticks(endpoint)) return woken;
  short engine = (short)(POLLIN | (wire_has_unsent(&endpoint->link.wire) ? POLLOUT : 0));
  int64_t deadline = !TAILQ_EMPTY(&endpoint->connections) ? clock_us() + MS(100) : -1;
  return sleep_until(endpoint, waiter, deadline, engine, POLLIN);
}

int loop_run(struct endpoint *endpoint, int signal_fd) {
  struct waiter waiter = {.signal_fd = signal_fd, .grid = clock_us()};
  for (;;) {
    bool is_grid;
    watchdog_rest();
    if (wait_for_work(endpoint, &waiter, &is_grid) == WOKEN_SIGNAL) return EXIT_SUCCESS;
    watchdog_work("the main loop");
    endpoint->now = clock_us();
    if (is_grid) waiter.grid = endpoint->now + TICK_US;
    int code = tick(endpoint, is_grid);
    if (code != KEEP_RUNNING) return code;
  }
}
