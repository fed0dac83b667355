#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"
#include "events.h"
#include "log.h"
#include "sockets.h"

bool leg_is_call(const struct leg *leg) { return leg->kind == LEG_CALL_SEND || leg->kind == LEG_CALL_RECEIVE; }
bool leg_is_receiver(const struct leg *leg) { return leg->kind == LEG_PLAYER || leg->kind == LEG_CALL_SEND; }

struct leg *leg_add(struct endpoint *endpoint, enum leg_kind kind, uint32_t id, uint32_t feed_id) {
  if (endpoint->leg_count == MAX_LEGS) return NULL;
  struct leg *leg = calloc(1, sizeof *leg);
  if (leg == NULL) return NULL;
  leg->kind = kind;
  leg->id = id;
  leg->feed_id = feed_id;
  leg->socket = SRT_INVALID_SOCK;
  leg->stats_at = leg->heard_at = endpoint->now;
  if (leg_is_receiver(leg)) {
    leg->feed = feed_open(endpoint, feed_id);
    if (leg->feed == NULL) {
      free(leg);
      return NULL;
    }
    leg->feed->receivers++;
  }
  endpoint->legs[endpoint->leg_count++] = leg;
  if (leg_is_call(leg)) endpoint->call_count++;
  else endpoint->incoming_count++;
  return leg;
}

struct leg *leg_by_socket(struct endpoint *endpoint, SRTSOCKET socket) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->socket == socket && leg->state != LEG_GONE) return leg;
  }
  return NULL;
}

static struct leg *by_id(struct endpoint *endpoint, uint32_t id, bool is_call) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->id == id && leg_is_call(leg) == is_call && leg->state != LEG_GONE) return leg;
  }
  return NULL;
}

struct leg *leg_by_connection(struct endpoint *endpoint, uint32_t id) { return by_id(endpoint, id, false); }
struct leg *leg_by_call(struct endpoint *endpoint, uint32_t id) { return by_id(endpoint, id, true); }

bool leg_watch(struct endpoint *endpoint, struct leg *leg, int events) {
  int wanted = events | SRT_EPOLL_ERR;
  if (srt_epoll_update_usock(endpoint->poll_id, leg->socket, &wanted) == 0) return true;
  return srt_epoll_add_usock(endpoint->poll_id, leg->socket, &wanted) == 0;
}

void leg_connected(struct endpoint *endpoint, struct leg *leg) {
  leg->state = LEG_CONNECTED;
  leg->decide_by = endpoint->now + MS(LINK_WAIT_MS);
  if (!leg_is_receiver(leg)) return;
  leg->sent = sent_open(leg->socket);
  leg->is_limited = socket_has_limit(leg->socket);
  fanout_join(endpoint, leg);
}

void leg_close(struct endpoint *endpoint, struct leg *leg, const char *reason, int code) {
  if (leg->state == LEG_GONE) return;
  bool was_connected = leg->state == LEG_CONNECTED;
  leg->state = LEG_GONE;
  sent_close(leg->sent);
  leg->sent = NULL;
  publish_unlink(endpoint, leg);
  if (leg->socket != SRT_INVALID_SOCK) {
    srt_epoll_remove_usock(endpoint->poll_id, leg->socket);
    srt_close(leg->socket);
  }
  if (leg_is_call(leg)) {
    event_call_ended(endpoint, leg->id, was_connected ? "closed" : "failed", reason, code);
  } else {
    admission_release(leg->socket);
    event_closed(endpoint, leg, reason, code);
  }
}

void leg_broken(struct endpoint *endpoint, struct leg *leg) {
  /* libsrt breaks a connection for a shutdown message and for 5 s of silence alike; silence shows in that nothing was
     heard for most of that time while it should have been. */
  int64_t silence = endpoint->now - leg->heard_at;
  leg_close(endpoint, leg, silence > MS(3500) ? "timeout" : "peer closed", SRT_ECONNLOST);
}

static void free_leg(struct endpoint *endpoint, struct leg *leg) {
  if (leg->feed != NULL) feed_release(endpoint, leg->feed);
  if (leg->port != NULL) port_leave(leg->port);
  if (leg_is_call(leg)) endpoint->call_count--;
  else endpoint->incoming_count--;
  if (leg->call != NULL) explicit_bzero(leg->call, sizeof *leg->call);
  free(leg->call);
  free(leg->batch.bytes);
  free(leg);
}

void legs_sweep(struct endpoint *endpoint) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->state == LEG_GONE) free_leg(endpoint, leg);
    else endpoint->legs[kept++] = leg;
  }
  endpoint->leg_count = kept;
}

void legs_check_keys(struct endpoint *endpoint) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg_is_call(leg) || leg->state == LEG_GONE) continue;
    if (!admission_is_current(&leg->admitted)) leg_close(endpoint, leg, "key removed", 0);
  }
}

void legs_close_door(struct endpoint *endpoint, uint32_t door, const char *reason) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (!leg_is_call(leg) && leg->admitted.door == door) leg_close(endpoint, leg, reason, 0);
  }
}
