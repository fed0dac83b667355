#ifndef SIGNALBOX_SOCKETS_H
#define SIGNALBOX_SOCKETS_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

/* Options common to callers and listeners. */
struct socket_options {
  int latency; /* milliseconds */
  int key_length;
  int overhead; /* percent of the measured rate for retransmissions, when sending; 0: no limit */
  char passphrase[80]; /* empty: no encryption */
};

bool socket_prepare(SRTSOCKET socket, const struct socket_options *options);
bool socket_has_limit(SRTSOCKET socket);
/* The stream rate that the limit is relative to, in bytes per second. */
void socket_set_rate(SRTSOCKET socket, int64_t rate);
bool socket_set_integer(SRTSOCKET socket, SRT_SOCKOPT option, int value);
int socket_get_integer(SRTSOCKET socket, SRT_SOCKOPT option);
bool socket_is_encrypted(SRTSOCKET socket);

#endif
