#include "sent_log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"
#include "log.h"

/* As chunk-writer.ts of the engine writes messages: full headers, one chunk stream per type, message stream 1. */
enum {
  FULL_HEADER = 12,
  EXTENDED = 0xffffff,
  EXTENDED_BYTES = 4,
  OUT_CHUNK = 65536,
  AUDIO_CHUNK_STREAM = 4,
  VIDEO_CHUNK_STREAM = 6,
  MESSAGE_STREAM = 1,
  FIRST_CAPACITY = 256 << 10,
};

static uint64_t tail(const struct sent_log *log) { return log->head - (log->end - log->start); }

static uint8_t *room_for(struct sent_log *log, size_t more) {
  const size_t held = log->end - log->start;
  if (log->end + more <= log->capacity) return log->bytes + log->end;
  size_t capacity = log->capacity == 0 ? FIRST_CAPACITY : log->capacity;
  while (capacity < held + more + held / 2) capacity *= 2;
  if (log->start > 0) memmove(log->bytes, log->bytes + log->start, held);
  log->start = 0;
  log->end = held;
  if (capacity != log->capacity) {
    uint8_t *bytes = realloc(log->bytes, capacity);
    if (bytes == NULL) {
      log_error("out of memory");
      abort();
    }
    log->bytes = bytes;
    log->capacity = capacity;
  }
  return log->bytes + log->end;
}

static uint8_t *put(uint8_t *at, uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) *at++ = (uint8_t)(value >> shift);
  return at;
}

static uint8_t *put_header(uint8_t *at, uint8_t type, uint32_t timestamp, size_t length, uint8_t chunk_stream) {
  *at++ = chunk_stream;
  at = put(at, timestamp >= EXTENDED ? EXTENDED : timestamp, 3);
  at = put(at, (uint32_t)length, 3);
  *at++ = type;
  /* The only little-endian number of the protocol. */
  return put(at, (uint32_t)MESSAGE_STREAM << 24, 4);
}

void sent_log_add(struct sent_log *log, uint8_t type, uint32_t timestamp, const uint8_t *body, size_t length) {
  const uint8_t chunk_stream = type == MESSAGE_AUDIO ? AUDIO_CHUNK_STREAM : VIDEO_CHUNK_STREAM;
  const bool is_extended = timestamp >= EXTENDED;
  const size_t more_chunks = length / OUT_CHUNK;
  uint8_t *const first = room_for(log, FULL_HEADER + EXTENDED_BYTES + length + more_chunks * (1 + EXTENDED_BYTES));
  uint8_t *at = put_header(first, type, timestamp, length, chunk_stream);
  if (is_extended) at = put(at, timestamp, EXTENDED_BYTES);
  for (size_t sent = 0; sent < length;) {
    const size_t part = length - sent < OUT_CHUNK ? length - sent : OUT_CHUNK;
    memcpy(at, body + sent, part);
    at += part;
    sent += part;
    if (sent == length) break;
    *at++ = 0xc0 | chunk_stream;
    if (is_extended) at = put(at, timestamp, EXTENDED_BYTES);
  }
  log->end += (size_t)(at - first);
  log->head += (size_t)(at - first);
  sent_log_skip(log);
}

void sent_log_skip(struct sent_log *log) {
  log->ends[log->next++ % SENT_LOG_MESSAGES] = log->head;
  if (log->next - log->oldest > SENT_LOG_MESSAGES) log->oldest = log->next - SENT_LOG_MESSAGES;
}

void sent_log_trim(struct sent_log *log, uint64_t needed) {
  const uint64_t kept = log->head > SENT_LOG_KEPT ? log->head - SENT_LOG_KEPT : 0;
  const uint64_t limit = needed < kept ? needed : kept;
  if (limit > tail(log)) log->start += (size_t)(limit - tail(log));
  /* One huge message must not keep its memory forever. */
  const size_t held = log->end - log->start;
  if (log->capacity <= 8 * SENT_LOG_KEPT || held > 2 * SENT_LOG_KEPT) return;
  memmove(log->bytes, log->bytes + log->start, held);
  log->start = 0;
  log->end = held;
  uint8_t *bytes = realloc(log->bytes, 4 * SENT_LOG_KEPT);
  if (bytes == NULL) return;
  log->bytes = bytes;
  log->capacity = 4 * SENT_LOG_KEPT;
}

uint64_t sent_log_begin(const struct sent_log *log, uint64_t message) {
  if (message > log->next) return UINT64_MAX;
  if (message == log->next) return log->head;
  if (message == 0) return tail(log) == 0 ? 0 : UINT64_MAX;
  if (message - 1 < log->oldest) return UINT64_MAX;
  const uint64_t begin = log->ends[(message - 1) % SENT_LOG_MESSAGES];
  return begin >= tail(log) ? begin : UINT64_MAX;
}

uint64_t sent_log_message_from(const struct sent_log *log, uint64_t offset) {
  uint64_t message = log->next;
  if (offset == 0) return 0;
  while (message > log->oldest + 1 && log->ends[(message - 2) % SENT_LOG_MESSAGES] >= offset) message--;
  return message;
}

const uint8_t *sent_log_bytes(const struct sent_log *log, uint64_t offset) {
  if (offset < tail(log) || offset > log->head) return NULL;
  return log->bytes + log->start + (size_t)(offset - tail(log));
}

void sent_log_free(struct sent_log *log) { free(log->bytes); }
