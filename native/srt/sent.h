#ifndef SIGNALBOX_SENT_H
#define SIGNALBOX_SENT_H

#include <srt/srt.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Tracks the highest sequence number that each connection has sent. libsrt releases its send buffer up to an
 * acknowledged number before it checks whether that number was sent: a forged acknowledgment makes it walk a ring up to
 * 2^30 times under a lock. Written by the main loop, read by the receive threads of libsrt.
 */

struct sent_mark;

/* For a connection that has sent nothing yet. There is a slot for each connection, so this does not return NULL. */
struct sent_mark *sent_open(SRTSOCKET socket);
/* The message with this sequence number was sent. */
void sent_message(struct sent_mark *sent, int32_t sequence);
/* `sent` may be NULL. */
void sent_close(struct sent_mark *sent);

/* Returns false for a sequence number that was not sent yet, and for a connection that only receives. */
bool sent_covers(int32_t socket, uint32_t sequence);

#endif
