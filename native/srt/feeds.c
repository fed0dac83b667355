#include <stdlib.h>
#include <string.h>

#include "endpoint.h"

enum { FLAG_ENTRY = 1, FLAG_TABLES = 2 };

struct feed *feed_find(struct endpoint *endpoint, uint32_t id) {
  for (uint32_t i = 0; i < endpoint->feed_count; i++) {
    if (endpoint->feeds[i]->id == id) return endpoint->feeds[i];
  }
  return NULL;
}

struct feed *feed_open(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed = feed_find(endpoint, id);
  if (feed != NULL || endpoint->feed_count == MAX_FEEDS) return feed;
  feed = calloc(1, sizeof *feed);
  if (feed == NULL) return NULL;
  feed->id = id;
  ring_init(&feed->ring);
  endpoint->feeds[endpoint->feed_count++] = feed;
  return feed;
}

static void set_tables(struct feed *feed, const struct wire_frame *frame) {
  uint8_t *tables = realloc(feed->tables, frame->length);
  if (tables == NULL) return;
  memcpy(tables, frame->payload, frame->length);
  feed->tables = tables;
  feed->tables_length = frame->length;
}

void feed_append(struct endpoint *endpoint, const struct wire_frame *frame) {
  if (frame->length == 0 || frame->length % TS_PACKET != 0) {
    link_error(&endpoint->link, "data", "not whole TS packets", NULL);
    return;
  }
  bool is_tables = (frame->flags & FLAG_TABLES) != 0;
  if (is_tables && frame->length > MAX_TABLES) {
    link_error(&endpoint->link, "data", "tables too long", NULL);
    return;
  }
  struct feed *feed = feed_open(endpoint, frame->id);
  if (feed == NULL) {
    link_error(&endpoint->link, "data", "too many feeds", NULL);
    return;
  }
  if (is_tables) {
    set_tables(feed, frame);
    return;
  }
  if (!ring_append(&feed->ring, frame->payload, frame->length, (frame->flags & FLAG_ENTRY) != 0, endpoint->now)) {
    link_error(&endpoint->link, "data", "out of memory", NULL);
  }
}

static void free_feed(struct endpoint *endpoint, struct feed *feed) {
  for (uint32_t i = 0; i < endpoint->feed_count; i++) {
    if (endpoint->feeds[i] != feed) continue;
    endpoint->feeds[i] = endpoint->feeds[--endpoint->feed_count];
    break;
  }
  ring_clear(&feed->ring);
  free(feed->tables);
  free(feed);
}

void feed_drop(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed = feed_find(endpoint, id);
  if (feed == NULL) return;
  ring_clear(&feed->ring);
  free(feed->tables);
  feed->tables = NULL;
  feed->tables_length = 0;
  for (uint32_t i = 0; i < endpoint->leg_count; i++) {
    if (endpoint->legs[i]->feed == feed) fanout_join(endpoint, endpoint->legs[i]);
  }
  if (feed->receivers == 0) free_feed(endpoint, feed);
}

void feed_release(struct endpoint *endpoint, struct feed *feed) {
  feed->receivers--;
  if (feed->receivers == 0 && feed->ring.data == NULL && feed->tables == NULL) free_feed(endpoint, feed);
}

void feeds_free(struct endpoint *endpoint) {
  while (endpoint->feed_count > 0) free_feed(endpoint, endpoint->feeds[0]);
}
