#include "guard.h"

#include "clock.h"
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
  INDUCTION = 1,
  FIRST_FAILURE = 1001, /* a response with a request type from here on rejects the call and has no valid fields */
  /* libsrt builds its response, up to 450 bytes, in a buffer sized by the peer's MSS. */
  MIN_MSS = 500,
  /* The MSS of our sockets. libsrt accepts any MSS from a listener without an upper bound. */
  OWN_MSS = 1500,
  MAX_MSS = 65535,
  /* libsrt allocates and fills 24 bytes for each packet of the peer's window. */
  MIN_WINDOW = 32,
  MAX_WINDOW = 1 << 18,
  /* The size of libsrt's stack buffers for these messages. */
  MAX_KEY_MATERIAL = 104,
  MAX_HS_MESSAGE = 104,
  MAX_STREAM_ID = 512,
  MAX_CONGESTION = 16,
  MAX_GROUP = 8,
  /* libsrt looks up each number of the range separately and walks its list for each. Longer ranges are not needed: late
     packets are dropped without a request. */
  MAX_DROPPED = 128,
  MAX_RTT_US = 30 * 1000 * 1000,
  /* libsrt derives a key from the passphrase for each key request, which takes a millisecond. Peers send a new key only
     after millions of packets. */
  MAX_KEY_REQUESTS = 50, /* per second and port */
};

static const char malformed[] = "malformed handshake";
static const char packet_filter[] = "packet filter";
static const char too_many_keys[] = "too many key requests";

static const uint32_t range_bit = 0x80000000;
static const uint32_t sequence_mask = 0x7FFFFFFF;
static const uint32_t conclusion = 0xFFFFFFFF;

static uint32_t word_at(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_between(uint32_t value, uint32_t least, uint32_t max) { return value >= least && value <= max; }

/* Key material: salt, then one or two wrapped keys, with lengths given in the message. */
static bool is_key_material(const uint8_t *bytes, size_t length, bool is_response) {
  enum { KEY_FLAGS = 3, SALT_WORDS = 14, KEY_WORDS = 15, SALT = 16, MAX_SALT = 16, SIGNATURE = 8 };
  /* A one-word response is an error code. */
  if (is_response && length == 4) return true;
  if (length < SALT || length > MAX_KEY_MATERIAL) return false;
  const size_t salt = bytes[SALT_WORDS] * 4u;
  const size_t key = bytes[KEY_WORDS] * 4u;
  const unsigned flags = bytes[KEY_FLAGS] & 3;
  if (flags == 0 || salt > MAX_SALT || (key != 16 && key != 24 && key != 32)) return false;
  return length == SALT + salt + key * (flags == 3 ? 2 : 1) + SIGNATURE;
}

static bool is_key_request_due(void) {
  static _Thread_local int64_t second_began;
  static _Thread_local unsigned taken;
  const int64_t now = clock_us();
  if (now - second_began >= SECONDS(1)) {
    second_began = now;
    taken = 0;
  }
  return taken++ < MAX_KEY_REQUESTS;
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
    case GROUP:
      return length <= MAX_GROUP;
    default:
      return true;
  }
}

static const char *extensions_fault(const uint8_t *bytes, size_t length) {
  while (length >= 4) {
    const uint32_t head = word_at(bytes);
    const size_t size = (head & 0xFFFF) * 4;
    /* libsrt's forward error correction copies packets of any length, even 0, into a buffer for the usual one. */
    if (head >> 16 == FILTER) return packet_filter;
    if (size > length - 4 || !is_extension(head >> 16, bytes + 4, size)) return malformed;
    if (head >> 16 == KM_REQUEST && !is_key_request_due()) return too_many_keys;
    bytes += 4 + size;
    length -= 4 + size;
  }
  return length == 0 ? NULL : malformed;
}

static const char *handshake_fault(const uint8_t *body, size_t length, bool is_to_listener) {
  if (length < HANDSHAKE_BYTES) return malformed;
  const uint32_t version = word_at(body);
  const uint32_t type = word_at(body + 20);
  /* A libsrt listener treats every type except induction as a conclusion. */
  if (is_to_listener && type != INDUCTION && type != conclusion) return malformed;
  if (!is_between(type, FIRST_FAILURE, sequence_mask)) {
    if (version != 4 && version != 5) return malformed;
    if (!is_between(word_at(body + 12), MIN_MSS, is_to_listener ? MAX_MSS : OWN_MSS)) return malformed;
    if (!is_between(word_at(body + 16), MIN_WINDOW, MAX_WINDOW)) return malformed;
  }
  return extensions_fault(body + HANDSHAKE_BYTES, length - HANDSHAKE_BYTES);
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

static bool is_control(uint32_t head, int32_t socket, const uint8_t *body, size_t length) {
  switch ((head >> 16) & 0x7FFF) {
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
             is_extension(head & 0xFFFF, body, length) && ((head & 0xFFFF) != KM_REQUEST || is_key_request_due());
    default:
      /* Live streams do not use the rest: "slow down", which has no lower limit, and "the peer's disk is full". */
      return false;
  }
}

bool guard_passes(const uint8_t *header, const uint8_t *body, size_t length, const char **refused) {
  *refused = NULL;
  if ((header[0] & 0x80) == 0) return true;
  const uint32_t head = word_at(header);
  const int32_t socket = (int32_t)word_at(header + 12);
  if (((head >> 16) & 0x7FFF) != HANDSHAKE) return is_control(head, socket, body, length);
  const char *fault = handshake_fault(body, length, socket == 0);
  if (socket == 0) *refused = fault;
  return fault == NULL;
}
