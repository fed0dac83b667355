#ifndef SIGNALBOX_JSON_WRITE_H
#define SIGNALBOX_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Builds one JSON object in a growing buffer. The caller is responsible for the call order; text is escaped here. Keys
   are literals of this program and need no escaping. */
struct json_writer {
  char *data;
  size_t length;
  size_t capacity;
  bool comma;
};

void json_begin(struct json_writer *writer);
void json_end(struct json_writer *writer);
void json_open_object(struct json_writer *writer);
void json_close_object(struct json_writer *writer);
void json_open_list(struct json_writer *writer, const char *key);
void json_close_list(struct json_writer *writer);
void json_put_text(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
/* With `decimals` digits after the decimal point. */
void json_put_number(struct json_writer *writer, const char *key, double value, int decimals);
void json_put_flag(struct json_writer *writer, const char *key, bool value);

#endif
