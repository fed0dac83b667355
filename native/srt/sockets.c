#include "sockets.h"

#include <string.h>

enum {
  DEFAULT_BUFFER = 8192 * 1456,
  /* Bytes per millisecond of latency: buffers must hold 50 Mb/s for an outage as long as the latency. */
  BYTES_PER_MS = 6250,
  MAX_BUFFER = 48 << 20,
  PACKET = 1456,
};

/* Bytes per second. libsrt spaces packets by this; with its default of 1 Gb/s its sender thread sleeps some
   microseconds after each packet, a fifth of its CPU [4 players at 6 Mb/s: 2.5 % of a core against 2.0 %]. */
static const int64_t packet_spacing = 1250000000;

/* Bytes per second: a GOP that is sent at once at the start needs more than the stream's average rate. */
static const int64_t least_rate = 2500000;

bool socket_set_integer(SRTSOCKET socket, SRT_SOCKOPT option, int value) {
  return srt_setsockflag(socket, option, &value, sizeof value) == 0;
}

int socket_get_integer(SRTSOCKET socket, SRT_SOCKOPT option) {
  int value = 0;
  int length = sizeof value;
  return srt_getsockflag(socket, option, &value, &length) == 0 ? value : 0;
}

static bool set_flag(SRTSOCKET socket, SRT_SOCKOPT option, bool value) {
  return srt_setsockflag(socket, option, &value, sizeof value) == 0;
}

/* libsrt allocates the buffers' memory only as needed, but that of the window at once, 16 bytes per packet; so the
   window is just what the receive buffer needs [default window of 25600: 270 kB more per connection]. */
static bool set_buffers(SRTSOCKET socket, int latency) {
  int size = latency * BYTES_PER_MS;
  if (size < DEFAULT_BUFFER) size = DEFAULT_BUFFER;
  if (size > MAX_BUFFER) size = MAX_BUFFER;
  return socket_set_integer(socket, SRTO_FC, size / PACKET + 1) && socket_set_integer(socket, SRTO_SNDBUF, size) &&
         socket_set_integer(socket, SRTO_RCVBUF, size);
}

static bool limit_overhead(SRTSOCKET socket, int percent) {
  /* With a maximum of 0 the limit is relative to the input rate. If it were not set, libsrt would use that of the last
     second: almost nothing after a pause or a still picture, so that the stream would then be late. */
  const int64_t relative = 0;
  return srt_setsockflag(socket, SRTO_MAXBW, &relative, sizeof relative) == 0 &&
         srt_setsockflag(socket, SRTO_INPUTBW, &least_rate, sizeof least_rate) == 0 &&
         socket_set_integer(socket, SRTO_OHEADBW, percent);
}

bool socket_prepare(SRTSOCKET socket, const struct socket_options *options) {
  const int length = (int)strlen(options->passphrase);
  const bool ok = set_flag(socket, SRTO_RCVSYN, false) && set_flag(socket, SRTO_SNDSYN, false) &&
                  socket_set_integer(socket, SRTO_LATENCY, options->latency) && set_buffers(socket, options->latency) &&
                  srt_setsockflag(socket, SRTO_MAXBW, &packet_spacing, sizeof packet_spacing) == 0;
  if (!ok || (options->overhead > 0 && !limit_overhead(socket, options->overhead))) return false;
  if (length == 0) return true;
  return (options->key_length == 0 || socket_set_integer(socket, SRTO_PBKEYLEN, options->key_length)) &&
         srt_setsockflag(socket, SRTO_PASSPHRASE, options->passphrase, length) == 0;
}

bool socket_has_limit(SRTSOCKET socket) {
  int64_t max = -1;
  int length = sizeof max;
  return srt_getsockflag(socket, SRTO_MAXBW, &max, &length) == 0 && max == 0;
}

void socket_set_rate(SRTSOCKET socket, int64_t rate) {
  if (rate < least_rate) rate = least_rate;
  srt_setsockflag(socket, SRTO_INPUTBW, &rate, sizeof rate);
}

bool socket_is_encrypted(SRTSOCKET socket) { return socket_get_integer(socket, SRTO_KMSTATE) == SRT_KM_S_SECURED; }
