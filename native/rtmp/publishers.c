#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "clock.h"
#include "endpoint.h"
#include "frames.h"
#include "log.h"

enum {
  READ_BYTES = 64 << 10,
  READS_PER_TURN = 8,
  MESSAGES_PER_RUN = 1024,
  /* The engine asks once a second; this limits the memory of high rates. */
  BATCH_BYTES = 768 << 10,
  /* Longer groups of pictures are passed to the engine. */
  GROUP_BYTES = 4 << 20,
  /* A larger step of the timestamps is a pause or a clock reset, which the engine handles. */
  MAX_STEP_MS = 500,
};

struct publisher *publisher_find(struct endpoint *endpoint, uint32_t id) {
  struct publisher *publisher;
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    if (publisher->id == id) return publisher;
  }
  return NULL;
}

void publisher_open(struct endpoint *endpoint, struct publisher *publisher, int fd) {
  publisher->watched = (struct watched){.kind = WATCHED_PUBLISHER, .fd = fd};
  TAILQ_INIT(&publisher->players);
  TAILQ_INSERT_TAIL(&endpoint->publishers, publisher, entry);
  endpoint->connection_count++;
  publisher->mark = 1;
  publisher->is_read = true;
  batch_note_place(publisher, 0);
  if (!loop_watch(endpoint, &publisher->watched, EPOLLIN)) publisher_return(endpoint, publisher, "cannot watch");
}

void publisher_free(struct publisher *publisher) {
  for (size_t i = 0; i < publisher->header_count; i++) free(publisher->headers[i].body);
  chunks_free(&publisher->chunks);
  sent_log_free(&publisher->log);
  free(publisher);
}

static void try_to_leave(struct endpoint *endpoint, struct publisher *publisher) {
  batch_flush(endpoint, publisher);
  if (publisher->batch_length > 0 || !players_leave(endpoint, publisher)) return;
  batch_free(endpoint, publisher);
  endpoint->connection_count--;
  TAILQ_REMOVE(&endpoint->publishers, publisher, entry);
  TAILQ_INSERT_TAIL(&endpoint->gone_publishers, publisher, entry);
  link_report(&endpoint->link, "returned", "id:%u reason:%s", publisher->id, publisher->leaves);
}

void publisher_return(struct endpoint *endpoint, struct publisher *publisher, const char *reason) {
  if (publisher->leaves == NULL) {
    publisher->leaves = reason;
    read_mark_clear(publisher);
    loop_close(endpoint, &publisher->watched);
  }
  try_to_leave(endpoint, publisher);
}

void publisher_drop(struct endpoint *endpoint, struct publisher *publisher) {
  publisher->is_dropped = true;
  /* Players get what has arrived. */
  if (publisher->leaves == NULL) publisher_read(endpoint, publisher);
  if (publisher->leaves != NULL) return;
  batch_free(endpoint, publisher);
  publisher->is_skipping = false;
  publisher_return(endpoint, publisher, "dropped");
}

/* Encoders that send metadata put the name of a command before it, which players do not get. */
static bool is_known_header(const struct publisher *publisher, const struct chunk_stream *message) {
  static const uint8_t command[] = {2, 0, 13, '@', 's', 'e', 't', 'D', 'a', 't', 'a', 'F', 'r', 'a', 'm', 'e'};
  const uint8_t *body = message->buffer;
  size_t length = message->length;
  if (message->type == MESSAGE_DATA && length > sizeof command && memcmp(body, command, sizeof command) == 0) {
    body += sizeof command;
    length -= sizeof command;
  }
  for (size_t i = 0; i < publisher->header_count; i++) {
    const struct header *known = &publisher->headers[i];
    if (known->type == message->type && known->length == length && memcmp(known->body, body, length) == 0) return true;
  }
  return false;
}

/* Encoders may change the picture format without a new header; the engine must see such a change. */
static bool has_new_set(struct publisher *publisher, const struct chunk_stream *message) {
  size_t length;
  const uint8_t *set = frame_parameter_set(publisher->video.format, message->buffer, message->length, &length);
  if (set == NULL) return false;
  if (length > sizeof publisher->set) length = sizeof publisher->set;
  if (length == publisher->set_length && memcmp(set, publisher->set, length) == 0) return false;
  memcpy(publisher->set, set, length);
  publisher->set_length = length;
  return true;
}

/* Returns false if only the engine may decide what happens to this message. */
static bool take_message(struct endpoint *endpoint, struct publisher *publisher, const struct chunk_stream *message) {
  if (is_known_header(publisher, message)) {
    publisher->totals.bytes += message->length;
    sent_log_skip(&publisher->log);
    return true;
  }
  struct track *track = message->type == MESSAGE_VIDEO ? &publisher->video : &publisher->audio;
  const uint32_t format = frame_format(message->type, message->buffer, message->length);
  if (format == FRAME_OTHER || !track->is_known || format != track->format) return false;
  if (message->timestamp - track->timestamp > MAX_STEP_MS) return false;
  track->timestamp = message->timestamp;
  sent_log_add(&publisher->log, message->type, message->timestamp + track->offset, message->buffer, message->length);
  publisher->totals.bytes += message->length;
  if (message->type == MESSAGE_AUDIO) publisher->totals.audio++;
  if (message->type != MESSAGE_VIDEO) return true;
  publisher->totals.video++;
  read_mark_picture(publisher, message->length);
  if (!frame_is_key(message->buffer)) return true;
  batch_begin_group(endpoint, publisher);
  if (has_new_set(publisher, message)) publisher->is_urgent = true;
  return true;
}

/* Returns false if what follows is for the engine. */
static bool take_bytes(struct endpoint *endpoint, struct publisher *publisher, const uint8_t *bytes, size_t length) {
  size_t at = 0;
  for (int messages = 1;; messages++) {
    size_t used;
    const enum chunks_result result = chunks_feed(&publisher->chunks, bytes + at, length - at, &used);
    at += used;
    if (result == CHUNKS_MORE) break;
    if (result == CHUNKS_UNUSUAL || !take_message(endpoint, publisher, publisher->chunks.last)) return false;
    batch_note_place(publisher, length - at);
    if (messages % MESSAGES_PER_RUN == 0) players_run(endpoint, publisher);
  }
  publisher->carry_length = length - at;
  memcpy(publisher->carry, bytes + at, publisher->carry_length);
  return true;
}

enum read { READ_MORE, READ_ALL, READ_END };

static enum read read_once(struct endpoint *endpoint, struct publisher *publisher) {
  static uint8_t buffer[CHUNK_HEADER_MAX + READ_BYTES];
  uint8_t *const fresh = buffer + publisher->carry_length;
  memcpy(buffer, publisher->carry, publisher->carry_length);
  const ssize_t got = recv(publisher->watched.fd, fresh, READ_BYTES, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return READ_ALL;
  if (got <= 0) {
    publisher_return(endpoint, publisher, "ended");
    return READ_END;
  }
  batch_add(endpoint, publisher, fresh, (size_t)got);
  if (!take_bytes(endpoint, publisher, buffer, publisher->carry_length + (size_t)got)) {
    players_run(endpoint, publisher);
    publisher_return(endpoint, publisher, "unusual");
    return READ_END;
  }
  return got == READ_BYTES ? READ_MORE : READ_ALL;
}

/* The engine must not lose any of these bytes, so the publisher has to wait. */
static bool must_wait(struct endpoint *endpoint, struct publisher *publisher) {
  const size_t limit = publisher->is_skipping ? GROUP_BYTES : BATCH_BYTES;
  if (publisher->batch_length >= limit) batch_flush(endpoint, publisher);
  if (publisher->batch_length < limit && batches_fit(endpoint) && !players_must_leave_first(publisher)) return false;
  publisher->is_paused = true;
  loop_change(endpoint, &publisher->watched, 0);
  return true;
}

void publisher_read(struct endpoint *endpoint, struct publisher *publisher) {
  enum read result = READ_MORE;
  for (int i = 0; i < READS_PER_TURN && result == READ_MORE; i++) {
    if (must_wait(endpoint, publisher)) break;
    result = read_once(endpoint, publisher);
  }
  if (result == READ_END) return;
  players_run(endpoint, publisher);
  if (publisher->is_urgent) batch_flush(endpoint, publisher);
  read_mark_adjust(endpoint, publisher);
}

void publishers_run(struct endpoint *endpoint) {
  for (struct publisher *publisher = TAILQ_FIRST(&endpoint->publishers), *next; publisher != NULL; publisher = next) {
    next = TAILQ_NEXT(publisher, entry);
    if (publisher->leaves != NULL) {
      if (!wire_has_unsent(&endpoint->link.wire)) try_to_leave(endpoint, publisher);
      continue;
    }
    if (publisher->leaving_count > 0 && !wire_has_unsent(&endpoint->link.wire)) players_leave(endpoint, publisher);
    if (publisher->is_paused && !wire_has_unsent(&endpoint->link.wire)) {
      publisher->is_paused = false;
      loop_change(endpoint, &publisher->watched, EPOLLIN);
    }
    if (publisher->read_all_at != 0 && endpoint->now >= publisher->read_all_at) read_mark_clear(publisher);
  }
}

int64_t publishers_due(const struct endpoint *endpoint) {
  int64_t due = INT64_MAX;
  const struct publisher *publisher;
  TAILQ_FOREACH(publisher, &endpoint->publishers, entry) {
    const bool waits_for_engine = publisher->is_paused || publisher->leaves != NULL || publisher->leaving_count > 0;
    if (waits_for_engine && !wire_has_unsent(&endpoint->link.wire)) return endpoint->now;
    if (publisher->read_all_at != 0 && publisher->read_all_at < due) due = publisher->read_all_at;
  }
  return due;
}
