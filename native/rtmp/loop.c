#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"

enum { EVENTS_PER_TURN = 64, BLOCKED_CHECK_MS = 1000 };

bool loop_watch(struct endpoint *endpoint, struct watched *watched, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watched};
  return epoll_ctl(endpoint->poll_fd, EPOLL_CTL_ADD, watched->fd, &event) == 0;
}

void loop_change(struct endpoint *endpoint, struct watched *watched, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = watched};
  epoll_ctl(endpoint->poll_fd, EPOLL_CTL_MOD, watched->fd, &event);
}

/* The engine has the socket, too, so closing it does not end the watching. */
void loop_close(struct endpoint *endpoint, struct watched *watched) {
  if (watched->fd < 0) return;
  epoll_ctl(endpoint->poll_fd, EPOLL_CTL_DEL, watched->fd, NULL);
  close(watched->fd);
  watched->fd = -1;
}

static void free_gone(struct endpoint *endpoint) {
  struct publisher *publisher;
  struct player *player;
  while ((player = TAILQ_FIRST(&endpoint->gone_players)) != NULL) {
    TAILQ_REMOVE(&endpoint->gone_players, player, entry);
    free(player);
  }
  while ((publisher = TAILQ_FIRST(&endpoint->gone_publishers)) != NULL) {
    TAILQ_REMOVE(&endpoint->gone_publishers, publisher, entry);
    publisher_free(publisher);
  }
}

static void serve_player(struct endpoint *endpoint, struct player *player, uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) player_return(endpoint, player, "broken");
  else player_send(endpoint, player);
}

/* A paused one is watched for nothing, so its connection is broken. */
static void serve_publisher(struct endpoint *endpoint, struct publisher *publisher) {
  if (publisher->is_paused) publisher_return(endpoint, publisher, "ended");
  else publisher_read(endpoint, publisher);
}

/* Milliseconds for epoll; -1: no limit. */
static int time_left(const struct endpoint *endpoint) {
  int64_t due = publishers_due(endpoint);
  /* An engine that no longer reads is noticed without an event. */
  if (wire_has_unsent(&endpoint->link.wire) && endpoint->now + MS(BLOCKED_CHECK_MS) < due)
    due = endpoint->now + MS(BLOCKED_CHECK_MS);
  if (due == INT64_MAX) return -1;
  const int64_t left = due - clock_us();
  return left <= 0 ? 0 : (int)((left + MS(1) - 1) / MS(1));
}

/* Returns KEEP_RUNNING or the exit code. */
static int serve(struct endpoint *endpoint, struct watched *watched, uint32_t events) {
  if (watched->fd < 0) return KEEP_RUNNING;
  switch (watched->kind) {
    case WATCHED_SIGNAL: return EXIT_SUCCESS;
    case WATCHED_ENGINE: return link_talk(&endpoint->link, control_handle, endpoint, endpoint->now);
    case WATCHED_PUBLISHER: serve_publisher(endpoint, (struct publisher *)watched); break;
    case WATCHED_PLAYER: serve_player(endpoint, (struct player *)watched, events); break;
  }
  return KEEP_RUNNING;
}

/* What the engine does not take at once must not wait for the next event. */
static int flush(struct endpoint *endpoint, bool *was_blocked) {
  const int code = wire_flush(&endpoint->link.wire, endpoint->now);
  const bool is_blocked = wire_has_unsent(&endpoint->link.wire);
  if (is_blocked != *was_blocked) loop_change(endpoint, &endpoint->engine, is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
  *was_blocked = is_blocked;
  return code;
}

int loop_run(struct endpoint *endpoint, int signal_fd) {
  bool was_blocked = false;
  struct epoll_event events[EVENTS_PER_TURN];
  endpoint->signal = (struct watched){.kind = WATCHED_SIGNAL, .fd = signal_fd};
  endpoint->engine = (struct watched){.kind = WATCHED_ENGINE, .fd = endpoint->link.wire.fd};
  if (!loop_watch(endpoint, &endpoint->signal, EPOLLIN) || !loop_watch(endpoint, &endpoint->engine, EPOLLIN))
    return EXIT_START;
  for (;;) {
    const int count = epoll_wait(endpoint->poll_fd, events, EVENTS_PER_TURN, time_left(endpoint));
    endpoint->now = clock_us();
    for (int i = 0; i < count; i++) {
      const int code = serve(endpoint, events[i].data.ptr, events[i].events);
      if (code != KEEP_RUNNING) return code;
    }
    if (endpoint->now - endpoint->second_at >= SECONDS(1)) {
      endpoint->second_at = endpoint->now;
      endpoint->link.errors_in_second = 0;
    }
    publishers_run(endpoint);
    const int code = flush(endpoint, &was_blocked);
    if (code != KEEP_RUNNING) return code;
    free_gone(endpoint);
  }
}
