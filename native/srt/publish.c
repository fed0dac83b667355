#include "endpoint.h"
#include "sockets.h"

enum {
  /* libsrt requires room for the largest live message, whatever the actual size. */
  MESSAGE_MAX = 1456,
  FRAMES_PER_TICK = 32,
  MESSAGES_PER_DRAIN = 1536,
};

/* srt_recvmsg() throws and catches an exception where there is nothing to read: 20 us, 250 times a second for each
   publisher, when it is called until it fails. */
static bool may_be_readable(SRTSOCKET socket) {
  /* A broken connection is read to its end. */
  return (socket_get_integer(socket, SRTO_EVENT) & (SRT_EPOLL_IN | SRT_EPOLL_ERR)) != 0;
}

/* Reads messages into `at` until none is left or no whole message fits. */
static size_t read_messages(struct connection *connection, uint8_t *at, size_t used, size_t room, bool *is_drained) {
  *is_drained = false;
  while (room - used >= MESSAGE_MAX) {
    const bool may_read = may_be_readable(connection->socket);
    int got = may_read ? srt_recvmsg(connection->socket, (char *)at + used, MESSAGE_MAX) : 0;
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

/* Room for a linked publisher's messages in its batch, else in a frame to the engine; NULL if the engine is too far
   behind. */
static uint8_t *room_for(struct endpoint *endpoint, struct connection *connection, size_t *length) {
  struct batch *batch = &connection->batch;
  *length = WIRE_DATA_FRAME;
  if (connection->linked == NULL) return wire_reserve_data(&endpoint->link.wire);
  if (WIRE_DATA_FRAME - batch->length < TS_CARRY + MESSAGE_MAX) batch_flush(endpoint, connection);
  *length = WIRE_DATA_FRAME - batch->length;
  return batch->bytes + batch->length;
}

/* To the feed immediately and to the engine in batches, or only to the engine. `packets` are in the room from above. */
static void hand_on(struct endpoint *endpoint, struct connection *connection, const uint8_t *packets, size_t length) {
  struct batch *batch = &connection->batch;
  if (connection->linked == NULL) {
    wire_commit_data(&endpoint->link.wire, connection->id, batch_flags(connection), length);
    connection->has_lost = false;
    endpoint->has_forwarded = true;
    return;
  }
  if (feed_take(endpoint, connection->linked, packets, length)) batch->is_urgent = true;
  if (batch->length == 0) batch->at = endpoint->now;
  batch->length += length;
}

void publish_receive(struct endpoint *endpoint, struct connection *connection) {
  if (endpoint->now < connection->decide_by && srt_getsockstate(connection->socket) == SRTS_CONNECTED) return;
  bool is_drained = false;
  for (int i = 0; i < FRAMES_PER_TICK && !is_drained; i++) {
    size_t room;
    uint8_t *packets = room_for(endpoint, connection, &room);
    if (packets == NULL) {
      discard(connection);
      return;
    }
    size_t used = ts_sync_start(&connection->sync, packets);
    size_t filled = read_messages(connection, packets, used, room, &is_drained);
    if (filled == used) break;
    connection->heard_at = endpoint->now;
    size_t kept = ts_sync_run(&connection->sync, packets, filled);
    if (kept > 0) hand_on(endpoint, connection, packets, kept);
    if (ts_sync_has_failed(&connection->sync)) {
      connection_close(endpoint, connection, "no sync", 0);
      return;
    }
  }
  if (srt_getsockstate(connection->socket) != SRTS_CONNECTED) connection_broken(endpoint, connection);
}
