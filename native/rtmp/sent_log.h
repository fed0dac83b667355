#ifndef SIGNALBOX_RTMP_SENT_LOG_H
#define SIGNALBOX_RTMP_SENT_LOG_H

#include <stddef.h>
#include <stdint.h>

/* The newest messages of a publisher as its players get them. Messages are counted from 0, bytes too. */

enum {
  SENT_LOG_MESSAGES = 4096,
  /* Kept for players that join: more than the engine may be behind. */
  SENT_LOG_KEPT = 1 << 20,
};

struct sent_log {
  uint8_t *bytes;
  size_t start, end, capacity;
  uint64_t head;    /* offset of the next byte */
  uint64_t next;    /* number of the next message */
  uint64_t oldest;  /* number of the oldest message whose end is known */
  uint64_t ends[SENT_LOG_MESSAGES]; /* where messages end, by number modulo the size */
};

void sent_log_add(struct sent_log *log, uint8_t type, uint32_t timestamp, const uint8_t *body, size_t length);
/* Counts a message that players do not get. */
void sent_log_skip(struct sent_log *log);
/* Forgets the oldest messages that nobody needs. `needed`: smallest offset that a player still needs. */
void sent_log_trim(struct sent_log *log, uint64_t needed);
/* Returns where a message begins; UINT64_MAX if it is no longer or not yet known. */
uint64_t sent_log_begin(const struct sent_log *log, uint64_t message);
/*
 * Returns the number of the first message that does not begin before the offset. If that is so old that its number is no
 * longer known, returns the oldest message whose beginning is known; there are several messages in between then.
 */
uint64_t sent_log_message_from(const struct sent_log *log, uint64_t offset);
/* Returns the bytes from this offset to `head`, or NULL if they are no longer held. */
const uint8_t *sent_log_bytes(const struct sent_log *log, uint64_t offset);
void sent_log_free(struct sent_log *log);

#endif
