#ifndef SIGNALBOX_LINK_H
#define SIGNALBOX_LINK_H

#include "json_read.h"
#include "json_write.h"
#include "wire.h"

/* The protocol with the engine: events out, operations in, and errors for invalid frames. */

/* The engine maps the last two to a reason in daemon/engine/endpoint/process.ts. */
enum exit_code { EXIT_START = 1, EXIT_PROTOCOL = 2, EXIT_STUCK = 3, EXIT_HUNG = 4 };

struct link {
  struct wire wire;
  struct json_writer json;
  uint32_t errors_in_second; /* set to 0 once a second by the owner */
};

/* Opens an event; add its members, then send it. */
struct json_writer *link_event(struct link *link, const char *name);
void link_send(struct link *link);
/* `field` may be NULL. At most 100 per second are sent. */
void link_error(struct link *link, const char *operation, const char *text, const char *field);

typedef void link_run(void *endpoint, struct json_fields *fields);
struct link_operation {
  const char *name;
  link_run *run;
};

/* Runs the operation that a control frame names; sends an error event if there is none. */
void link_dispatch(struct link *link, const struct wire_frame *frame, const struct link_operation *operations,
                   size_t count, void *endpoint);
/* Returns false, after sending an error event, if a member was missing or out of range. */
bool link_is_complete(struct link *link, const struct json_fields *fields, const char *operation);

/* Writes pending data and reads what is available. Returns -1 to continue, else the exit code. */
int link_talk(struct link *link, wire_handler *handler, void *endpoint, int64_t now);
/* Writes pending data; returns -1 to continue, else the exit code. */
int link_flush(struct link *link, int64_t now);
void link_close(struct link *link);

/* Blocks SIGTERM, SIGINT and SIGPIPE in this and all later threads; returns a descriptor for the first two, or -1. */
int signals_open(void);

#endif
