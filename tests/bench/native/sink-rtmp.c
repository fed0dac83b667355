#include "clock.h"
#include "fail.h"
#include "grid.h"
#include "rtmp-session.h"
#include "sink.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

enum { jump_ms = 200, grid_receive_buffer = 1 << 20 };

struct player {
  struct rtmp_session *session;
  struct sink_stats *stats;
  size_t index;
  char stream[128];
  /* Woken for every message, so that its frames can be timed; the others read on the grid. */
  int is_prompt;
  int is_closed;
  /* Per message type (audio 8, video 9); 0 before the first. */
  uint32_t last_timestamp[2];
  int has_timestamp[2];
};

static size_t count;
static struct player *players;
static struct pollfd *watched;
static struct player **watched_players;
static char app[128];

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
  const uint64_t now = clock_ns();
  stats_bytes(player->stats, player->index, message->size, now);
  check_timestamp(player, message);
  if (message->type != rtmp_video) return;
  const size_t head = message->size < MARKER_SEARCH_SIZE ? message->size : MARKER_SEARCH_SIZE;
  const ptrdiff_t at = marker_find(message->body, head);
  struct marker_stamp stamp;
  if (at >= 0 && marker_parse(message->body + at, &stamp)) stats_frame(player->stats, player->index, &stamp, now);
}

/* Servers serve their players in order, so one in the middle and the last one show the delay. */
static int is_prompt(size_t index) { return !grid_is_on() || index == count / 2 || index + 1 == count; }

static void open_readers(const struct options *options, const struct address *from, struct sink_stats *stats) {
  char stream[128];
  const long first = option_number(options, "first", 0);
  if (sscanf(from->path, "%127[^/]/%127s", app, stream) != 2) fail("the path must be app/stream");
  count = stats->count;
  stats->has_whole_frames = 1;
  players = allocate(count * sizeof *players);
  watched = allocate(count * sizeof *watched);
  watched_players = allocate(count * sizeof *watched_players);
  for (size_t i = 0; i < count; i++) {
    struct player *player = &players[i];
    player->stats = stats;
    player->index = i;
    player->is_prompt = is_prompt(i);
    stats->readers[i].opened_ns = clock_ns();
    stats->readers[i].is_untimed = !player->is_prompt;
    put_number(player->stream, sizeof player->stream, stream, first + (long)i);
    player->session = rtmp_open((struct rtmp_options){
        .role = rtmp_player, .host = from->host, .port = from->port, .app = app, .stream = player->stream, .on_media = on_media,
        .context = player, .receive_buffer = player->is_prompt ? 0 : grid_receive_buffer});
  }
}

static void read_player(struct player *player) {
  if (player->is_closed || rtmp_read(player->session)) return;
  player->is_closed = player->stats->readers[player->index].is_closed = 1;
  fprintf(stderr, "player %zu: closed by the server %s\n", player->index, rtmp_refusal(player->session));
}

/* Players on the grid are also polled until they play, because the handshake is not media. */
static nfds_t watch(void) {
  nfds_t used = 0;
  for (size_t i = 0; i < count; i++) {
    struct player *player = &players[i];
    if (player->is_closed || (!player->is_prompt && rtmp_state(player->session) == rtmp_running)) continue;
    watched_players[used] = player;
    watched[used++] = (struct pollfd){.fd = rtmp_socket(player->session), .events = POLLIN};
  }
  return used;
}

static void poll_readers(int timeout_ms) {
  const uint64_t until = grid_is_on() ? grid_next_ns() : clock_ns() + (uint64_t)timeout_ms * NS_PER_MS;
  const nfds_t used = watch();
  const uint64_t now = clock_ns(), left = until > now ? until - now : 0;
  const struct timespec timeout = {.tv_sec = (time_t)(left / NS_PER_S), .tv_nsec = (long)(left % NS_PER_S)};
  if (ppoll(watched, used, &timeout, NULL) > 0) {
    for (nfds_t i = 0; i < used; i++) {
      if (watched[i].revents != 0) read_player(watched_players[i]);
    }
  }
  if (!grid_is_on() || clock_ns() < until) return;
  for (size_t i = 0; i < count; i++) {
    if (!players[i].is_prompt) read_player(&players[i]);
  }
}

static int is_waiting(void) {
  for (size_t i = 0; i < count; i++) {
    if (rtmp_state(players[i].session) != rtmp_running) return 0;
  }
  return 1;
}

const struct sink_protocol sink_rtmp = {"rtmp", open_readers, poll_readers, is_waiting};
