#ifndef SIGNALBOX_SENT_H
#define SIGNALBOX_SENT_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How far each connection has sent. libsrt releases everything up to an acknowledged number before it compares the
 * number with what it sent: a forged one makes it walk a ring 2^30 times, locked. Written by the main loop, read by
 * libsrt's receive threads.
 */

struct sent_mark;

/* NULL if there are too many. The connection is open, and has sent nothing. */
struct sent_mark *sent_open(SRTSOCKET socket);
/* The message with this sequence number was sent. */
void sent_message(struct sent_mark *sent, int32_t sequence);
/* `sent` may be NULL. */
void sent_close(struct sent_mark *sent);

/* False for a number that the peer can't have received yet, and for a connection that sends nothing. */
bool sent_covers(int32_t socket, uint32_t sequence);

#endif
