#include "link.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include "log.h"

enum { ERRORS_PER_SECOND = 100 };

const char *link_name(int count, char **arguments, const char *version) {
  if (count == 3 && strcmp(arguments[1], "--socket") == 0) return arguments[2];
  if (count == 2 && strcmp(arguments[1], "--version") == 0) {
    puts(version);
    exit(EXIT_SUCCESS);
  }
  fprintf(stderr, "usage: %s --socket <path>|fd:<number> | --version\n", program_invocation_short_name);
  exit(EXIT_START);
}

static int open_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGPIPE);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -1;
  sigdelset(&set, SIGPIPE);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

int link_open(struct link *link, const char *name) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int signal_fd = open_signals();
  if (signal_fd < 0) log_error("cannot start: %s", strerror(errno));
  return signal_fd >= 0 && wire_connect(&link->wire, name) ? signal_fd : -1;
}

void link_close(struct link *link) {
  free(link->json.data);
  link->json = (struct json_writer){0};
  wire_close(&link->wire);
}

struct json_writer *link_event(struct link *link, const char *name) {
  json_begin(&link->json);
  json_put_text(&link->json, "ev", name);
  return &link->json;
}

void link_send(struct link *link) {
  json_close_object(&link->json);
  wire_send_control(&link->wire, link->json.data, link->json.length);
}

void link_report(struct link *link, const char *event, const char *members, ...) {
  struct json_writer *json = link_event(link, event);
  va_list values;
  va_start(values, members);
  for (const char *at = members; *at != '\0'; at += strspn(at, " ")) {
    char key[32];
    const char *conversion = strchr(at, '%') + 1;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(at, ":"), at);
    if (*conversion == 's') json_put_text(json, key, va_arg(values, const char *));
    else if (*conversion == 'u') json_put_integer(json, key, va_arg(values, unsigned));
    else json_put_integer(json, key, va_arg(values, int));
    at = conversion + 1;
  }
  va_end(values);
  link_send(link);
}

void link_failed(struct link *link, const char *event, uint32_t id, const char *reason, const char *text) {
  link_report(link, event, "id:%u reason:%s error:%s", id, reason, text);
}

void link_error(struct link *link, const char *operation, const char *text, const char *field) {
  if (link->errors_in_second++ >= ERRORS_PER_SECOND) return;
  struct json_writer *json = link_event(link, "error");
  json_put_text(json, "op", operation);
  json_put_text(json, "text", text);
  json_put_text(json, "field", field);
  link_send(link);
}

bool link_is_complete(struct link *link, const struct json_fields *fields, const char *operation) {
  if (fields->bad == NULL) return true;
  link_error(link, operation, "bad field", fields->bad);
  return false;
}

static void run_operation(struct link *link, const cJSON *object, const struct link_operation *operations, size_t count,
                          struct endpoint *endpoint) {
  struct json_fields fields = {.object = object};
  const char *name = json_text(&fields, "op", 1, 32);
  if (fields.bad != NULL) {
    link_error(link, NULL, "no operation", "op");
    return;
  }
  if (strcmp(name, "ping") == 0) {
    link_event(link, "pong");
    link_send(link);
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
                   size_t count, struct endpoint *endpoint) {
  const cJSON *object = json_parse((const char *)frame->payload, frame->length);
  if (object != NULL) run_operation(link, object, operations, count, endpoint);
  else link_error(link, NULL, "not JSON, or too large", NULL);
  /* Keys and passphrases pass through here and must not linger in a read buffer. */
  explicit_bzero(frame->payload, frame->length);
  json_wipe();
}

int link_talk(struct link *link, wire_handler *handler, struct endpoint *endpoint, int64_t now) {
  const int code = wire_flush(&link->wire, now);
  return code == KEEP_RUNNING ? wire_read(&link->wire, handler, endpoint) : code;
}
