/* HTTP viewers: one endless transport stream each, or HLS, fetching every new segment. */
#include "clock.h"
#include "fail.h"
#include "http-get.h"
#include "sink.h"
#include "ts-reader.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { playlist_max = 16384, path_max = 512, name_max = 256, ask_again_ms = 1000, retry_ms = 20 };

struct viewer {
  struct http_get get;
  struct sink_stats *stats;
  size_t index;
  struct ts_reader ts;
  char agent[32];
  char path[path_max];
  /* HLS only. */
  int is_playlist;
  char playlist[playlist_max];
  size_t playlist_size;
  char last_segment[name_max];
  uint64_t ask_at_ns;
};

static struct address source;
static size_t count;
static struct viewer *viewers;
static int is_hls;

static void end(struct viewer *viewer, const char *why) {
  viewer->stats->readers[viewer->index].is_closed = 1;
  fprintf(stderr, "viewer %zu: %s\n", viewer->index, why);
  close(viewer->get.socket);
  viewer->get.socket = -1;
}

static void ask(struct viewer *viewer, const char *path) {
  if (!http_ask(&viewer->get, source.host, source.port, path, viewer->agent)) end(viewer, "the connection ended");
}

static void ask_playlist(struct viewer *viewer) {
  viewer->is_playlist = is_hls;
  viewer->playlist_size = 0;
  ask(viewer, viewer->path);
}

static void ask_segment(struct viewer *viewer, const char *name) {
  char path[path_max + name_max];
  const int folder = (int)(strrchr(viewer->path, '/') - viewer->path + 1);
  if (name[0] == '/') snprintf(path, sizeof path, "%s", name);
  else snprintf(path, sizeof path, "%.*s%s", folder, viewer->path, name);
  snprintf(viewer->last_segment, sizeof viewer->last_segment, "%s", name);
  viewer->is_playlist = 0;
  /* Each segment may start with tables that have counters of their own. */
  memset(viewer->ts.continuity, -1, sizeof viewer->ts.continuity);
  ask(viewer, path);
}

/* The segment after the last fetched one; the newest for a viewer that is new or fell out of the playlist. "": none. */
static const char *next_segment(struct viewer *viewer) {
  static char name[name_max];
  int was_last = 0;
  name[0] = '\0';
  viewer->playlist[viewer->playlist_size] = '\0';
  for (char *line = strtok(viewer->playlist, "\r\n"); line != NULL; line = strtok(NULL, "\r\n")) {
    unsigned long seconds;
    if (sscanf(line, "#EXT-X-TARGETDURATION:%lu", &seconds) == 1) stats_expect_segments(viewer->stats, seconds * NS_PER_S);
    if (line[0] == '#') continue;
    snprintf(name, sizeof name, "%s", line);
    if (was_last) return name;
    was_last = strcmp(line, viewer->last_segment) == 0;
  }
  if (was_last) name[0] = '\0';
  return name;
}

static void on_body(void *context, const uint8_t *data, size_t size) {
  struct viewer *viewer = context;
  if (viewer->get.status != 200) return;
  if (!viewer->is_playlist) {
    ts_reader_feed(&viewer->ts, data, size, clock_ns());
  } else if (viewer->playlist_size + size < playlist_max) {
    memcpy(viewer->playlist + viewer->playlist_size, data, size);
    viewer->playlist_size += size;
  }
}

/* A response is complete. */
static void go_on(struct viewer *viewer) {
  const uint64_t now = clock_ns();
  if (viewer->get.status != 200) {
    viewer->ask_at_ns = now + retry_ms * NS_PER_MS;
    return;
  }
  if (!is_hls) {
    end(viewer, "the stream ended");
  } else if (viewer->is_playlist) {
    const char *name = next_segment(viewer);
    if (name[0] != '\0') ask_segment(viewer, name);
    else viewer->ask_at_ns = now + ask_again_ms * NS_PER_MS;
  } else {
    ask_playlist(viewer);
  }
}

static void open_readers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  source = *from;
  is_hls = strcmp(from->scheme, "hls") == 0;
  count = stats->count;
  viewers = allocate(count * sizeof *viewers);
  for (size_t i = 0; i < count; i++) {
    struct viewer *viewer = &viewers[i];
    viewer->stats = stats;
    viewer->index = i;
    ts_reader_init(&viewer->ts, stats, i);
    snprintf(viewer->agent, sizeof viewer->agent, "viewer-%ld-%zu", option_number(options, "agent", 0), i);
    viewer->path[0] = '/';
    put_number(viewer->path + 1, sizeof viewer->path - 1, from->path, option_number(options, "first", 0) + (long)i);
    stats->readers[i].opened_ns = clock_ns();
    http_open(&viewer->get, from->host, from->port);
    ask_playlist(viewer);
  }
}

static void poll_readers(int timeout_ms) {
  static struct pollfd watched[256];
  for (size_t i = 0; i < count; i++) {
    struct viewer *viewer = &viewers[i];
    watched[i] = (struct pollfd){.fd = viewer->get.phase == http_idle ? -1 : viewer->get.socket, .events = POLLIN};
    if (viewer->get.socket < 0 || viewer->get.phase != http_idle) continue;
    if (clock_ns() >= viewer->ask_at_ns) ask_playlist(viewer);
    watched[i].fd = viewer->get.socket;
  }
  if (poll(watched, count, timeout_ms) <= 0) return;
  for (size_t i = 0; i < count; i++) {
    struct viewer *viewer = &viewers[i];
    if (watched[i].revents == 0 || viewer->get.socket < 0) continue;
    if (!http_read(&viewer->get, on_body, viewer)) end(viewer, "closed by the server");
    else if (viewer->get.phase == http_idle) go_on(viewer);
  }
}

const struct sink_protocol sink_http = {"http", open_readers, poll_readers, NULL};
const struct sink_protocol sink_hls = {"hls", open_readers, poll_readers, NULL};
