#ifndef SIGNALBOX_UDP_ENDPOINT_H
#define SIGNALBOX_UDP_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "addresses.h"
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

/* What goes to the destinations of one channel. They have no flow control, so all of them are sent the same bytes at
   the same time: one place in the bytes serves them all. */
struct feed {
  uint32_t id;
  struct output *first; /* linked list */
  uint32_t waiting;     /* outputs that have not begun yet */
  uint8_t *bytes;
  size_t start, end, capacity;
  uint16_t sequence; /* of the next RTP packet */
  uint32_t source;   /* in RTP packets */
  struct ts_scan scan; /* of all that comes */
  uint8_t tables[TS_TABLES_MAX]; /* PAT and PMT as they were in front of the entry point */
  size_t tables_length;
  size_t entry;    /* where the newest entry point lies in `bytes`; SIZE_MAX: none */
  bool is_due;     /* less than a datagram needn't wait for more */
  int64_t fed_at;  /* when an input brought something last */
  int64_t rest_at; /* since when less than a datagram waits; 0: nothing does */
  int64_t next_at; /* not before this: the burst before has to be read first */
  int64_t held_until; /* more datagrams may join before this; 0: what there is goes out now */
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
  union address source;           /* the only one that is heard; AF_UNSPEC: any */
  bool is_rtp;
  int64_t batch_time;
};

struct output {
  uint32_t id;
  struct output_options options;
  int fd;
  struct feed *feed;
  struct output *next;
  bool has_begun;
  bool is_split; /* the system cuts what is sent into datagrams itself */
  int64_t waits_since; /* for an entry point to begin at; 0: nothing has come yet */
  uint64_t bytes;
  uint64_t lost;  /* datagrams that the system did not take */
  int fault;      /* errno of the last loss since the last report */
  int last_fault;
  bool has_sent, has_lost; /* in this second */
  unsigned failing_seconds;
};

struct input {
  uint32_t id;
  struct input_options options;
  int fd;
  union address sender;
  int64_t heard_at;
  int64_t joined_at; /* when the group was joined last */
  struct rtp_order order; /* RTP only */
  struct ts_sync sync;
  struct pcr_jitter pcr_jitter; /* not with RTP, whose packets tell the time themselves */
  uint32_t feed; /* where datagrams go at once, without the engine between */
  bool is_linked;
  bool is_out_of_sync;
  bool has_lost; /* bytes were dropped since the last frame to the engine */
  uint8_t *batch;
  size_t batch_length;
  int64_t batch_at;   /* when the first of them came */
  int64_t batch_time; /* how long they may wait */
  uint64_t bytes;
  uint64_t datagrams;
  uint64_t dropped_bytes; /* the engine did not read */
  uint64_t refused; /* datagrams of others than the sender that is heard */
};

struct endpoint {
  struct link link;
  struct input *inputs[MAX_INPUTS];
  uint32_t input_count;
  struct output *outputs[MAX_OUTPUTS];
  uint32_t output_count;
  struct feed *feeds[MAX_FEEDS];
  uint32_t feed_count;
  int64_t now;
  int64_t inputs_at; /* datagrams are read not before this */
  bool is_early;     /* some wait, and it is not yet time */
  int64_t second_at;
};

/* feeds.c */
struct feed *feed_find(struct endpoint *endpoint, uint32_t id);
struct feed *feed_open(struct endpoint *endpoint, uint32_t id);
/* Frees a feed that has no outputs any more. */
void feed_release(struct endpoint *endpoint, struct feed *feed);
void feed_append(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length, bool is_entry);
/* The same from an input: entry points are looked for here. */
void feed_append_datagram(struct endpoint *endpoint, struct feed *feed, const uint8_t *bytes, size_t length);
/* PAT and PMT that came before what comes next. */
void feed_know_tables(struct feed *feed, const uint8_t *bytes, size_t length);
void feed_drop(struct feed *feed);
/* Sends what is due of every feed. */
void feeds_run(struct endpoint *endpoint);
/* When feeds_run has to be called next; INT64_MAX: not before new bytes come. */
int64_t feeds_due(const struct endpoint *endpoint);

/* outputs.c */
void output_open(struct endpoint *endpoint, uint32_t id, uint32_t feed, const struct output_options *options);
void output_failed(struct endpoint *endpoint, uint32_t id, const char *reason, const char *text);
void output_close(struct endpoint *endpoint, uint32_t id);
/* `length` bytes as datagrams of `datagram` bytes and a rest; `media` of them count. */
void output_send(struct output *output, const uint8_t *bytes, size_t length, size_t media);
/* Once a second: reopens sockets that no longer send, and gives up outputs that do not recover. */
void outputs_mend(struct endpoint *endpoint);

/* inputs.c */
void input_open(struct endpoint *endpoint, uint32_t id, const struct input_options *options);
void input_failed(struct endpoint *endpoint, uint32_t id, const char *reason, const char *text);
void input_close(struct endpoint *endpoint, uint32_t id);
struct input *input_find(struct endpoint *endpoint, uint32_t id);
void input_read(struct endpoint *endpoint, struct input *input);
/* Once a second: joins the groups of silent inputs again. */
void inputs_mend(struct endpoint *endpoint);
/* Hands to the engine what has waited long enough, and gives up what is missing for too long. */
void inputs_flush(struct endpoint *endpoint);
int64_t inputs_due(const struct endpoint *endpoint);

/* control.c, stats.c, loop.c */
void control_handle(void *endpoint, const struct wire_frame *frame);
void stats_send(struct endpoint *endpoint);
int loop_run(struct endpoint *endpoint, int signal_fd);

#endif
