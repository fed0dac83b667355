#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clock.h"
#include "endpoint.h"

enum {
  FEED_FIRST = 128 << 10,
  /* A second at 32 Mb/s; data that does not fit is lost for the feed's destinations. */
  FEED_LIMIT = 4 << 20,
  /* A receive buffer of Linux's default size (208 KiB) holds about 90 datagrams. A keyframe arrives as 150 and more at
     once; 32 per millisecond is 337 Mb/s, far above any stream, and leaves the receiver time to read. */
  BURST = 32,
  BURST_EVERY = 1000,
  /* A partial datagram waits this long for more. */
  REST_TIME = 5000,
  /* Datagrams from an input wait this long for others, unless a PES packet or PCR begins in them: sending two together
     costs little more than sending one, and a decoder waits for the end of a frame. */
  GATHER_TIME = 8000,
  /* An output that sees no random access point starts after this time. */
  BEGIN_AFTER_MS = 2000,
  /* After an input was silent for this long, its outputs wait for a random access point again. */
  SILENT_MS = 10000,
};

#define NO_ENTRY SIZE_MAX

struct feed *feed_find(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed;
  LIST_FOREACH(feed, &endpoint->feeds, entry_in_all) {
    if (feed->id == id) return feed;
  }
  return NULL;
}

struct feed *feed_open(struct endpoint *endpoint, uint32_t id) {
  struct feed *feed = feed_find(endpoint, id);
  if (feed != NULL) return feed;
  if (endpoint->feed_count == MAX_FEEDS) return NULL;
  feed = calloc(1, sizeof *feed);
  if (feed == NULL) return NULL;
  feed->id = id;
  feed->entry = NO_ENTRY;
  ts_scan_init(&feed->scan);
  /* Starts at a random value, as RFC 3550 recommends. */
  if (getrandom(&feed->source, sizeof feed->source, GRND_NONBLOCK) != sizeof feed->source) feed->source = id;
  feed->sequence = (uint16_t)feed->source;
  LIST_INSERT_HEAD(&endpoint->feeds, feed, entry_in_all);
  endpoint->feed_count++;
  return feed;
}

void feed_release(struct endpoint *endpoint, struct feed *feed) {
  if (!LIST_EMPTY(&feed->outputs)) return;
  LIST_REMOVE(feed, entry_in_all);
  endpoint->feed_count--;
  free(feed->bytes);
  free(feed);
}

void feed_drop(struct feed *feed) {
  feed->start = feed->end = 0;
  feed->entry = NO_ENTRY;
  feed->rest_at = feed->held_until = 0;
}

static bool make_room(struct feed *feed, size_t more) {
  if (feed->end + more <= feed->capacity) return true;
  size_t held = feed->end - feed->start;
  if (held + more > FEED_LIMIT) return false;
  if (feed->start > 0) {
    memmove(feed->bytes, feed->bytes + feed->start, held);
    if (feed->entry != NO_ENTRY) feed->entry = feed->entry >= feed->start ? feed->entry - feed->start : NO_ENTRY;
    feed->start = 0;
    feed->end = held;
  }
  size_t capacity = feed->capacity == 0 ? FEED_FIRST : feed->capacity;
  while (capacity < held + more) capacity *= 2;
  if (capacity == feed->capacity) return true;
  uint8_t *wider = realloc(feed->bytes, capacity);
  if (wider == NULL) return false;
  feed->bytes = wider;
  feed->capacity = capacity;
  return true;
}

static void lose(struct feed *feed, size_t length) {
  struct output *output;
  LIST_FOREACH(output, &feed->outputs, entry_in_feed) {
    if (output->has_started) output->lost += (length + DATAGRAM - 1) / DATAGRAM;
  }
}

static void take_tables(struct feed *feed) { feed->tables_length = ts_scan_tables(&feed->scan, feed->tables); }

void feed_know_tables(struct feed *feed, const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length; at += TS_PACKET) ts_scan_packet(&feed->scan, bytes + at);
}

static void append(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length, bool is_entry) {
  if (LIST_EMPTY(&feed->outputs) || length == 0) return;
  if (!make_room(feed, length)) {
    lose(feed, length);
    return;
  }
  feed->is_due = false;
  feed->held_until = 0;
  if (is_entry) feed->entry = feed->end;
  memcpy(feed->bytes + feed->end, bytes, length);
  feed->end += length;
  if (feed->rest_at == 0) feed->rest_at = endpoint->now;
}

void feed_append(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length, bool is_entry) {
  if (is_entry) take_tables(feed);
  append(endpoint, feed, bytes, length, is_entry);
  feed_know_tables(feed, bytes, length);
}

/* Flags of the adaptation field; 0 if there is none. */
static uint8_t adaptation_flags(const uint8_t *packet) {
  return (packet[3] & 0x20) != 0 && packet[4] > 0 ? packet[5] : 0;
}

/* The PES packet that begins here, with at least four bytes; NULL if there is none. */
static const uint8_t *pes_start(const uint8_t *packet) {
  const bool starts_payload = (packet[1] & 0x40) != 0, has_payload = (packet[3] & 0x10) != 0;
  if (!starts_payload || !has_payload) return NULL;
  const size_t at = (packet[3] & 0x20) != 0 ? (size_t)5 + packet[4] : 4;
  if (at + 4 > TS_PACKET) return NULL;
  const uint8_t *pes = packet + at;
  return pes[0] == 0 && pes[1] == 0 && pes[2] == 1 ? pes : NULL;
}

/* A frame begins here, so the previous one is complete; or a clock reference, which is time-critical. */
static bool is_urgent(const uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length; at += TS_PACKET) {
    if ((adaptation_flags(bytes + at) & 0x10) != 0 || pes_start(bytes + at) != NULL) return true;
  }
  return false;
}

static uint32_t rtp_time(int64_t now) { return (uint32_t)(now * 9 / 100); }

static void begin_again(struct feed *feed) {
  ts_scan_init(&feed->scan);
  feed->waiting = 0;
  struct output *output;
  LIST_FOREACH(output, &feed->outputs, entry_in_feed) {
    output->has_started = false;
    output->waits_since = 0;
    feed->waiting++;
  }
}

void feed_append_datagram(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length) {
  size_t entry = length;
  if (endpoint->now - feed->fed_at > MS(SILENT_MS)) begin_again(feed);
  feed->fed_at = endpoint->now;
  const int64_t held_until = feed->end == feed->start ? endpoint->now + GATHER_TIME : feed->held_until;
  for (size_t at = 0; at < length; at += TS_PACKET) {
    const bool is_entry = ts_scan_packet(&feed->scan, bytes + at);
    if (!is_entry || entry < length || feed->waiting == 0) continue;
    entry = at;
    take_tables(feed);
  }
  append(endpoint, feed, bytes, entry, false);
  append(endpoint, feed, bytes + entry, length - entry, true);
  /* Full datagrams are forwarded as they arrived; small ones are batched. */
  feed->is_due = length >= DATAGRAM;
  feed->held_until = is_urgent(bytes, length) ? 0 : held_until;
}

/* Sends the tables to a starting output. Only it gets these packets, so they use the numbers before the next one. */
static void send_tables(const struct endpoint *endpoint, const struct feed *feed, struct output *output) {
  const size_t length = feed->tables_length, count = (length + DATAGRAM - 1) / DATAGRAM;
  if (!output->options.is_rtp) {
    output_send(output, feed->tables, length, length);
    return;
  }
  uint8_t packed[RTP_HEADER + DATAGRAM];
  for (size_t i = 0; i < count; i++) {
    const uint8_t *part = feed->tables + i * DATAGRAM;
    const size_t left = length - i * DATAGRAM, size = left < DATAGRAM ? left : DATAGRAM;
    rtp_put_header(packed, (uint16_t)(feed->sequence + i - count), rtp_time(endpoint->now), feed->source);
    memcpy(packed + RTP_HEADER, part, size);
    output_send(output, packed, RTP_HEADER + size, size);
  }
}

/* Starts the outputs that waited for this position. */
static void begin_outputs(const struct endpoint *endpoint, struct feed *feed) {
  const bool is_entry = feed->entry == feed->start;
  struct output *output;
  LIST_FOREACH(output, &feed->outputs, entry_in_feed) {
    if (output->has_started) continue;
    if (output->waits_since == 0) output->waits_since = endpoint->now;
    if (!is_entry && endpoint->now - output->waits_since < MS(BEGIN_AFTER_MS)) continue;
    output->has_started = true;
    feed->waiting--;
    if (is_entry && feed->tables_length > 0) send_tables(endpoint, feed, output);
  }
}

/* Length to send now; 0: nothing. */
static size_t next_length(const struct endpoint *endpoint, const struct feed *feed) {
  size_t held = feed->end - feed->start;
  if (feed->waiting > 0 && feed->entry != NO_ENTRY && feed->entry > feed->start) {
    /* Waiting outputs start with a separate datagram. */
    size_t before = feed->entry - feed->start;
    return before < BURST * DATAGRAM ? before : (size_t)BURST * DATAGRAM;
  }
  if (held > BURST * DATAGRAM) return (size_t)BURST * DATAGRAM;
  if (endpoint->now < feed->held_until) return 0;
  if (held >= DATAGRAM) return held - held % DATAGRAM;
  return feed->is_due || endpoint->now - feed->rest_at >= REST_TIME ? held : 0;
}

/* Adds an RTP header to each datagram and returns the total length. The timestamp is the time of sending. */
static size_t pack_rtp(struct feed *feed, int64_t now, const uint8_t *bytes, size_t length, uint8_t *packed) {
  size_t used = 0;
  for (size_t at = 0; at < length; at += DATAGRAM) {
    const size_t part = length - at < DATAGRAM ? length - at : DATAGRAM;
    rtp_put_header(packed + used, feed->sequence++, rtp_time(now), feed->source);
    memcpy(packed + used + RTP_HEADER, bytes + at, part);
    used += RTP_HEADER + part;
  }
  return used;
}

static void send_all(const struct endpoint *endpoint, struct feed *feed, size_t length) {
  uint8_t packed[BURST * (RTP_HEADER + DATAGRAM)];
  size_t packed_length = 0;
  const uint8_t *bytes = feed->bytes + feed->start;
  struct output *output;
  LIST_FOREACH(output, &feed->outputs, entry_in_feed) {
    if (!output->has_started) continue;
    if (!output->options.is_rtp) output_send(output, bytes, length, length);
    else {
      if (packed_length == 0) packed_length = pack_rtp(feed, endpoint->now, bytes, length, packed);
      output_send(output, packed, packed_length, length);
    }
  }
}

static void run(struct endpoint *endpoint, struct feed *feed) {
  size_t budget = BURST * DATAGRAM;
  while (endpoint->now >= feed->next_at && feed->end > feed->start) {
    if (feed->waiting > 0) begin_outputs(endpoint, feed);
    size_t length = next_length(endpoint, feed);
    if (length == 0) return;
    send_all(endpoint, feed, length);
    feed->start += length;
    feed->rest_at = feed->end > feed->start ? endpoint->now : 0;
    budget -= length < budget ? length : budget;
    if (budget < DATAGRAM) {
      feed->next_at = endpoint->now + BURST_EVERY;
      budget = BURST * DATAGRAM;
    }
  }
  if (feed->start == feed->end) feed_drop(feed);
}

void feeds_run(struct endpoint *endpoint) {
  struct feed *feed;
  LIST_FOREACH(feed, &endpoint->feeds, entry_in_all) {
    if (feed->end > feed->start) run(endpoint, feed);
  }
}

int64_t feeds_due(const struct endpoint *endpoint) {
  const struct feed *feed;
  int64_t due = INT64_MAX;
  LIST_FOREACH(feed, &endpoint->feeds, entry_in_all) {
    if (feed->end == feed->start) continue;
    const bool is_rest = feed->end - feed->start < DATAGRAM;
    int64_t at = is_rest && !feed->is_due ? feed->rest_at + REST_TIME : feed->held_until;
    if (at < feed->next_at) at = feed->next_at;
    if (at < due) due = at;
  }
  return due;
}
