#include "srt-socket.h"

#include "fail.h"

#include <arpa/inet.h>
#include <string.h>

static void set(SRTSOCKET socket, SRT_SOCKOPT option, const void *value, int size) {
  if (srt_setsockflag(socket, option, value, size) != 0) fail("srt option %d: %s", option, srt_getlasterror_str());
}

SRTSOCKET srt_make_socket(const struct options *options, int is_blocking, long number) {
  const SRTSOCKET socket = srt_create_socket();
  const int latency = (int)option_number(options, "latency", 120);
  const int timeout = srt_connect_timeout_ms;
  /* Both ends use the clock of this machine, so apparent drift would be the grid's delay. */
  const int traces_drift = 0;
  char stream_id[513];
  put_number(stream_id, sizeof stream_id, option_text(options, "streamid", ""), number);
  set(socket, SRTO_RCVSYN, &is_blocking, sizeof is_blocking);
  set(socket, SRTO_LATENCY, &latency, sizeof latency);
  set(socket, SRTO_DRIFTTRACER, &traces_drift, sizeof traces_drift);
  set(socket, SRTO_CONNTIMEO, &timeout, sizeof timeout);
  if (stream_id[0] != '\0') set(socket, SRTO_STREAMID, stream_id, (int)strlen(stream_id));
  return socket;
}

struct sockaddr_in srt_address(const struct address *address, int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  inet_pton(AF_INET, address->host, &at.sin_addr);
  return at;
}
