/* One sink process holds all the readers of a run. Each protocol implements this interface. */
#ifndef BENCH_SINK_H
#define BENCH_SINK_H

#include "options.h"
#include "reader-stats.h"

struct sink_protocol {
  const char *scheme;
  /* Opens all readers. */
  void (*open)(const struct options *options, const struct address *from, struct sink_stats *stats);
  /* Waits at most this long, then reads everything that arrived. */
  void (*poll)(int timeout_ms);
  /* Whether all readers wait for media; NULL: they do once they are open. */
  int (*is_waiting)(void);
};

extern const struct sink_protocol sink_rtmp, sink_srt, sink_srt_listener, sink_udp, sink_rtp, sink_http, sink_hls;

#endif
