#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"

enum {
  /* Packets of a source wait this long for others, unless a PES packet begins in them: waking libsrt's sender for each
     few costs more than sending them, and a decoder waits for the end of a frame. */
  GATHER_MS = 8,
  HALF_MINUTE = 30, /* seconds */
};

struct feed *feed_find(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed;
  LIST_FOREACH(feed, &endpoint->feeds, entry) {
    if (feed->id == id) return feed;
  }
  return NULL;
}

struct feed *feed_open(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed = feed_find(endpoint, id);
  if (feed != NULL || endpoint->feed_count == MAX_FEEDS) return feed;
  feed = calloc(1, sizeof *feed);
  if (feed == NULL) return NULL;
  feed->id = id;
  ts_scan_init(&feed->scan);
  ring_init(&feed->ring);
  LIST_INSERT_HEAD(&endpoint->feeds, feed, entry);
  endpoint->feed_count++;
  return feed;
}

static void set_tables(struct feed *feed, const uint8_t *bytes, size_t length) {
  uint8_t *tables = realloc(feed->tables, length);
  if (tables == NULL) return;
  memcpy(tables, bytes, length);
  feed->tables = tables;
  feed->tables_length = length;
}

/* Returns NULL or the error. */
static const char *take_frame(struct endpoint *endpoint, const struct wire_frame *frame) {
  const bool is_tables = (frame->flags & FLAG_TABLES) != 0, is_entry = (frame->flags & FLAG_ENTRY) != 0;
  if (frame->length == 0 || frame->length % TS_PACKET != 0) return "not whole TS packets";
  if (is_tables && frame->length > MAX_TABLES) return "tables too long";
  struct feed *feed = feed_open(endpoint, frame->id);
  if (feed == NULL) return "too many feeds";
  if (feed->source != NULL) return "the feed is linked";
  feed->ring.has_readers = true;
  if (is_tables) set_tables(feed, frame->payload, frame->length);
  else if (!ring_append(&feed->ring, frame->payload, frame->length, is_entry, endpoint->now)) return "out of memory";
  return NULL;
}

void feed_append(struct endpoint *endpoint, const struct wire_frame *frame) {
  const char *fault = take_frame(endpoint, frame);
  if (fault != NULL) link_error(&endpoint->link, "data", fault, NULL);
}

static void free_feed(struct endpoint *endpoint, struct feed *feed) {
  LIST_REMOVE(feed, entry);
  endpoint->feed_count--;
  ring_clear(&feed->ring);
  free(feed->tables);
  free(feed);
}

static void free_unused(struct endpoint *endpoint, struct feed *feed) {
  if (feed->receivers == 0 && feed->source == NULL) free_feed(endpoint, feed);
}

void feed_join(struct endpoint *endpoint, struct connection *receiver) {
  struct cursor *cursor = &receiver->cursor;
  *cursor = (struct cursor){
      .level_at = endpoint->now,
      .offset = receiver->feed->ring.head,
      .skips = cursor->skips,
      .skipped_bytes = cursor->skipped_bytes,
  };
}

static void forget(struct endpoint *endpoint, struct feed *feed) {
  struct connection *connection;
  ring_clear(&feed->ring);
  free(feed->tables);
  feed->tables = NULL;
  feed->tables_length = 0;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->feed == feed) feed_join(endpoint, connection);
  }
}

void feed_drop(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed = feed_find(endpoint, id);
  if (feed == NULL) return;
  forget(endpoint, feed);
  /* Unchanged tables are read once. */
  feed->scan.has_new_tables = ts_scan_has_tables(&feed->scan);
  free_unused(endpoint, feed);
}

uint8_t batch_flags(const struct connection *source) {
  return (uint8_t)((connection_is_call(source) ? FLAG_CALL : 0) | (source->has_lost ? FLAG_LOST : 0));
}

void batch_flush(struct endpoint *endpoint, struct connection *source) {
  struct batch *batch = &source->batch;
  if (batch->length == 0) return;
  struct wire *wire = &endpoint->link.wire;
  const bool is_sent = wire_send_data(wire, source->id, batch_flags(source), batch->bytes, batch->length);
  if (!is_sent) source->dropped_bytes += batch->length;
  source->has_lost = !is_sent;
  batch->length = 0;
  batch->is_urgent = false;
}

static bool is_due(const struct batch *batch, int64_t now) {
  return (batch->is_prompt && batch->is_urgent) || now - batch->at >= batch->time;
}

void batches_flush_due(struct endpoint *endpoint) {
  struct connection *connection;
  TAILQ_FOREACH(connection, &endpoint->connections, entry) {
    if (connection->batch.length > 0 && is_due(&connection->batch, endpoint->now)) batch_flush(endpoint, connection);
  }
}

const char *feed_link(struct endpoint *endpoint, uint32_t id, struct connection *source) {
  if (source->linked != NULL && source->linked->id == id) return NULL;
  feed_unlink(endpoint, source);
  if (source->batch.bytes == NULL) source->batch.bytes = malloc(WIRE_DATA_FRAME);
  if (source->batch.bytes == NULL) return "out of memory";
  struct feed *feed = feed_open(endpoint, id);
  if (feed == NULL) return "too many feeds";
  if (feed->source != NULL) {
    /* From now on the other source's packets are sent as they arrive. */
    batch_flush(endpoint, feed->source);
    feed->source->linked = NULL;
  }
  feed->source = source;
  source->linked = feed;
  forget(endpoint, feed);
  ts_scan_init(&feed->scan);
  return NULL;
}

void feed_unlink(struct endpoint *endpoint, struct connection *source) {
  struct feed *feed = source->linked;
  batch_flush(endpoint, source);
  if (feed == NULL) return;
  source->linked = NULL;
  feed->source = NULL;
  feed->is_urgent = true;
  feed->ring.entry = RING_NONE;
  free_unused(endpoint, feed);
}

static void append_run(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length,
                       bool is_entry) {
  if (length == 0 || ring_append(&feed->ring, bytes, length, is_entry, endpoint->now)) return;
  link_error(&endpoint->link, "link", "out of memory", NULL);
}

/* Takes the tables as they precede a random access point, so that new receivers see continuous counters. */
static void take_tables(struct feed *feed) {
  uint8_t tables[TS_TABLES_MAX];
  const size_t length = ts_scan_tables(&feed->scan, tables);
  feed->scan.has_new_tables = false;
  if (length > 0) set_tables(feed, tables, length);
}

bool feed_take(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length) {
  size_t run = 0;
  bool is_entry = false;
  feed->ring.has_readers = feed->receivers > 0;
  for (size_t at = 0; at < length; at += TS_PACKET) {
    const bool begins = ts_scan_packet(&feed->scan, bytes + at);
    if (begins || feed->scan.has_new_tables) take_tables(feed);
    if (!begins) continue;
    append_run(endpoint, feed, bytes + run, at - run, is_entry);
    run = at;
    is_entry = true;
  }
  append_run(endpoint, feed, bytes + run, length - run, is_entry);
  const bool has_started = feed->scan.has_started;
  feed->scan.has_started = false;
  if (has_started) feed->is_urgent = true;
  if (feed->gathered_at == 0) feed->gathered_at = endpoint->now;
  return has_started;
}

bool feed_is_held(const struct endpoint *endpoint, const struct feed *feed) {
  /* Ticks are not exact to the microsecond. */
  return !feed->is_urgent && feed->gathered_at != 0 && endpoint->now - feed->gathered_at < MS(GATHER_MS) - TICK_US / 4;
}

int64_t feed_rate(const struct feed *feed) { return feed->rate > feed->rate_before ? feed->rate : feed->rate_before; }

void feeds_measure(struct endpoint *endpoint, int64_t elapsed) {
  const bool is_new_half = ++endpoint->seconds % HALF_MINUTE == 0;
  struct feed *feed;
  LIST_FOREACH(feed, &endpoint->feeds, entry) {
    const int64_t rate = (int64_t)(feed->ring.head - feed->measured) * SECONDS(1) / elapsed;
    feed->measured = feed->ring.head;
    if (is_new_half) {
      feed->rate_before = feed->rate;
      feed->rate = 0;
    }
    if (rate > feed->rate) feed->rate = rate;
    /* An idle feed must not hold its memory. */
    ring_trim(&feed->ring, endpoint->now);
  }
}

void feeds_served(struct endpoint *endpoint) {
  struct feed *feed;
  LIST_FOREACH(feed, &endpoint->feeds, entry) {
    if (feed_is_held(endpoint, feed)) continue;
    feed->is_urgent = false;
    feed->gathered_at = 0;
  }
}

void feed_release(struct endpoint *endpoint, struct feed *feed) {
  feed->receivers--;
  if (feed->ring.chunk_count == 0 && feed->tables == NULL) free_unused(endpoint, feed);
}

void feeds_free(struct endpoint *endpoint) {
  while (!LIST_EMPTY(&endpoint->feeds)) free_feed(endpoint, LIST_FIRST(&endpoint->feeds));
  rings_close();
}
