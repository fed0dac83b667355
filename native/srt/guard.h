#ifndef SIGNALBOX_GUARD_H
#define SIGNALBOX_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Validates each datagram before libsrt 1.5 parses it. libsrt trusts lengths and ranges from the peer: some cause
 * writes beyond a buffer, others endless loops while libsrt holds the locks of the connection.
 */

enum { SRT_HEADER = 16 };

/*
 * Returns false if the packet must be dropped. `header` is 16 bytes, `body` is `length` bytes, in network byte order.
 * For a handshake to a listener, `refused` is then set to the reason, a literal; otherwise to NULL.
 */
bool guard_passes(const uint8_t *header, const uint8_t *body, size_t length, const char **refused);

#endif
