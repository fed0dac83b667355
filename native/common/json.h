#ifndef SIGNALBOX_JSON_H
#define SIGNALBOX_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the control frames of the engine and writes events for it. */

/* Returns NULL if the text is not JSON, is nested deeper than 1000 levels or needs more than 8 MiB. What it returns is
   valid until `json_wipe`, which must follow every call. */
const cJSON *json_parse(const char *text, size_t length);
/* Overwrites everything that was read: keys and passphrases must not linger in memory. */
void json_wipe(void);

/* Typed access to the members of one object. The first member that is missing or out of range is kept in `bad`,
   so that a caller reads everything and checks once. */
struct json_fields {
  const cJSON *object;
  const char *bad;
};

void json_mark_bad(struct json_fields *fields, const char *key);
/* Required text of min..max bytes. Returns "" when bad. */
const char *json_text(struct json_fields *fields, const char *key, size_t min, size_t max);
/* Required integer in min..max. */
int64_t json_integer(struct json_fields *fields, const char *key, int64_t min, int64_t max);
/* Required number of something: 0..2^32-1. */
uint32_t json_id(struct json_fields *fields, const char *key);
/* Optional integer. */
int64_t json_integer_or(struct json_fields *fields, const char *key, int64_t min, int64_t max, int64_t fallback);
/* Optional text. */
const char *json_text_or(struct json_fields *fields, const char *key, size_t max, const char *fallback);
/* Optional boolean. */
bool json_flag_or(struct json_fields *fields, const char *key, bool fallback);
/* Required array; NULL when bad. */
const cJSON *json_array(struct json_fields *fields, const char *key);

/* Builds one JSON object in a growing buffer. The caller is responsible for the call order; text is escaped here. Keys
   are literals of this program and need no escaping. */
struct json_writer {
  char *data;
  size_t length;
  size_t capacity;
  bool comma;
};

void json_begin(struct json_writer *writer);
void json_open_object(struct json_writer *writer);
void json_close_object(struct json_writer *writer);
void json_open_list(struct json_writer *writer, const char *key);
void json_close_list(struct json_writer *writer);
/* Nothing if the text is NULL. */
void json_put_text(struct json_writer *writer, const char *key, const char *text);
void json_put_integer(struct json_writer *writer, const char *key, int64_t value);
/* With `decimals` digits after the decimal point. */
void json_put_number(struct json_writer *writer, const char *key, double value, int decimals);
void json_put_flag(struct json_writer *writer, const char *key, bool value);

#endif
