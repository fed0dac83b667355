#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "endpoint.h"

enum {
  /* A player that is not up to date for this long, or lacks more than this, is the engine's. */
  MAX_BEHIND_MS = 1000,
  MAX_LAG = 4 << 20,
  MAX_LAG_MESSAGES = SENT_LOG_MESSAGES / 2,
  /* While a player that lacks more than this waits to be returned, its publisher waits, too. */
  MAX_HELD = 2 * MAX_LAG,
};

struct player *player_find(struct endpoint *endpoint, uint32_t id) {
  struct publisher *publisher;
  struct player *player;
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    TAILQ_FOREACH(player, &publisher->players, entry) {
      if (player->id == id) return player;
    }
  }
  return NULL;
}

bool player_open(struct endpoint *endpoint, struct publisher *publisher, uint32_t id, uint64_t message, int fd) {
  const uint64_t at = sent_log_begin(&publisher->log, message);
  struct player *player = at == UINT64_MAX ? NULL : calloc(1, sizeof *player);
  if (player != NULL) {
    player->watched = (struct watched){.kind = WATCHED_PLAYER, .fd = fd};
    /* The engine reads what players say. */
    if (loop_watch(endpoint, &player->watched, 0)) {
      player->publisher = publisher;
      player->id = id;
      player->at = at;
      endpoint->connection_count++;
      TAILQ_INSERT_TAIL(&publisher->players, player, entry);
      return true;
    }
  }
  free(player);
  close(fd);
  return false;
}

void player_close(struct endpoint *endpoint, struct player *player) {
  loop_close(endpoint, &player->watched);
  endpoint->connection_count--;
  if (player->leaves != NULL) player->publisher->leaving_count--;
  TAILQ_REMOVE(&player->publisher->players, player, entry);
  TAILQ_INSERT_TAIL(&endpoint->gone_players, player, entry);
}

/* Sends the engine what the player lacks before this message. Returns false if the engine is too far behind. */
static bool send_rest(struct endpoint *endpoint, struct player *player, uint64_t message) {
  const struct sent_log *log = &player->publisher->log;
  const uint64_t end = sent_log_begin(log, message);
  while (player->at < end) {
    const size_t part = end - player->at < WIRE_DATA_FRAME ? (size_t)(end - player->at) : WIRE_DATA_FRAME;
    if (!wire_send_data(&endpoint->link.wire, player->id, 0, sent_log_bytes(log, player->at), part)) return false;
    player->at += part;
  }
  return true;
}

/* The first message that the player has nothing of and the engine has, or will get. */
static uint64_t next_message(const struct player *player) {
  const struct publisher *publisher = player->publisher;
  if (publisher->is_dropped) return publisher->log.next;
  const uint64_t message = sent_log_message_from(&publisher->log, player->at);
  return message < publisher->passed_from ? publisher->passed_from : message;
}

/* Returns false if the engine must take something first. */
static bool try_to_leave(struct endpoint *endpoint, struct player *player) {
  batch_flush(endpoint, player->publisher);
  const uint64_t message = next_message(player);
  if (!send_rest(endpoint, player, message)) return false;
  struct json_writer *json = link_event(&endpoint->link, "returned");
  json_put_integer(json, "id", player->id);
  json_put_integer(json, "message", (int64_t)message);
  json_put_integer(json, "bytes", (int64_t)player->bytes);
  json_put_text(json, "reason", player->leaves);
  link_send(&endpoint->link);
  player_close(endpoint, player);
  return true;
}

static void begin_to_leave(struct endpoint *endpoint, struct player *player, const char *reason) {
  if (player->leaves != NULL) return;
  player->leaves = reason;
  player->publisher->leaving_count++;
  loop_close(endpoint, &player->watched);
}

void player_return(struct endpoint *endpoint, struct player *player, const char *reason) {
  begin_to_leave(endpoint, player, reason);
  try_to_leave(endpoint, player);
}

void player_send(struct endpoint *endpoint, struct player *player) {
  const struct sent_log *log = &player->publisher->log;
  const size_t length = (size_t)(log->head - player->at);
  if (length == 0) return;
  const ssize_t sent = send(player->watched.fd, sent_log_bytes(log, player->at), length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS) {
    player_return(endpoint, player, "broken");
    return;
  }
  if (sent > 0) {
    player->at += (uint64_t)sent;
    player->bytes += (uint64_t)sent;
  }
  if (player->at == log->head) {
    if (player->behind_since != 0) loop_change(endpoint, &player->watched, 0);
    player->behind_since = 0;
  } else if (player->behind_since == 0) {
    player->behind_since = endpoint->now;
    loop_change(endpoint, &player->watched, EPOLLOUT);
  }
}

static bool is_too_slow(const struct endpoint *endpoint, const struct player *player) {
  const struct sent_log *log = &player->publisher->log;
  if (player->behind_since == 0) return false;
  return endpoint->now - player->behind_since > MS(MAX_BEHIND_MS) || log->head - player->at > MAX_LAG ||
         log->next - sent_log_message_from(log, player->at) > MAX_LAG_MESSAGES;
}

/* The first byte that one of them lacks. */
static uint64_t needed_from(const struct publisher *publisher) {
  uint64_t needed = publisher->log.head;
  const struct player *player;
  TAILQ_FOREACH(player, &publisher->players, entry) {
    if (player->at < needed) needed = player->at;
  }
  return needed;
}

void players_run(struct endpoint *endpoint, struct publisher *publisher) {
  for (struct player *player = TAILQ_FIRST(&publisher->players), *next; player != NULL; player = next) {
    next = TAILQ_NEXT(player, entry);
    /* One that waits for room is woken by the kernel. */
    if (player->leaves == NULL && player->behind_since == 0) player_send(endpoint, player);
    if (player->leaves == NULL && is_too_slow(endpoint, player)) player_return(endpoint, player, "slow");
  }
  sent_log_trim(&publisher->log, needed_from(publisher));
}

bool players_leave(struct endpoint *endpoint, struct publisher *publisher) {
  for (struct player *player = TAILQ_FIRST(&publisher->players), *next; player != NULL; player = next) {
    next = TAILQ_NEXT(player, entry);
    if (publisher->leaves != NULL) begin_to_leave(endpoint, player, "publisher ended");
    if (player->leaves != NULL && !try_to_leave(endpoint, player)) return false;
  }
  return true;
}

bool players_must_leave_first(const struct publisher *publisher) {
  return publisher->leaving_count > 0 && publisher->log.head - needed_from(publisher) > MAX_HELD;
}
