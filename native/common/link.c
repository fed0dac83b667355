#include "link.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include "log.h"

enum { ERRORS_PER_SECOND = 100 };

struct json_writer *link_event(struct link *link, const char *name) {
  json_begin(&link->json);
  json_put_text(&link->json, "ev", name);
  return &link->json;
}

void link_send(struct link *link) {
  json_end(&link->json);
  wire_send_control(&link->wire, link->json.data, link->json.length);
}

void link_error(struct link *link, const char *operation, const char *text, const char *field) {
  if (link->errors_in_second >= ERRORS_PER_SECOND) return;
  link->errors_in_second++;
  struct json_writer *json = link_event(link, "error");
  if (operation[0] != '\0') json_put_text(json, "op", operation);
  json_put_text(json, "text", text);
  if (field != NULL) json_put_text(json, "field", field);
  link_send(link);
}

bool link_is_complete(struct link *link, const struct json_fields *fields, const char *operation) {
  if (fields->bad == NULL) return true;
  link_error(link, operation, "bad field", fields->bad);
  return false;
}

static void run_operation(struct link *link, const struct json_document *document,
                          const struct link_operation *operations, size_t count, void *endpoint) {
  struct json_fields fields = json_fields_of(document, &document->nodes[0]);
  const char *name = json_text(&fields, "op", 1, 32);
  if (fields.bad != NULL) {
    link_error(link, "", "no operation", "op");
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (strcmp(operations[i].name, name) != 0) continue;
    operations[i].run(endpoint, &fields);
    return;
  }
  link_error(link, name, "unknown operation", "op");
}

void link_dispatch(struct link *link, const struct wire_frame *frame, const struct link_operation *operations,
                   size_t count, void *endpoint) {
  struct json_document document = {0};
  const char *reason = NULL;
  if (json_parse(&document, (char *)frame->payload, frame->length, &reason))
    run_operation(link, &document, operations, count, endpoint);
  else link_error(link, "", reason, NULL);
  json_free(&document);
  /* Keys and passphrases pass through here and must not linger in a read buffer. */
  explicit_bzero(frame->payload, frame->length);
}

int link_talk(struct link *link, wire_handler *handler, void *endpoint, int64_t now) {
  if (wire_flush(&link->wire, now) == WIRE_CLOSED) return EXIT_SUCCESS;
  switch (wire_read(&link->wire, handler, endpoint)) {
    case WIRE_CLOSED:
      return EXIT_SUCCESS;
    case WIRE_PROTOCOL_ERROR:
      log_error("the engine sent something that is no frame: %s", link->wire.fault);
      return EXIT_PROTOCOL;
    case WIRE_OK:
      break;
  }
  return -1;
}

int link_flush(struct link *link, int64_t now) {
  if (wire_flush(&link->wire, now) == WIRE_CLOSED) return EXIT_SUCCESS;
  if (wire_is_stuck(&link->wire, now)) {
    log_error("the engine has stopped reading");
    return EXIT_STUCK;
  }
  return -1;
}

void link_close(struct link *link) {
  free(link->json.data);
  link->json = (struct json_writer){0};
  wire_close(&link->wire);
}

int signals_open(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGPIPE);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  sigdelset(&set, SIGPIPE);
  return signalfd(-1, &set, SFD_CLOEXEC);
}
