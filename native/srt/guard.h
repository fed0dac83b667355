#ifndef SIGNALBOX_GUARD_H
#define SIGNALBOX_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Checks each datagram before libsrt 1.5 parses it. libsrt trusts lengths and ranges that the peer chose: some make it
 * write beyond a buffer, others make it loop for seconds or for ever while it holds the locks of the connection.
 */

enum { SRT_HEADER = 16 };

/* False for a packet that libsrt must not see. `header` has 16 bytes, `body` has `length`, both as they came. */
bool guard_passes(const uint8_t *header, const uint8_t *body, size_t length);

#endif
