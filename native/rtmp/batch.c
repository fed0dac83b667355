#include <stdlib.h>
#include <string.h>

#include "endpoint.h"
#include "log.h"

/* Passes a publisher's bytes to the engine. While the engine reads the publisher, it gets all bytes. Otherwise the
   batch holds the bytes from the newest keyframe on, and the next keyframe discards them. When the engine needs the
   stream, it gets the batch, and the state of the connection at the beginning of the batch. */

enum {
  FIRST_CAPACITY = 64 << 10,
  CAPACITY_STEP = 1 << 20,
  /* Far more than all publishers need at FIRST_CAPACITY, so that passing batches always helps. */
  BATCHES_BYTES = 128 << 20,
};

static size_t capacity_for(size_t length) {
  size_t capacity = FIRST_CAPACITY;
  while (capacity < length) capacity += capacity < CAPACITY_STEP ? capacity : CAPACITY_STEP;
  return capacity;
}

static void set_capacity(struct endpoint *endpoint, struct publisher *publisher, size_t capacity) {
  uint8_t *batch = realloc(publisher->batch, capacity);
  if (batch == NULL) {
    log_error("out of memory");
    abort();
  }
  endpoint->batches_bytes += capacity - publisher->batch_capacity;
  publisher->batch = batch;
  publisher->batch_capacity = capacity;
}

void batch_add(struct endpoint *endpoint, struct publisher *publisher, const uint8_t *bytes, size_t length) {
  const size_t needed = publisher->batch_length + length;
  if (needed > publisher->batch_capacity) set_capacity(endpoint, publisher, capacity_for(needed));
  memcpy(publisher->batch + publisher->batch_length, bytes, length);
  publisher->batch_length = needed;
  publisher->totals.received += length;
}

void batch_free(struct endpoint *endpoint, struct publisher *publisher) {
  endpoint->batches_bytes -= publisher->batch_capacity;
  free(publisher->batch);
  publisher->batch = NULL;
  publisher->batch_length = publisher->batch_capacity = 0;
}

/* Also shrinks the memory. `expected`: how long the batch will probably become. */
static void forget_first(struct endpoint *endpoint, struct publisher *publisher, size_t length, size_t expected) {
  publisher->batch_length -= length;
  if (length > 0) memmove(publisher->batch, publisher->batch + length, publisher->batch_length);
  const size_t capacity = capacity_for(expected > publisher->batch_length ? expected : publisher->batch_length);
  if (capacity < publisher->batch_capacity) set_capacity(endpoint, publisher, capacity);
}

/* Sends the first bytes of the batch. Returns false if the engine is too far behind to take all of them. */
static bool send_first(struct endpoint *endpoint, struct publisher *publisher, size_t length) {
  size_t sent = 0;
  while (sent < length) {
    const size_t part = length - sent < WIRE_DATA_FRAME ? length - sent : WIRE_DATA_FRAME;
    if (!wire_send_data(&endpoint->link.wire, publisher->id, 0, publisher->batch + sent, part)) break;
    sent += part;
  }
  forget_first(endpoint, publisher, sent, 0);
  return sent == length;
}

static void put_streams(struct json_writer *json, const struct place *place) {
  json_open_list(json, "streams");
  for (size_t i = 0; i < place->stream_count; i++) {
    const struct chunk_stream *stream = &place->streams[i];
    json_open_object(json);
    json_put_integer(json, "id", stream->id);
    json_put_integer(json, "timestamp", stream->timestamp);
    json_put_integer(json, "delta", stream->delta);
    json_put_flag(json, "extended", stream->has_extended);
    json_put_integer(json, "length", stream->length);
    json_put_integer(json, "type", stream->type);
    json_close_object(json);
  }
  json_close_list(json);
}

static void report_skipped(struct endpoint *endpoint, struct publisher *publisher) {
  const struct place *group = &publisher->group;
  struct json_writer *json = link_event(&endpoint->link, "skipped");
  put_totals(json, publisher->id, &group->totals);
  json_put_integer(json, "message", (int64_t)group->message);
  json_put_integer(json, "chunk", publisher->chunks.chunk_bytes);
  put_streams(json, group);
  json_put_integer(json, "video_time", group->video_time);
  json_put_integer(json, "audio_time", group->audio_time);
  link_send(&endpoint->link);
  publisher->is_skipping = false;
  publisher->passed_from = group->message;
}

void batch_flush(struct endpoint *endpoint, struct publisher *publisher) {
  if (publisher->is_skipping) report_skipped(endpoint, publisher);
  send_first(endpoint, publisher, publisher->batch_length);
  publisher->is_urgent = false;
}

static struct publisher *with_largest_batch(const struct endpoint *endpoint) {
  struct publisher *publisher, *largest = NULL;
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    if (largest == NULL || publisher->batch_capacity > largest->batch_capacity) largest = publisher;
  }
  return largest;
}

bool batches_fit(struct endpoint *endpoint) {
  while (endpoint->batches_bytes > BATCHES_BYTES) {
    struct publisher *largest = with_largest_batch(endpoint);
    batch_flush(endpoint, largest);
    if (largest->batch_length > 0) return false;
  }
  return true;
}

void batch_note_place(struct publisher *publisher, size_t left) {
  if (!chunks_are_whole(&publisher->chunks)) return;
  struct place *place = &publisher->place;
  place->stream_count = publisher->chunks.stream_count;
  memcpy(place->streams, publisher->chunks.streams, place->stream_count * sizeof place->streams[0]);
  place->message = publisher->log.next;
  place->audio_time = publisher->audio.timestamp;
  place->video_time = publisher->video.timestamp;
  place->totals = publisher->totals;
  place->totals.received -= left;
}

void batch_begin_group(struct endpoint *endpoint, struct publisher *publisher) {
  const uint64_t first = publisher->totals.received - publisher->batch_length;
  const uint64_t begin = publisher->place.totals.received;
  /* If the engine already has a part of the keyframe, it also gets the rest of the group. */
  bool is_passed = publisher->is_read || begin < first;
  if (!is_passed && !publisher->is_skipping) is_passed = !send_first(endpoint, publisher, (size_t)(begin - first));
  if (is_passed) {
    publisher->is_urgent = true;
    return;
  }
  /* The next group is probably as long as this one, so its memory is kept. */
  if (publisher->is_skipping) forget_first(endpoint, publisher, (size_t)(begin - first), publisher->batch_length);
  else link_report(&endpoint->link, "skipping", "id:%u", publisher->id);
  publisher->is_skipping = true;
  publisher->group = publisher->place;
}
