/* libsrt sockets with the common settings of the tools: live mode, message API, one latency in both directions. */
#ifndef BENCH_SRT_SOCKET_H
#define BENCH_SRT_SOCKET_H

#include "options.h"

#include <netinet/in.h>
#include <srt.h>

enum { srt_connect_timeout_ms = 10000 };

/* `number` replaces `{}` in the stream id. */
SRTSOCKET srt_make_socket(const struct options *options, int is_blocking, long number);
struct sockaddr_in srt_address(const struct address *address, int port);

#endif
