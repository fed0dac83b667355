#include "endpoint.h"

enum {
  /* libsrt requires room for the largest live message, whatever the actual size. */
  MESSAGE_MAX = 1456,
  FRAMES_PER_TICK = 32,
  MESSAGES_PER_DRAIN = 1536,
};

/* Reads messages into `at` until none is left or no whole message fits. */
static size_t read_messages(struct connection *connection, uint8_t *at, size_t used, size_t room, bool *is_drained) {
  *is_drained = false;
  while (room - used >= MESSAGE_MAX) {
    int got = srt_recvmsg(connection->socket, (char *)at + used, MESSAGE_MAX);
    if (got <= 0) {
      *is_drained = true;
      break;
    }
    used += (size_t)got;
    connection->bytes += (uint64_t)got;
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

void publish_ignore(struct connection *connection) { drain(connection->socket); }

/* The engine is too far behind: reads the bytes from libsrt anyway, counts and discards them. */
static void discard(struct connection *connection) {
  uint64_t dropped = drain(connection->socket);
  connection->bytes += dropped;
  connection->dropped_bytes += dropped;
  connection->has_lost = true;
  ts_sync_break(&connection->sync);
}

/* To the feed immediately, to the engine in batches. */
static void receive_linked(struct endpoint *endpoint, struct connection *connection) {
  struct batch *batch = &connection->batch;
  bool is_drained = false;
  for (int i = 0; i < FRAMES_PER_TICK && !is_drained; i++) {
    if (WIRE_DATA_FRAME - batch->length < TS_CARRY + MESSAGE_MAX) batch_flush(endpoint, connection);
    uint8_t *payload = batch->bytes + batch->length;
    size_t used = ts_sync_start(&connection->sync, payload);
    size_t filled = read_messages(connection, payload, used, WIRE_DATA_FRAME - batch->length, &is_drained);
    if (filled == used) break;
    connection->heard_at = endpoint->now;
    size_t kept = ts_sync_run(&connection->sync, payload, filled);
    if (kept > 0) {
      if (feed_take(endpoint, connection->linked, payload, kept)) batch->is_urgent = true;
      if (batch->length == 0) batch->at = endpoint->now;
      batch->length += kept;
    }
    if (ts_sync_has_failed(&connection->sync)) {
      connection_close(endpoint, connection, "no sync", 0);
      return;
    }
  }
  if (srt_getsockstate(connection->socket) != SRTS_CONNECTED) connection_broken(endpoint, connection);
}

void publish_receive(struct endpoint *endpoint, struct connection *connection) {
  if (endpoint->now < connection->decide_by && srt_getsockstate(connection->socket) == SRTS_CONNECTED) return;
  if (connection->linked != NULL) {
    receive_linked(endpoint, connection);
    return;
  }
  bool is_drained = false;
  for (int i = 0; i < FRAMES_PER_TICK && !is_drained; i++) {
    uint8_t *payload = wire_reserve_data(&endpoint->link.wire);
    if (payload == NULL) {
      discard(connection);
      return;
    }
    size_t used = ts_sync_start(&connection->sync, payload);
    size_t filled = read_messages(connection, payload, used, WIRE_DATA_FRAME, &is_drained);
    if (filled == used) break;
    connection->heard_at = endpoint->now;
    size_t kept = ts_sync_run(&connection->sync, payload, filled);
    if (kept > 0) {
      wire_commit_data(&endpoint->link.wire, connection->id, batch_flags(connection), kept);
      connection->has_lost = false;
      endpoint->has_forwarded = true;
    }
    if (ts_sync_has_failed(&connection->sync)) {
      connection_close(endpoint, connection, "no sync", 0);
      return;
    }
  }
  if (srt_getsockstate(connection->socket) != SRTS_CONNECTED) connection_broken(endpoint, connection);
}
