#include "clock.h"
#include "endpoint.h"
#include "wake_hold.h"

enum {
  MESSAGE = 7 * TS_PACKET,
  /* 270 Mb/s: a long picture group at the start goes out in a few ticks instead of one burst. */
  MESSAGES_PER_TICK = 128,
  /* Then a receiver begins without an entry point: not every stream has some that the engine knows. */
  ENTRY_WAIT_MS = 2000,
  /* Of a receiver that catches up: what may be unacknowledged, and what its buffer keeps free. A libsrt before 1.5.2
     never says that a buffer that was full has room again. Packets. */
  CATCH_UP_PACKETS = 3072,
  WINDOW_RESERVE = 1024,
};

#define TABLES_DONE SIZE_MAX

void fanout_join(struct endpoint *endpoint, struct leg *leg) {
  struct cursor fresh = {.level_at = endpoint->now, .skips = leg->cursor.skips};
  fresh.skipped_bytes = leg->cursor.skipped_bytes;
  fresh.offset = leg->feed->ring.head;
  leg->cursor = fresh;
}

static void start_at(struct endpoint *endpoint, struct leg *leg, uint64_t entry) {
  struct cursor *cursor = &leg->cursor;
  uint64_t lag = leg->feed->ring.head - entry;
  cursor->is_started = true;
  cursor->offset = entry;
  cursor->level_at = endpoint->now;
  cursor->rest_at = 0;
  cursor->allowance = lag > RING_LAG_BYTES ? lag : RING_LAG_BYTES;
}

/* Too late: what lies between is lost for this receiver; it goes on at a picture that can be decoded. */
static void skip(struct endpoint *endpoint, struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  const struct ring *ring = &leg->feed->ring;
  cursor->skips++;
  if (ring->entry != RING_NONE && ring->entry > cursor->offset) {
    cursor->skipped_bytes += ring->entry - cursor->offset;
    start_at(endpoint, leg, ring->entry);
    return;
  }
  cursor->skipped_bytes += ring->head - cursor->offset;
  cursor->is_started = false;
  cursor->join_from = cursor->offset = ring->head;
  cursor->waits_since = 0;
}

/* `offset` is where it came. */
static bool has_waited(const struct endpoint *endpoint, struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  if (cursor->waits_since == 0 && leg->feed->ring.head > cursor->offset) cursor->waits_since = endpoint->now;
  return cursor->waits_since != 0 && endpoint->now - cursor->waits_since >= MS(ENTRY_WAIT_MS);
}

static bool is_too_late(const struct endpoint *endpoint, const struct leg *leg) {
  const struct cursor *cursor = &leg->cursor;
  const struct ring *ring = &leg->feed->ring;
  if (cursor->offset < ring->tail) return true;
  /* Within the newest group it may read on: there is nothing newer to skip to, and the ring holds the group anyway. */
  if (ring->entry != RING_NONE && ring->entry <= cursor->offset) return false;
  if (ring->head - cursor->offset > cursor->allowance) return true;
  /* A receiver that has just started on an old picture group isn't late; one that never got level for 2 s is. */
  return endpoint->now - cursor->level_at > MS(RING_LAG_MS) &&
         ring_age(ring, cursor->offset, endpoint->now) > MS(RING_LAG_MS);
}

enum sent { SENT, FULL, BROKEN };

static enum sent send_message(struct leg *leg, const uint8_t *bytes, size_t length) {
  SRT_MSGCTRL control = srt_msgctrl_default;
  if (srt_sendmsg2(leg->socket, (const char *)bytes, (int)length, &control) >= 0) {
    sent_message(leg->sent, control.pktseq);
    leg->bytes += length;
    return SENT;
  }
  return srt_getlasterror(NULL) == SRT_EASYNCSND ? FULL : BROKEN;
}

static enum sent send_tables(struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  const struct feed *feed = leg->feed;
  while (cursor->tables_sent < feed->tables_length) {
    size_t length = feed->tables_length - cursor->tables_sent;
    if (length > MESSAGE) length = MESSAGE;
    enum sent sent = send_message(leg, feed->tables + cursor->tables_sent, length);
    if (sent != SENT) return sent;
    cursor->tables_sent += length;
  }
  cursor->tables_sent = TABLES_DONE;
  return SENT;
}

/* Length of the next message, 0 to wait. Less than a full message is held back for one tick, in case more comes; what a
   source brings has waited before. */
static size_t next_length(const struct endpoint *endpoint, struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  uint64_t waiting = leg->feed->ring.head - cursor->offset;
  if (waiting >= MESSAGE) return MESSAGE;
  if (waiting == 0) {
    cursor->level_at = endpoint->now;
    return 0;
  }
  if (cursor->rest_at == 0) cursor->rest_at = endpoint->now;
  const bool has_waited = leg->feed->source != NULL || endpoint->now - cursor->rest_at >= TICK_US - 1000;
  return has_waited ? (size_t)waiting : 0;
}

static int messages_now(struct leg *leg) {
  SRT_TRACEBSTATS stats;
  if (leg->feed->ring.head - leg->cursor.offset <= MESSAGES_PER_TICK * MESSAGE) return MESSAGES_PER_TICK;
  if (srt_bistats(leg->socket, &stats, 0, 1) != 0) return MESSAGES_PER_TICK;
  const int window = stats.pktFlowWindow;
  if (window > leg->widest_window) leg->widest_window = window;
  const int reserve = leg->widest_window / 4 < WINDOW_RESERVE ? leg->widest_window / 4 : WINDOW_RESERVE;
  const int most = window - reserve < CATCH_UP_PACKETS ? window - reserve : CATCH_UP_PACKETS;
  const int room = most - stats.pktSndBuf;
  /* Only the acknowledgement of something new tells how much room there is by now. */
  if (room < 1) return stats.pktSndBuf == 0 ? 1 : 0;
  return room < MESSAGES_PER_TICK ? room : MESSAGES_PER_TICK;
}

static enum sent send_ring(struct endpoint *endpoint, struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  const struct ring *ring = &leg->feed->ring;
  uint8_t scratch[MESSAGE];
  const int most = messages_now(leg);
  for (int i = 0; i < most; i++) {
    size_t length = next_length(endpoint, leg);
    if (length == 0) break;
    enum sent sent = send_message(leg, ring_peek(ring, cursor->offset, length, scratch), length);
    if (sent != SENT) return sent;
    cursor->offset += length;
    cursor->rest_at = 0;
  }
  /* Within one message of the end counts as level. */
  if (ring->head - cursor->offset < MESSAGE) {
    cursor->level_at = endpoint->now;
    cursor->allowance = RING_LAG_BYTES;
  }
  return SENT;
}

static enum sent serve(struct endpoint *endpoint, struct leg *leg) {
  struct cursor *cursor = &leg->cursor;
  const struct ring *ring = &leg->feed->ring;
  if (feed_is_held(endpoint, leg->feed)) return SENT;
  if (cursor->is_started && is_too_late(endpoint, leg)) skip(endpoint, leg);
  if (!cursor->is_started) {
    const bool has_entry = ring->entry != RING_NONE && ring->entry >= cursor->join_from;
    if (!has_entry && !has_waited(endpoint, leg)) return SENT;
    start_at(endpoint, leg, has_entry ? ring->entry : ring->head);
  }
  if (cursor->tables_sent != TABLES_DONE) {
    enum sent sent = send_tables(leg);
    if (sent != SENT) return sent;
  }
  return send_ring(endpoint, leg);
}

void fanout_run(struct endpoint *endpoint) {
  wake_hold();
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    struct leg *leg = endpoint->legs[i];
    if (leg->state != LEG_CONNECTED || !leg_is_receiver(leg)) continue;
    if (serve(endpoint, leg) != BROKEN) continue;
    wake_release();
    leg_broken(endpoint, leg);
    wake_hold();
  }
  wake_release();
  feeds_served(endpoint);
}
