#include "clock.h"
#include "fail.h"
#include "rtmp-session.h"
#include "sink.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

enum { events_max = 64, jump_ms = 200 };

struct player {
  struct rtmp_session *session;
  struct sink_stats *stats;
  size_t index;
  /* Per message type (audio 8, video 9); 0 before the first. */
  uint32_t last_timestamp[2];
  int has_timestamp[2];
};

static int epoll_fd;
static struct player *players;
static char app[128], stream[128];

static void check_timestamp(struct player *player, const struct rtmp_message *message) {
  const int kind = message->type == rtmp_video;
  const uint32_t last = player->last_timestamp[kind];
  const int is_header = message->size >= 2 && message->body[1] == 0;
  if (is_header) return;
  if (player->has_timestamp[kind] && (message->timestamp < last || message->timestamp - last > jump_ms)) {
    player->stats->readers[player->index].faults++;
  }
  player->has_timestamp[kind] = 1;
  player->last_timestamp[kind] = message->timestamp;
}

static void on_media(void *context, const struct rtmp_message *message) {
  struct player *player = context;
  if (message->type == rtmp_data) return;
  stats_bytes(player->stats, player->index, message->size);
  check_timestamp(player, message);
  if (message->type != rtmp_video) return;
  const size_t head = message->size < MARKER_SEARCH_SIZE ? message->size : MARKER_SEARCH_SIZE;
  const ptrdiff_t at = marker_find(message->body, head);
  struct marker_stamp stamp;
  if (at >= 0 && marker_parse(message->body + at, &stamp)) stats_frame(player->stats, player->index, &stamp);
}

static void open_readers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  (void)options;
  if (sscanf(from->path, "%127[^/]/%127s", app, stream) != 2) fail("the path must be app/stream");
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  players = allocate(stats->count * sizeof *players);
  for (size_t i = 0; i < stats->count; i++) {
    struct player *player = &players[i];
    player->stats = stats;
    player->index = i;
    stats->readers[i].opened_ns = clock_ns();
    player->session = rtmp_open((struct rtmp_options){rtmp_player, from->host, from->port, app, stream, on_media, player});
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = player};
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, rtmp_socket(player->session), &event);
  }
}

static void poll_readers(int timeout_ms) {
  struct epoll_event events[events_max];
  const int count = epoll_wait(epoll_fd, events, events_max, timeout_ms);
  for (int i = 0; i < count; i++) {
    struct player *player = events[i].data.ptr;
    if (rtmp_read(player->session)) continue;
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, rtmp_socket(player->session), NULL);
    player->stats->readers[player->index].is_closed = 1;
    fprintf(stderr, "player %zu: closed by the server %s\n", player->index, rtmp_refusal(player->session));
  }
}

const struct sink_protocol sink_rtmp = {"rtmp", open_readers, poll_readers};
