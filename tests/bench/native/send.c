/*
 * send to=<url> clip=<file> [length=<ms>] [seconds=<limit>] [latency=<ms>] [streamid=<id>]
 *
 *   rtmp://host:port/app/stream   publishes an FLV clip
 *   srt://host:port               calls and sends a TS clip
 *   udp://host:port               sends a TS clip
 *
 * The clip is looped and paced by its own clock. Prints a JSON line when it starts to send and one at the end.
 */
#include "clock.h"
#include "control.h"
#include "fail.h"
#include "flv-clip.h"
#include "marker.h"
#include "options.h"
#include "rtmp-session.h"
#include "srt-socket.h"
#include "ts-clip.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

enum { ts_packet_size = 188, group_packets = 7, group_size = ts_packet_size * group_packets, answer_ms = 10000 };
/* Time between "sending" and the first packet, so that every measurement starts cleanly. */
static const uint64_t lead_ns = 50 * NS_PER_MS;

static uint64_t end_ns, bytes_sent, late_max_ns;
static uint32_t frames_sent;

static int is_over(void) { return control_take() == control_stop || clock_ns() >= end_ns; }

static void wait_until(uint64_t due) {
  sleep_until_ns(due);
  const uint64_t late = clock_ns() - due;
  if (late > late_max_ns) late_max_ns = late;
}

/* `start`: when the first packet is sent. */
static void print_sending(uint64_t start) {
  printf("{\"event\":\"sending\",\"atMs\":%.1f}\n", (double)start / NS_PER_MS);
  fflush(stdout);
}

/* --- TS --- */

typedef int (*send_group)(int socket, const uint8_t *group);

static void send_ts(const struct options *options, int socket, send_group send_one) {
  struct ts_clip *clip = ts_clip_load(option_text(options, "clip", NULL), (uint32_t)option_number(options, "length", 16000));
  const uint64_t start = clock_ns() + lead_ns;
  print_sending(start);
  while (!is_over()) {
    uint8_t group[group_size];
    wait_until(start + ts_clip_due(clip));
    for (int i = 0; i < group_packets; i++) memcpy(group + i * ts_packet_size, ts_clip_next(clip), ts_packet_size);
    if (!send_one(socket, group)) break;
    bytes_sent += group_size;
  }
  frames_sent = ts_clip_frames(clip);
}

static int send_srt_group(int socket, const uint8_t *group) {
  if (srt_sendmsg(socket, (const char *)group, group_size, -1, 1) == group_size) return 1;
  fprintf(stderr, "srt: %s\n", srt_getlasterror_str());
  return 0;
}

static void send_srt(const struct options *options, const struct address *to) {
  srt_startup();
  srt_setloglevel(0);
  const struct sockaddr_in peer = srt_address(to, to->port);
  SRTSOCKET socket = srt_make_socket(options, 1, 0);
  if (srt_connect(socket, (const struct sockaddr *)&peer, sizeof peer) == SRT_ERROR) {
    fail("srt://%s:%d: %s", to->host, to->port, srt_getlasterror_str());
  }
  send_ts(options, socket, send_srt_group);
  srt_close(socket);
  srt_cleanup();
}

/* A port without a receiver answers ECONNREFUSED, which a sender of datagrams ignores. */
static int send_udp_group(int socket, const uint8_t *group) {
  return send(socket, group, group_size, 0) == group_size || errno == ECONNREFUSED || errno == ENOBUFS;
}

static void send_udp(const struct options *options, const struct address *to) {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const struct sockaddr_in peer = srt_address(to, to->port);
  if (connect(fd, (const struct sockaddr *)&peer, sizeof peer) != 0) fail("udp: %s", strerror(errno));
  send_ts(options, fd, send_udp_group);
}

/* --- RTMP --- */

static void await_publish(struct rtmp_session *session) {
  const uint64_t limit = clock_ns() + answer_ms * NS_PER_MS;
  while (rtmp_state(session) != rtmp_running) {
    struct pollfd wait = {.fd = rtmp_socket(session), .events = POLLIN};
    if (clock_ns() > limit) fail("rtmp: no answer to publish");
    if (poll(&wait, 1, 100) > 0 && !rtmp_read(session)) fail("rtmp: the server refused: %s", rtmp_refusal(session));
  }
}

static int send_tag(struct rtmp_session *session, const struct flv_tag *tag, uint32_t shift_ms) {
  if (tag->stamp >= 0) marker_format(tag->body + tag->stamp, (struct marker_stamp){clock_ns(), frames_sent++});
  bytes_sent += tag->size;
  const struct rtmp_message message = {tag->type, tag->timestamp_ms + shift_ms, tag->body, tag->size};
  return rtmp_send(session, &message) && rtmp_read(session);
}

static void send_rtmp(const struct options *options, const struct address *to) {
  char app[128], stream[128];
  if (sscanf(to->path, "%127[^/]/%127s", app, stream) != 2) fail("the path must be app/stream");
  const struct flv_clip clip = flv_load(option_text(options, "clip", NULL));
  const uint32_t length = (uint32_t)option_number(options, "length", 16000);
  struct rtmp_session *session = rtmp_open((struct rtmp_options){
      .role = rtmp_publisher, .host = to->host, .port = to->port, .app = app, .stream = stream});
  await_publish(session);
  for (size_t i = 0; i < clip.count; i++) {
    if (flv_is_header(&clip.tags[i]) && !send_tag(session, &clip.tags[i], 0)) fail("rtmp: closed by the server");
  }
  const uint64_t start = clock_ns() + lead_ns;
  print_sending(start);
  for (uint32_t shift = 0;; shift += length) {
    for (size_t i = 0; i < clip.count; i++) {
      const struct flv_tag *tag = &clip.tags[i];
      if (flv_is_header(tag)) continue;
      if (is_over()) return;
      wait_until(start + (shift + (uint64_t)tag->timestamp_ms) * NS_PER_MS);
      if (!send_tag(session, tag, shift)) fail("rtmp: closed by the server");
    }
  }
}

int main(int argc, char **argv) {
  const struct options options = {argc - 1, argv + 1};
  const struct address to = parse_address(option_text(&options, "to", NULL));
  end_ns = clock_ns() + (uint64_t)option_number(&options, "seconds", 120) * NS_PER_S;
  signal(SIGPIPE, SIG_IGN);
  control_start();
  if (strcmp(to.scheme, "rtmp") == 0) {
    send_rtmp(&options, &to);
  } else if (strcmp(to.scheme, "srt") == 0) {
    send_srt(&options, &to);
  } else if (strcmp(to.scheme, "udp") == 0) {
    send_udp(&options, &to);
  } else {
    fail("no sender for %s://", to.scheme);
  }
  printf("{\"event\":\"sent\",\"frames\":%u,\"bytes\":%llu,\"lateMaxMs\":%.1f}\n", frames_sent,
         (unsigned long long)bytes_sent, (double)late_max_ns / NS_PER_MS);
  return 0;
}
