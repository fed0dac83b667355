#include <stdlib.h>
#include <string.h>

#include "clock.h"
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

static uint8_t data_flags(const struct leg *leg) {
  return (uint8_t)((leg_is_call(leg) ? FLAG_CALL : 0) | (leg->has_lost ? FLAG_LOST : 0));
}

static void flush(struct endpoint *endpoint, struct leg *leg) {
  struct batch *batch = &leg->batch;
  if (batch->length == 0) return;
  uint8_t *payload = wire_reserve_data(&endpoint->link.wire);
  if (payload == NULL) {
    leg->has_lost = true;
    leg->dropped_bytes += batch->length;
  } else {
    memcpy(payload, batch->bytes, batch->length);
    wire_commit_data(&endpoint->link.wire, leg->id, data_flags(leg), batch->length);
    leg->has_lost = false;
  }
  batch->length = 0;
  batch->is_urgent = false;
}

static bool is_due(const struct batch *batch, int64_t now) {
  return (batch->is_prompt && batch->is_urgent) || now - batch->at >= batch->time;
}

void publish_flush_due(struct endpoint *endpoint) {
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->batch.length > 0 && is_due(&leg->batch, endpoint->now)) flush(endpoint, leg);
  }
}

const char *publish_link(struct endpoint *endpoint, struct leg *leg, uint32_t feed_id) {
  if (leg->linked != NULL && leg->linked->id == feed_id) return NULL;
  publish_unlink(endpoint, leg);
  if (leg->batch.bytes == NULL) leg->batch.bytes = malloc(WIRE_DATA_FRAME);
  if (leg->batch.bytes == NULL) return "out of memory";
  struct feed *feed = feed_open(endpoint, feed_id);
  if (feed == NULL) return "too many feeds";
  /* From now on the other one's packets go out as they come. */
  if (feed->source != NULL) flush(endpoint, feed->source);
  feed_link(endpoint, feed, leg);
  return NULL;
}

void publish_unlink(struct endpoint *endpoint, struct leg *leg) {
  flush(endpoint, leg);
  if (leg->linked != NULL) feed_unlink(endpoint, leg->linked);
}

/* To the feed at once, to the engine in batches. */
static void receive_linked(struct endpoint *endpoint, struct leg *leg) {
  struct batch *batch = &leg->batch;
  bool is_drained = false;
  for (int i = 0; i < FRAMES_PER_TICK && !is_drained; i++) {
    if (WIRE_DATA_FRAME - batch->length < TS_CARRY + MESSAGE_MAX) flush(endpoint, leg);
    uint8_t *payload = batch->bytes + batch->length;
    size_t used = ts_sync_start(&leg->sync, payload);
    size_t filled = read_messages(leg, payload, used, WIRE_DATA_FRAME - batch->length, &is_drained);
    if (filled == used) break;
    leg->heard_at = endpoint->now;
    size_t kept = ts_sync_run(&leg->sync, payload, filled);
    if (kept > 0) {
      if (feed_take(endpoint, leg->linked, payload, kept)) batch->is_urgent = true;
      if (batch->length == 0) batch->at = endpoint->now;
      batch->length += kept;
    }
    if (ts_sync_is_hopeless(&leg->sync)) {
      leg_close(endpoint, leg, "no sync", 0);
      return;
    }
  }
  if (srt_getsockstate(leg->socket) != SRTS_CONNECTED) leg_broken(endpoint, leg);
}

void publish_receive(struct endpoint *endpoint, struct leg *leg) {
  if (endpoint->now < leg->decide_by && srt_getsockstate(leg->socket) == SRTS_CONNECTED) return;
  if (leg->linked != NULL) {
    receive_linked(endpoint, leg);
    return;
  }
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
      wire_commit_data(&endpoint->link.wire, leg->id, data_flags(leg), kept);
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
