#include "clock.h"
#include "endpoint.h"
#include "wake_hold.h"

enum {
  MESSAGE = 7 * TS_PACKET,
  /* 270 Mb/s: a long GOP at the start is spread over a few ticks instead of one burst. */
  MESSAGES_PER_TICK = 128,
  /* After this a receiver starts without a random access point: the engine cannot detect one in every stream. */
  ENTRY_WAIT_MS = 2000,
  /* Packets, for a receiver that is catching up: the most that may be unacknowledged, and the part of its buffer that
     stays free. A libsrt before 1.5.2 never reports that a full buffer has room again. */
  CATCH_UP_PACKETS = 3072,
  WINDOW_RESERVE = 1024,
};

#define TABLES_DONE SIZE_MAX

static void start_at(struct endpoint *endpoint, struct connection *connection, uint64_t entry) {
  struct cursor *cursor = &connection->cursor;
  uint64_t lag = connection->feed->ring.head - entry;
  cursor->is_started = true;
  cursor->offset = entry;
  cursor->level_at = endpoint->now;
  cursor->rest_at = 0;
  cursor->allowance = lag > RING_LAG_BYTES ? lag : RING_LAG_BYTES;
}

/* Too late: this receiver skips to the next random access point and loses the data before it. */
static void skip(struct endpoint *endpoint, struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  const struct ring *ring = &connection->feed->ring;
  cursor->skips++;
  if (ring->entry != RING_NONE && ring->entry > cursor->offset) {
    cursor->skipped_bytes += ring->entry - cursor->offset;
    start_at(endpoint, connection, ring->entry);
    return;
  }
  cursor->skipped_bytes += ring->head - cursor->offset;
  cursor->is_started = false;
  cursor->join_from = cursor->offset = ring->head;
  cursor->waits_since = 0;
}

/* The receiver joined at `offset`. */
static bool has_waited(const struct endpoint *endpoint, struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  if (cursor->waits_since == 0 && connection->feed->ring.head > cursor->offset) cursor->waits_since = endpoint->now;
  return cursor->waits_since != 0 && endpoint->now - cursor->waits_since >= MS(ENTRY_WAIT_MS);
}

static bool is_too_late(const struct endpoint *endpoint, const struct connection *connection) {
  const struct cursor *cursor = &connection->cursor;
  const struct ring *ring = &connection->feed->ring;
  if (cursor->offset < ring->tail) return true;
  /* Within the newest GOP it may read on: there is nothing newer to skip to, and the ring holds the GOP anyway. */
  if (ring->entry != RING_NONE && ring->entry <= cursor->offset) return false;
  if (ring->head - cursor->offset > cursor->allowance) return true;
  /* A receiver that has just started on an old GOP is not late; one that has not caught up for 2 s is. */
  return endpoint->now - cursor->level_at > MS(RING_LAG_MS) &&
         ring_age(ring, cursor->offset, endpoint->now) > MS(RING_LAG_MS);
}

enum sent { SENT, FULL, BROKEN };

static enum sent send_message(struct connection *connection, const uint8_t *bytes, size_t length) {
  SRT_MSGCTRL control = srt_msgctrl_default;
  if (srt_sendmsg2(connection->socket, (const char *)bytes, (int)length, &control) >= 0) {
    sent_message(connection->sent, control.pktseq);
    connection->bytes += length;
    return SENT;
  }
  return srt_getlasterror(NULL) == SRT_EASYNCSND ? FULL : BROKEN;
}

static enum sent send_tables(struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  const struct feed *feed = connection->feed;
  while (cursor->tables_sent < feed->tables_length) {
    size_t length = feed->tables_length - cursor->tables_sent;
    if (length > MESSAGE) length = MESSAGE;
    enum sent sent = send_message(connection, feed->tables + cursor->tables_sent, length);
    if (sent != SENT) return sent;
    cursor->tables_sent += length;
  }
  cursor->tables_sent = TABLES_DONE;
  return SENT;
}

/* Length of the next message, 0 to wait. A partial message is held back for one tick in case more data arrives; data
   from a source has already waited. */
static size_t next_length(const struct endpoint *endpoint, struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  uint64_t waiting = connection->feed->ring.head - cursor->offset;
  if (waiting >= MESSAGE) return MESSAGE;
  if (waiting == 0) {
    cursor->level_at = endpoint->now;
    return 0;
  }
  if (cursor->rest_at == 0) cursor->rest_at = endpoint->now;
  const bool has_waited = connection->feed->source != NULL || endpoint->now - cursor->rest_at >= TICK_US - 1000;
  return has_waited ? (size_t)waiting : 0;
}

static int messages_now(struct connection *connection) {
  SRT_TRACEBSTATS stats;
  if (connection->feed->ring.head - connection->cursor.offset <= MESSAGES_PER_TICK * MESSAGE) return MESSAGES_PER_TICK;
  if (srt_bistats(connection->socket, &stats, 0, 1) != 0) return MESSAGES_PER_TICK;
  const int window = stats.pktFlowWindow;
  if (window > connection->widest_window) connection->widest_window = window;
  const int reserve = connection->widest_window / 4 < WINDOW_RESERVE ? connection->widest_window / 4 : WINDOW_RESERVE;
  const int max = window - reserve < CATCH_UP_PACKETS ? window - reserve : CATCH_UP_PACKETS;
  const int room = max - stats.pktSndBuf;
  /* Only an acknowledgment of something new reports the current room. */
  if (room < 1) return stats.pktSndBuf == 0 ? 1 : 0;
  return room < MESSAGES_PER_TICK ? room : MESSAGES_PER_TICK;
}

static enum sent send_ring(struct endpoint *endpoint, struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  const struct ring *ring = &connection->feed->ring;
  uint8_t scratch[MESSAGE];
  const int max = messages_now(connection);
  for (int i = 0; i < max; i++) {
    size_t length = next_length(endpoint, connection);
    if (length == 0) break;
    enum sent sent = send_message(connection, ring_peek(ring, cursor->offset, length, scratch), length);
    if (sent != SENT) return sent;
    cursor->offset += length;
    cursor->rest_at = 0;
  }
  /* Within one message of the end counts as caught up. */
  if (ring->head - cursor->offset < MESSAGE) {
    cursor->level_at = endpoint->now;
    cursor->allowance = RING_LAG_BYTES;
  }
  return SENT;
}

static enum sent serve(struct endpoint *endpoint, struct connection *connection) {
  struct cursor *cursor = &connection->cursor;
  const struct ring *ring = &connection->feed->ring;
  if (feed_is_held(endpoint, connection->feed)) return SENT;
  if (cursor->is_started && is_too_late(endpoint, connection)) skip(endpoint, connection);
  if (!cursor->is_started) {
    const bool has_entry = ring->entry != RING_NONE && ring->entry >= cursor->join_from;
    if (!has_entry && !has_waited(endpoint, connection)) return SENT;
    start_at(endpoint, connection, has_entry ? ring->entry : ring->head);
  }
  if (cursor->tables_sent != TABLES_DONE) {
    enum sent sent = send_tables(connection);
    if (sent != SENT) return sent;
  }
  return send_ring(endpoint, connection);
}

void fanout_run(struct endpoint *endpoint) {
  struct connection *connection;
  wake_hold();
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->state != CONNECTION_CONNECTED || !connection_is_receiver(connection)) continue;
    if (serve(endpoint, connection) != BROKEN) continue;
    wake_release();
    connection_broken(endpoint, connection);
    wake_hold();
  }
  wake_release();
  feeds_served(endpoint);
}
