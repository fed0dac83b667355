#ifndef SIGNALBOX_LINK_H
#define SIGNALBOX_LINK_H

#include "json.h"
#include "wire.h"

/* The protocol with the engine: events out, operations in, and errors for invalid frames. */

struct link {
  struct wire wire;
  struct json_writer json;
  uint32_t errors_in_second; /* set to 0 once a second by the owner */
};

/* Returns the socket named by the command line `--socket NAME`. Otherwise prints `version` or the usage, and exits. */
const char *link_name(int count, char **arguments, const char *version);
/* Connects to the engine; the process ends with its parent. Blocks SIGTERM, SIGINT and SIGPIPE in this and all later
   threads. Returns a descriptor for the first two; on failure logs the reason and returns -1. */
int link_open(struct link *link, const char *name);
void link_close(struct link *link);

/* Sends an event. `members` names them, each with the conversion of its value: `port:%u reason:%s`. Conversions are %s,
   %d and %u. */
void link_report(struct link *link, const char *event, const char *members, ...) __attribute__((format(printf, 3, 4)));
void link_failed(struct link *link, const char *event, uint32_t id, const char *reason, const char *text);
/* Opens an event; add its members, then send it. */
struct json_writer *link_event(struct link *link, const char *name);
void link_send(struct link *link);
/* `operation` and `field` may be NULL. At most 100 per second are sent. */
void link_error(struct link *link, const char *operation, const char *text, const char *field);

struct link_operation {
  const char *name;
  void (*run)(struct endpoint *endpoint, struct json_fields *fields);
};

/* Runs the operation that a control frame names, or answers `ping`; sends an error event if there is none. */
void link_dispatch(struct link *link, const struct wire_frame *frame, const struct link_operation *operations,
                   size_t count, struct endpoint *endpoint);
/* Returns false, after sending an error event, if a member was missing or out of range. */
bool link_is_complete(struct link *link, const struct json_fields *fields, const char *operation);

/* Writes pending data and reads what is available. Returns KEEP_RUNNING or the exit code. */
int link_talk(struct link *link, wire_handler *handler, struct endpoint *endpoint, int64_t now);

#endif
