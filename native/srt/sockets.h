#ifndef SIGNALBOX_SOCKETS_H
#define SIGNALBOX_SOCKETS_H

#include <srt/srt.h>
#include <stdbool.h>

/* Options common to callers and listeners. An empty passphrase means no encryption. */
bool socket_prepare(SRTSOCKET socket, int latency, const char *passphrase, int key_length);
/* `percent` of the measured rate for retransmissions; 0 for no limit. */
bool socket_limit_overhead(SRTSOCKET socket, int percent);
bool socket_has_limit(SRTSOCKET socket);
/* The stream rate that the limit is relative to, in bytes per second. */
void socket_set_rate(SRTSOCKET socket, int64_t rate);
bool socket_set_integer(SRTSOCKET socket, SRT_SOCKOPT option, int value);
int socket_get_integer(SRTSOCKET socket, SRT_SOCKOPT option);
bool socket_is_encrypted(SRTSOCKET socket);

#endif
