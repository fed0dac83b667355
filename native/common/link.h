#ifndef SIGNALBOX_LINK_H
#define SIGNALBOX_LINK_H

#include "json_read.h"
#include "json_write.h"
#include "wire.h"

/* The conversation with the engine: events out, operations in, errors for what was not understood. */

/* The engine gives the last two as a reason: daemon/media/endpoint/process.ts. */
enum exit_code { EXIT_START = 1, EXIT_PROTOCOL = 2, EXIT_STUCK = 3, EXIT_HUNG = 4 };

struct link {
  struct wire wire;
  struct json_writer json;
  uint32_t errors_in_second; /* set to 0 once a second by the owner */
};

/* Opens an event; put its members, then send it. */
struct json_writer *link_event(struct link *link, const char *name);
void link_send(struct link *link);
/* `field` may be NULL. At most 100 per second go out. */
void link_error(struct link *link, const char *operation, const char *text, const char *field);

typedef void link_run(void *endpoint, struct json_fields *fields);
struct link_operation {
  const char *name;
  link_run *run;
};

/* Runs the operation that a control frame names; answers with an error event where there is none. */
void link_dispatch(struct link *link, const struct wire_frame *frame, const struct link_operation *operations,
                   size_t count, void *endpoint);
/* False, after an error event, when a member was missing or out of range. */
bool link_is_complete(struct link *link, const struct json_fields *fields, const char *operation);

/* Writes what waits and reads what is there. -1 to go on, else the exit code. */
int link_talk(struct link *link, wire_handler *handler, void *endpoint, int64_t now);
/* Writes what waits; -1 to go on, else the exit code. */
int link_flush(struct link *link, int64_t now);
void link_close(struct link *link);

/* Blocks SIGTERM, SIGINT and SIGPIPE in this and every later thread; answers a descriptor for the first two, or -1. */
int signals_open(void);

#endif
