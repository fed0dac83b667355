#include "guard.h"

#include <stdlib.h>
#include <string.h>

#include "sent.h"

enum control_type {
  HANDSHAKE = 0,
  KEEP_ALIVE = 1,
  ACK = 2,
  LOSS_REPORT = 3,
  SHUTDOWN = 5,
  ACK_ACK = 6,
  DROP_REQUEST = 7,
  EXTENSION = 0x7FFF,
};

enum extension_type {
  HS_REQUEST = 1,
  HS_RESPONSE = 2,
  KM_REQUEST = 3,
  KM_RESPONSE = 4,
  STREAM_ID = 5,
  CONGESTION = 6,
  FILTER = 7,
  GROUP = 8,
};

enum {
  HANDSHAKE_BYTES = 48,
  FIRST_FAILURE = 1000, /* request types from here on reject the connection and have no valid fields */
  /* libsrt builds its answer, up to 450 bytes, in a buffer of the size that the peer's MSS gives. */
  MIN_MSS = 500,
  /* The MSS of our sockets. libsrt accepts any MSS from a listener without an upper bound. */
  OWN_MSS = 1500,
  MAX_MSS = 65535,
  /* libsrt allocates and fills 24 bytes for each packet of the peer's window. */
  MIN_WINDOW = 32,
  MAX_WINDOW = 1 << 18,
  /* The size of libsrt's buffers on the stack for these messages. */
  MAX_KEY_MATERIAL = 104,
  MAX_HS_MESSAGE = 104,
  MAX_STREAM_ID = 512,
  MAX_CONGESTION = 16,
  MAX_FILTER = 64,
  MAX_GROUP = 8,
  /* Rows and columns of forward error correction: libsrt allocates a buffer for each. */
  MAX_FILTER_SIDE = 100,
  /* libsrt looks for each number of the range by itself and walks its list for each. A longer range is not needed:
     what is too late is dropped without a request. */
  MAX_DROPPED = 128,
  MAX_RTT_US = 30 * 1000 * 1000,
};

static const uint32_t range_bit = 0x80000000;
static const uint32_t sequence_mask = 0x7FFFFFFF;

static uint32_t word_at(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_between(uint32_t value, uint32_t least, uint32_t most) { return value >= least && value <= most; }

/* Key material: salt, then one or two wrapped keys, of lengths that it states itself. */
static bool is_key_material(const uint8_t *bytes, size_t length, bool is_response) {
  enum { KEY_FLAGS = 3, SALT_WORDS = 14, KEY_WORDS = 15, SALT = 16, MAX_SALT = 16, SIGNATURE = 8 };
  /* A response of one word is a fault code. */
  if (is_response && length == 4) return true;
  if (length < SALT || length > MAX_KEY_MATERIAL) return false;
  const size_t salt = bytes[SALT_WORDS] * 4u;
  const size_t key = bytes[KEY_WORDS] * 4u;
  const unsigned flags = bytes[KEY_FLAGS] & 3;
  if (flags == 0 || salt > MAX_SALT || (key != 16 && key != 24 && key != 32)) return false;
  return length == SALT + salt + key * (flags == 3 ? 2 : 1) + SIGNATURE;
}

/* `fec,cols:10,rows:5`; in the packet the bytes of each word are reversed. */
static bool is_filter(const uint8_t *bytes, size_t length) {
  char text[MAX_FILTER + 1] = "";
  if (length == 0 || length > MAX_FILTER) return false;
  for (size_t i = 0; i < length; i++) text[i] = (char)bytes[i ^ 3];
  for (const char *at = strchr(text, ','); at != NULL; at = strchr(at + 1, ',')) {
    const bool is_side = strncmp(at, ",cols:", 6) == 0 || strncmp(at, ",rows:", 6) == 0;
    if (!is_side) continue;
    const long side = strtol(at + 6, NULL, 10);
    if (side < -MAX_FILTER_SIDE || side > MAX_FILTER_SIDE) return false;
  }
  return true;
}

static bool is_extension(unsigned type, const uint8_t *bytes, size_t length) {
  switch (type) {
    case HS_REQUEST:
    case HS_RESPONSE:
      return is_between((uint32_t)length, 8, MAX_HS_MESSAGE);
    case KM_REQUEST:
    case KM_RESPONSE:
      return is_key_material(bytes, length, type == KM_RESPONSE);
    case STREAM_ID:
      return length <= MAX_STREAM_ID;
    case CONGESTION:
      return length <= MAX_CONGESTION;
    case FILTER:
      return is_filter(bytes, length);
    case GROUP:
      return length <= MAX_GROUP;
    default:
      return true;
  }
}

static bool are_extensions(const uint8_t *bytes, size_t length) {
  while (length >= 4) {
    const uint32_t head = word_at(bytes);
    const size_t size = (head & 0xFFFF) * 4;
    if (size > length - 4 || !is_extension(head >> 16, bytes + 4, size)) return false;
    bytes += 4 + size;
    length -= 4 + size;
  }
  return length == 0;
}

static bool is_handshake(const uint8_t *body, size_t length, bool is_to_listener) {
  if (length < HANDSHAKE_BYTES) return false;
  const uint32_t version = word_at(body);
  const uint32_t type = word_at(body + 20);
  const bool is_failure = is_between(type, FIRST_FAILURE, sequence_mask);
  if (!is_failure) {
    if (version != 4 && version != 5) return false;
    if (!is_between(word_at(body + 12), MIN_MSS, is_to_listener ? MAX_MSS : OWN_MSS)) return false;
    if (!is_between(word_at(body + 16), MIN_WINDOW, MAX_WINDOW)) return false;
  }
  return are_extensions(body + HANDSHAKE_BYTES, length - HANDSHAKE_BYTES);
}

static bool is_ack(const uint8_t *body, size_t length, int32_t socket) {
  enum { LIGHT = 4, LEAST_FULL = 16, RTT = 4, RTT_VARIANCE = 8, WINDOW = 12 };
  if (length % 4 != 0 || (length != LIGHT && length < LEAST_FULL)) return false;
  if (!sent_covers(socket, word_at(body))) return false;
  if (length == LIGHT) return true;
  return word_at(body + RTT) <= MAX_RTT_US && word_at(body + RTT_VARIANCE) <= MAX_RTT_US &&
         word_at(body + WINDOW) <= sequence_mask;
}

static bool is_loss_report(const uint8_t *body, size_t length, int32_t socket) {
  if (length == 0 || length % 4 != 0) return false;
  for (size_t at = 0; at < length; at += 4) {
    if ((word_at(body + at) & range_bit) != 0) at += 4;
    if (at == length || !sent_covers(socket, word_at(body + at))) return false;
  }
  return true;
}

static bool is_drop_request(const uint8_t *body, size_t length) {
  if (length < 8) return false;
  const uint32_t first = word_at(body);
  const uint32_t last = word_at(body + 4);
  return first <= last && last < sequence_mask && last - first < MAX_DROPPED;
}

bool guard_passes(const uint8_t *header, const uint8_t *body, size_t length) {
  if ((header[0] & 0x80) == 0) return true;
  const uint32_t head = word_at(header);
  const int32_t socket = (int32_t)word_at(header + 12);
  switch ((head >> 16) & 0x7FFF) {
    case HANDSHAKE:
      return is_handshake(body, length, socket == 0);
    case KEEP_ALIVE:
    case SHUTDOWN:
    case ACK_ACK:
      return true;
    case ACK:
      return is_ack(body, length, socket);
    case LOSS_REPORT:
      return is_loss_report(body, length, socket);
    case DROP_REQUEST:
      return is_drop_request(body, length);
    case EXTENSION:
      return is_between(head & 0xFFFF, HS_REQUEST, KM_RESPONSE) && length % 4 == 0 &&
             is_extension(head & 0xFFFF, body, length);
    default:
      /* No live stream uses the rest: "slow down", which has no lower limit, and "the peer's disk is full". */
      return false;
  }
}
