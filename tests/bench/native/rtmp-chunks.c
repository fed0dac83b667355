#include "rtmp-chunks.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { message_max = 8 << 20, extended_timestamp = 0xffffff };

static uint32_t read_be(const uint8_t *at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value = value << 8 | at[i];
  return value;
}

static void write_be(uint8_t *at, uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; i--, value >>= 8) at[i] = (uint8_t)value;
}

void chunk_reader_init(struct chunk_reader *reader) {
  memset(reader, 0, sizeof *reader);
  reader->chunk_size = 128;
  reader->current = -1;
}

static const uint32_t message_header_size[4] = {11, 7, 3, 0};

static uint32_t basic_header_size(const uint8_t *header) {
  const uint8_t low = header[0] & 63;
  return low == 0 ? 2 : low == 1 ? 3 : 1;
}

static int chunk_stream_index(const uint8_t *header) {
  const uint8_t low = header[0] & 63;
  const uint32_t id = low == 0 ? header[1] + 64u : low == 1 ? header[1] + header[2] * 256u + 64u : low;
  return id < chunk_streams ? (int)id : -1;
}

/* Size of the whole header as known from `have` bytes; asks for more until it is complete. */
static uint32_t header_needed(const struct chunk_reader *reader, const uint8_t *header, uint32_t have) {
  if (have < 1) return 1;
  const uint32_t basic = basic_header_size(header);
  if (have < basic) return basic;
  const uint8_t format = header[0] >> 6;
  const uint32_t fixed = basic + message_header_size[format];
  if (have < fixed) return fixed;
  const int index = chunk_stream_index(header);
  const int extended = format == 3 ? index >= 0 && reader->streams[index].has_extended_timestamp
                                   : read_be(header + basic, 3) == extended_timestamp;
  return fixed + (extended ? 4 : 0);
}

static int begin_message(struct chunk_stream *stream) {
  if (stream->size > message_max) return 0;
  if (stream->capacity < stream->size) {
    free(stream->body);
    stream->body = allocate(stream->size);
    stream->capacity = stream->size;
  }
  return 1;
}

static int apply_header(struct chunk_reader *reader) {
  const uint8_t *header = reader->header;
  const int index = chunk_stream_index(header);
  if (index < 0) return 0;
  struct chunk_stream *stream = &reader->streams[index];
  const uint8_t format = header[0] >> 6;
  const uint8_t *at = header + basic_header_size(header);
  const int is_new_message = stream->received == 0;
  if (format <= 2) {
    uint32_t time = read_be(at, 3);
    stream->has_extended_timestamp = time == extended_timestamp;
    if (stream->has_extended_timestamp) time = read_be(at + message_header_size[format], 4);
    stream->delta = format == 0 ? 0 : time;
    stream->timestamp = format == 0 ? time : stream->timestamp + time;
    if (format <= 1) {
      stream->size = read_be(at + 3, 3);
      stream->type = at[6];
    }
  } else if (is_new_message) {
    stream->timestamp += stream->delta;
  }
  if (is_new_message && !begin_message(stream)) return 0;
  const uint32_t left = stream->size - stream->received;
  reader->current = index;
  reader->body_left = left < reader->chunk_size ? left : reader->chunk_size;
  return 1;
}

static void finish_chunk(struct chunk_reader *reader, chunk_on_message on_message, void *context) {
  struct chunk_stream *stream = &reader->streams[reader->current];
  reader->current = -1;
  reader->header_size = 0;
  if (stream->received < stream->size) return;
  stream->received = 0;
  const struct rtmp_message message = {stream->type, stream->timestamp, stream->body, stream->size};
  if (message.type == rtmp_set_chunk_size && message.size >= 4) reader->chunk_size = read_be(message.body, 4) & 0x7fffffff;
  on_message(context, &message);
}

int chunk_read(struct chunk_reader *reader, const uint8_t *data, size_t size, chunk_on_message on_message, void *context) {
  while (size > 0) {
    if (reader->current < 0) {
      reader->header[reader->header_size++] = *data++;
      size--;
      if (header_needed(reader, reader->header, reader->header_size) > reader->header_size) continue;
      if (!apply_header(reader)) return 0;
    } else {
      struct chunk_stream *stream = &reader->streams[reader->current];
      const uint32_t take = size < reader->body_left ? (uint32_t)size : reader->body_left;
      memcpy(stream->body + stream->received, data, take);
      stream->received += take;
      reader->body_left -= take;
      data += take;
      size -= take;
    }
    if (reader->body_left == 0) finish_chunk(reader, on_message, context);
  }
  return 1;
}

/* One chunk stream per kind of message, as encoders use. */
static uint8_t chunk_stream_of(uint8_t type) {
  return type == rtmp_video ? 6 : type == rtmp_audio ? 4 : type == rtmp_data ? 5 : type == rtmp_command ? 3 : 2;
}

size_t chunk_written_size(uint32_t message_size, uint32_t chunk_size) {
  return chunk_header_max + message_size + (message_size / chunk_size + 1) * 5;
}

size_t chunk_write(uint8_t *out, const struct rtmp_message *message, uint32_t stream_id, uint32_t chunk_size) {
  const uint8_t id = chunk_stream_of(message->type);
  const int extended = message->timestamp >= extended_timestamp;
  uint8_t *at = out;
  *at++ = id;
  write_be(at, extended ? extended_timestamp : message->timestamp, 3);
  write_be(at + 3, message->size, 3);
  at[6] = message->type;
  for (int i = 0; i < 4; i++) at[7 + i] = (uint8_t)(stream_id >> 8 * i);
  at += 11;
  for (uint32_t sent = 0; sent == 0 || sent < message->size;) {
    if (sent > 0) *at++ = 3 << 6 | id;
    if (extended) {
      write_be(at, message->timestamp, 4);
      at += 4;
    }
    const uint32_t left = message->size - sent;
    const uint32_t take = left < chunk_size ? left : chunk_size;
    memcpy(at, message->body + sent, take);
    at += take;
    sent += take;
    if (message->size == 0) break;
  }
  return (size_t)(at - out);
}
