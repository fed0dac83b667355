#ifndef SIGNALBOX_UDP_ENDPOINT_H
#define SIGNALBOX_UDP_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "address.h"
#include "link.h"
#include "pcr_jitter.h"
#include "rtp.h"
#include "ts_scan.h"
#include "ts_sync.h"

enum {
  PROTOCOL_VERSION = 4,
  MAX_INPUTS = 256,
  MAX_OUTPUTS = 4096,
  MAX_FEEDS = 1024,
  DATAGRAM = 7 * TS_PACKET,
};

/* The stream sent to the destinations of one channel. They have no flow control, so all are sent the same bytes at the
   same time: one read position serves them all. */
struct feed {
  LIST_ENTRY(feed) entry_in_all;
  uint32_t id;
  LIST_HEAD(, output) outputs;
  uint32_t waiting;     /* outputs that have not started yet */
  uint8_t *bytes;
  size_t start, end, capacity;
  uint16_t sequence; /* of the next RTP packet */
  uint32_t source;   /* in RTP packets */
  struct ts_scan scan; /* of all incoming packets */
  uint8_t tables[TS_TABLES_MAX]; /* PAT and PMT as they preceded the random access point */
  size_t tables_length;
  size_t entry;    /* offset of the newest random access point in `bytes`; SIZE_MAX: none */
  bool is_due;     /* a partial datagram need not wait for more */
  int64_t fed_at;  /* when an input last delivered data */
  int64_t rest_at; /* since when a partial datagram waits; 0: none waits */
  int64_t next_at; /* earliest next send: receivers must first read the previous burst */
  int64_t held_until; /* more datagrams may join before this; 0: send now */
};

struct output_options {
  union address host;
  char interface[INTERFACE_TEXT]; /* "": the system's choice */
  int ttl;                        /* 0: the system's */
  bool is_rtp;
};

struct input_options {
  union address host;
  char interface[INTERFACE_TEXT]; /* that joins the group; "": the system's choice */
  union address source;           /* the only accepted sender; AF_UNSPEC: any */
  bool is_rtp;
  int64_t batch_time;
};

struct output {
  TAILQ_ENTRY(output) entry_in_all;
  LIST_ENTRY(output) entry_in_feed;
  uint32_t id;
  struct output_options options;
  int fd;
  struct feed *feed;
  bool has_started;
  bool is_split; /* the kernel segments the data into datagrams (UDP_SEGMENT) */
  int64_t waits_since; /* since when it waits for a random access point to start at; 0: no data yet */
  uint64_t bytes;
  uint64_t lost;  /* datagrams that the kernel did not accept */
  int fault;      /* errno of the last loss since the last report */
  int last_fault;
  bool has_sent, has_lost; /* in this second */
  unsigned failing_seconds;
};

struct input {
  TAILQ_ENTRY(input) entry_in_all;
  struct endpoint *endpoint;
  uint32_t id;
  struct input_options options;
  int fd;
  union address sender;
  int64_t heard_at;
  int64_t joined_at; /* when the group was last joined */
  struct rtp_order order; /* RTP only */
  struct ts_sync sync;
  struct pcr_jitter pcr_jitter; /* not with RTP, whose packets have timestamps */
  uint32_t feed; /* where datagrams go directly, bypassing the engine */
  bool is_linked;
  bool is_out_of_sync;
  bool has_lost; /* bytes were dropped since the last frame to the engine */
  uint8_t *batch;
  size_t batch_length;
  int64_t batch_at; /* when the first of them arrived */
  uint64_t bytes;
  uint64_t datagrams;
  uint64_t dropped_bytes; /* the engine did not read */
  uint64_t refused; /* datagrams from senders other than the accepted one */
};

struct endpoint {
  struct link link;
  TAILQ_HEAD(, input) inputs;
  TAILQ_HEAD(, output) outputs;
  LIST_HEAD(, feed) feeds;
  uint32_t input_count, output_count, feed_count;
  int64_t now;
  int64_t inputs_at; /* datagrams are not read before this */
  bool is_early;     /* some wait, but it is too early */
  int64_t second_at;
};

/* feeds.c */
struct feed *feed_find(struct endpoint *endpoint, uint32_t id);
struct feed *feed_open(struct endpoint *endpoint, uint32_t id);
/* Frees a feed without outputs. */
void feed_release(struct endpoint *endpoint, struct feed *feed);
void feed_append(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length, bool is_entry);
/* The same from an input: detects random access points. */
void feed_append_datagram(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length);
/* The PAT and PMT that precede the next packets. */
void feed_know_tables(struct feed *feed, const uint8_t *bytes, size_t length);
void feed_drop(struct feed *feed);
/* Sends the due data of all feeds. */
void feeds_run(struct endpoint *endpoint);
/* When feeds_run must be called next; INT64_MAX: not before new bytes arrive. */
int64_t feeds_due(const struct endpoint *endpoint);

/* outputs.c */
struct output *output_find(struct endpoint *endpoint, uint32_t id);
/* Replaces an output with the same id. */
void output_open(struct endpoint *endpoint, uint32_t id, uint32_t feed, const struct output_options *options);
void output_close(struct endpoint *endpoint, struct output *output);
/* Sends `length` bytes as datagrams of `datagram` bytes and a remainder; `media` of them count. */
void output_send(struct output *output, const uint8_t *bytes, size_t length, size_t media);
/* Once a second: reopens sockets that no longer send, and fails outputs that do not recover. */
void outputs_mend(struct endpoint *endpoint);

/* inputs.c */
struct input *input_find(struct endpoint *endpoint, uint32_t id);
/* Replaces an input with the same id. */
void input_open(struct endpoint *endpoint, uint32_t id, const struct input_options *options);
void input_close(struct endpoint *endpoint, struct input *input);
void input_read(struct endpoint *endpoint, struct input *input);
/* Once a second: rejoins the groups of silent inputs. */
void inputs_mend(struct endpoint *endpoint);
/* Sends to the engine what has waited long enough, and gives up packets that are missing for too long. */
void inputs_flush(struct endpoint *endpoint);
int64_t inputs_due(const struct endpoint *endpoint);

/* control.c, stats.c, loop.c */
void control_handle(struct endpoint *endpoint, const struct wire_frame *frame);
void stats_send(struct endpoint *endpoint);
int loop_run(struct endpoint *endpoint, int signal_fd);

#endif
