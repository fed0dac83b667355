#include "endpoint.h"

enum {
  FLAG_CALL = 1,
  FLAG_LOST = 2,
  /* libsrt wants room for the largest live message, whatever is really sent. */
  MESSAGE_MAX = 1456,
  FRAMES_PER_TICK = 32,
  MESSAGES_PER_DRAIN = 1536,
};

/* Reads messages into `at` until nothing more is there or no whole message fits. */
static size_t read_messages(struct leg *leg, uint8_t *at, size_t used, size_t room, bool *is_drained) {
  *is_drained = false;
  while (room - used >= MESSAGE_MAX) {
    int got = srt_recvmsg(leg->socket, (char *)at + used, MESSAGE_MAX);
    if (got <= 0) {
      *is_drained = true;
      break;
    }
    used += (size_t)got;
    leg->bytes += (uint64_t)got;
  }
  return used;
}

static uint64_t drain(SRTSOCKET socket) {
  char scratch[MESSAGE_MAX];
  uint64_t total = 0;
  for (int i = 0; i < MESSAGES_PER_DRAIN; i++) {
    int got = srt_recvmsg(socket, scratch, sizeof scratch);
    if (got <= 0) break;
    total += (uint64_t)got;
  }
  return total;
}

void publish_ignore(struct leg *leg) { drain(leg->socket); }

/* The engine is too far behind: take the bytes out of libsrt all the same and count them. */
static void discard(struct leg *leg) {
  uint64_t dropped = drain(leg->socket);
  leg->bytes += dropped;
  leg->dropped_bytes += dropped;
  leg->has_lost = true;
  ts_sync_break(&leg->sync);
}

void publish_receive(struct endpoint *endpoint, struct leg *leg) {
  bool is_drained = false;
  for (int i = 0; i < FRAMES_PER_TICK && !is_drained; i++) {
    uint8_t *payload = wire_reserve_data(&endpoint->link.wire);
    if (payload == NULL) {
      discard(leg);
      return;
    }
    size_t used = ts_sync_start(&leg->sync, payload);
    size_t filled = read_messages(leg, payload, used, WIRE_DATA_FRAME, &is_drained);
    if (filled == used) break;
    leg->heard_at = endpoint->now;
    size_t kept = ts_sync_run(&leg->sync, payload, filled);
    if (kept > 0) {
      uint8_t flags = (uint8_t)((leg_is_call(leg) ? FLAG_CALL : 0) | (leg->has_lost ? FLAG_LOST : 0));
      wire_commit_data(&endpoint->link.wire, leg->id, flags, kept);
      leg->has_lost = false;
      endpoint->has_forwarded = true;
    }
    if (ts_sync_is_hopeless(&leg->sync)) {
      leg_close(endpoint, leg, "no sync", 0);
      return;
    }
  }
  if (srt_getsockstate(leg->socket) != SRTS_CONNECTED) leg_broken(endpoint, leg);
}
