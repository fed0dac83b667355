#include "chunks.h"

#include <stdlib.h>
#include <string.h>

enum {
  EXTENDED = 0xffffff,
  /* Announcing a message costs its sender nothing, so its buffer grows as bytes arrive. */
  FIRST_BUFFER = 16 << 10,
  /* A larger buffer is not kept for the next message. */
  KEPT_BUFFER = 1 << 20,
};

static const size_t header_bytes[] = {11, 7, 3, 0};

static uint32_t get_u24(const uint8_t *at) { return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2]; }
static uint32_t get_u32(const uint8_t *at) { return (uint32_t)at[0] << 24 | get_u24(at + 1); }

static struct chunk_stream *find_stream(struct chunks *chunks, uint32_t id) {
  for (size_t i = 0; i < chunks->stream_count; i++) {
    if (chunks->streams[i].id == id) return &chunks->streams[i];
  }
  return NULL;
}

/* librtmp opens chunk streams with type 1. */
static struct chunk_stream *add_stream(struct chunks *chunks, uint32_t id, int format) {
  if (format > 1 || chunks->stream_count == CHUNK_STREAMS) return NULL;
  struct chunk_stream *stream = &chunks->streams[chunks->stream_count++];
  *stream = (struct chunk_stream){.id = id};
  return stream;
}

/* Returns false if the message would exceed a limit. */
static bool grow(struct chunks *chunks, struct chunk_stream *stream, size_t capacity) {
  const size_t more = capacity - stream->capacity;
  if (chunks->in_flight + more > IN_FLIGHT_BYTES_MAX) return false;
  uint8_t *buffer = realloc(stream->buffer, capacity);
  if (buffer == NULL) return false;
  stream->buffer = buffer;
  stream->capacity = capacity;
  chunks->in_flight += more;
  return true;
}

static void release_buffer(struct chunks *chunks, struct chunk_stream *stream) {
  chunks->in_flight -= stream->capacity;
  free(stream->buffer);
  stream->buffer = NULL;
  stream->capacity = 0;
}

static bool open_message(struct chunks *chunks, struct chunk_stream *stream) {
  if (stream->length > MESSAGE_BYTES_MAX) return false;
  if (stream->capacity > KEPT_BUFFER) release_buffer(chunks, stream);
  const size_t first = stream->length < FIRST_BUFFER ? stream->length : FIRST_BUFFER;
  if (first > stream->capacity && !grow(chunks, stream, first)) return false;
  stream->filled = 0;
  stream->is_open = true;
  return true;
}

static size_t next_chunk_bytes(const struct chunks *chunks, const struct chunk_stream *stream) {
  const size_t left = stream->length - (stream->is_open ? stream->filled : 0);
  return left < chunks->chunk_bytes ? left : chunks->chunk_bytes;
}

static void begin_chunk(struct chunks *chunks, struct chunk_stream *stream) {
  chunks->current = chunks->last = stream;
  chunks->chunk_left = next_chunk_bytes(chunks, stream);
}

enum header { HEADER_DONE, HEADER_PARTIAL, HEADER_UNUSUAL };

static enum header continue_message(struct chunks *chunks, struct chunk_stream *stream, const uint8_t *bytes,
                                    size_t length, size_t *used) {
  if (stream == NULL) return HEADER_UNUSUAL;
  if (stream->has_extended) {
    if (length - *used < 4) return HEADER_PARTIAL;
    /* Some encoders do not repeat the extended timestamp in later chunks, so it is only taken when it matches. */
    if (get_u32(bytes + *used) == stream->delta) *used += 4;
    else if (next_chunk_bytes(chunks, stream) < 4) return HEADER_UNUSUAL;
  }
  if (!stream->is_open) {
    stream->timestamp += stream->delta;
    if (!open_message(chunks, stream)) return HEADER_UNUSUAL;
  }
  begin_chunk(chunks, stream);
  return HEADER_DONE;
}

static enum header begin_message(struct chunks *chunks, struct chunk_stream *stream, int format, const uint8_t *header,
                                 uint32_t time, bool is_extended) {
  if (stream == NULL || stream->is_open) return HEADER_UNUSUAL;
  stream->timestamp = format == 0 ? time : stream->timestamp + time;
  stream->delta = time;
  stream->has_extended = is_extended;
  if (format <= 1) {
    stream->length = get_u24(header + 3);
    stream->type = header[6];
  }
  if (!open_message(chunks, stream)) return HEADER_UNUSUAL;
  begin_chunk(chunks, stream);
  return HEADER_DONE;
}

/* Changes nothing if the header is not complete. `used` is set to its size. */
static enum header read_header(struct chunks *chunks, const uint8_t *bytes, size_t length, size_t *used) {
  if (length == 0) return HEADER_PARTIAL;
  const int format = bytes[0] >> 6;
  uint32_t id = bytes[0] & 0x3f;
  size_t at = 1;
  if (id < 2) {
    const size_t id_bytes = id + 1;
    if (length - at < id_bytes) return HEADER_PARTIAL;
    id = 64 + (uint32_t)bytes[at] + (id_bytes == 2 ? (uint32_t)bytes[at + 1] * 256 : 0);
    at += id_bytes;
  }
  if (length - at < header_bytes[format]) return HEADER_PARTIAL;
  struct chunk_stream *stream = find_stream(chunks, id);
  *used = at;
  if (format == 3) return continue_message(chunks, stream, bytes, length, used);
  const uint8_t *header = bytes + at;
  uint32_t time = get_u24(header);
  const bool is_extended = time == EXTENDED;
  at += header_bytes[format];
  if (is_extended) {
    if (length - at < 4) return HEADER_PARTIAL;
    time = get_u32(bytes + at);
    at += 4;
  }
  *used = at;
  if (stream == NULL) stream = add_stream(chunks, id, format);
  return begin_message(chunks, stream, format, header, time, is_extended);
}

/* Returns false if a limit is exceeded. */
static bool read_payload(struct chunks *chunks, const uint8_t *bytes, size_t count) {
  struct chunk_stream *stream = chunks->current;
  while (stream->filled + count > stream->capacity) {
    const size_t doubled = stream->capacity * 2;
    if (!grow(chunks, stream, doubled < stream->length ? doubled : stream->length)) return false;
  }
  if (count > 0) memcpy(stream->buffer + stream->filled, bytes, count);
  stream->filled += count;
  chunks->chunk_left -= count;
  return true;
}

enum chunks_result chunks_feed(struct chunks *chunks, const uint8_t *bytes, size_t length, size_t *used) {
  size_t at = 0;
  *used = 0;
  for (;;) {
    if (chunks->current == NULL) {
      size_t size = 0;
      const enum header header = read_header(chunks, bytes + at, length - at, &size);
      if (header == HEADER_UNUSUAL) return CHUNKS_UNUSUAL;
      if (header == HEADER_PARTIAL) return CHUNKS_MORE;
      at += size;
    }
    struct chunk_stream *stream = chunks->current;
    const size_t here = length - at < chunks->chunk_left ? length - at : chunks->chunk_left;
    if (!read_payload(chunks, bytes + at, here)) return CHUNKS_UNUSUAL;
    *used = at += here;
    if (chunks->chunk_left > 0) return CHUNKS_MORE;
    chunks->current = NULL;
    if (stream->filled < stream->length) continue;
    stream->is_open = false;
    return CHUNKS_MESSAGE;
  }
}

size_t chunks_missing(const struct chunks *chunks) {
  const struct chunk_stream *last = chunks->last;
  if (last == NULL || !last->is_open) return 0;
  const size_t missing = last->length - last->filled;
  return missing + (missing - chunks->chunk_left + chunks->chunk_bytes - 1) / chunks->chunk_bytes;
}

bool chunks_are_whole(const struct chunks *chunks) {
  for (size_t i = 0; i < chunks->stream_count; i++) {
    if (chunks->streams[i].is_open) return false;
  }
  return true;
}

void chunks_free(struct chunks *chunks) {
  for (size_t i = 0; i < chunks->stream_count; i++) free(chunks->streams[i].buffer);
  *chunks = (struct chunks){0};
}
