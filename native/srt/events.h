#ifndef SIGNALBOX_EVENTS_H
#define SIGNALBOX_EVENTS_H

#include "endpoint.h"

/* Control frames to the engine; PROTOCOL.md lists them. No key, stream id or passphrase is ever written. */

void event_hello(struct endpoint *endpoint, const char *version);
void event_listening(struct endpoint *endpoint, uint16_t port);
void event_listen_failed(struct endpoint *endpoint, uint16_t port, const char *error, const char *reason);
void event_listener_listening(struct endpoint *endpoint, uint32_t listener);
void event_listener_failed(struct endpoint *endpoint, uint32_t listener, const char *error, const char *reason);
void event_keys(struct endpoint *endpoint, uint32_t number);
void event_connected(struct endpoint *endpoint, const struct connection *connection, int latency, bool is_encrypted);
void event_closed(struct endpoint *endpoint, const struct connection *connection, const char *reason, int code);
void event_refused(struct endpoint *endpoint, const struct refusal *refusal);
void event_call(struct endpoint *endpoint, const struct connection *connection, const char *state);
void event_call_ended(struct endpoint *endpoint, uint32_t id, const char *state, const char *reason, int code);

#endif
