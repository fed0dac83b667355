/*
 * sink from=<url> count=<readers> [seconds=<limit>] [latency=<ms>] [streamid=<id>] [step=<ports between readers>]
 *      [grid=<ms between polls, 0: readers are woken>] [first=<number>]
 *
 * `{}` in a path or a stream id is replaced by the reader's own number, counted from `first` on.
 *
 *   rtmp://host:port/app/stream   plays
 *   srt://host:port               calls, with the stream id
 *   srt-listener://host:port      takes callers
 *   udp://host:port               receives on count ports from this one on
 *   rtp://host:port               the same with RTP
 *   http://host:port/path         one endless transport stream each
 *   hls://host:port/path          every new segment of the playlist there
 *
 * Prints one JSON line when every reader has media and one for each `report` and at the end (control.h).
 */
#include "sink.h"

#include "clock.h"
#include "control.h"
#include "fail.h"
#include "grid.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { poll_ms = 20, default_grid_ms = 8 };

static const struct sink_protocol *const protocols[] = {&sink_rtmp, &sink_srt, &sink_srt_listener, &sink_udp, &sink_rtp,
                                                      &sink_http, &sink_hls};

static const struct sink_protocol *find_protocol(const char *scheme) {
  for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
    if (strcmp(protocols[i]->scheme, scheme) == 0) return protocols[i];
  }
  fail("no sink for %s://", scheme);
}

int main(int argc, char **argv) {
  const struct options options = {argc - 1, argv + 1};
  const struct address from = parse_address(option_text(&options, "from", NULL));
  const struct sink_protocol *protocol = find_protocol(from.scheme);
  const uint64_t limit = clock_ns() + (uint64_t)option_number(&options, "seconds", 120) * NS_PER_S;
  struct sink_stats stats;
  stats_init(&stats, (size_t)option_number(&options, "count", 1));
  signal(SIGPIPE, SIG_IGN);
  control_start();
  grid_start(option_number(&options, "grid", default_grid_ms));
  protocol->open(&options, &from, &stats);
  int is_waiting = 0;
  while (clock_ns() < limit) {
    protocol->poll(poll_ms);
    if (!is_waiting && (protocol->is_waiting == NULL || protocol->is_waiting())) {
      is_waiting = 1;
      printf("{\"event\":\"waiting\"}\n");
      fflush(stdout);
    }
    const enum control_order order = control_take();
    if (order == control_mark) stats_begin_window(&stats);
    if (order == control_report) stats_print_report(&stats);
    if (order == control_stop) break;
  }
  stats_print_report(&stats);
  return 0;
}
