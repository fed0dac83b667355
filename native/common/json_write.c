#include "json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

static char *make_room(struct json_writer *writer, size_t more) {
  if (writer->length + more > writer->capacity) {
    size_t capacity = writer->capacity == 0 ? 1024 : writer->capacity;
    while (capacity < writer->length + more) capacity *= 2;
    char *data = realloc(writer->data, capacity);
    if (data == NULL) {
      log_error("out of memory");
      abort();
    }
    writer->data = data;
    writer->capacity = capacity;
  }
  return writer->data + writer->length;
}

static void put_raw(struct json_writer *writer, const char *text, size_t length) {
  memcpy(make_room(writer, length), text, length);
  writer->length += length;
}

static void put_separator(struct json_writer *writer) {
  if (writer->comma) put_raw(writer, ",", 1);
  writer->comma = true;
}

static void put_key(struct json_writer *writer, const char *key) {
  put_separator(writer);
  put_raw(writer, "\"", 1);
  put_raw(writer, key, strlen(key));
  put_raw(writer, "\":", 2);
}

void json_begin(struct json_writer *writer) {
  writer->length = 0;
  writer->comma = false;
  put_raw(writer, "{", 1);
}

void json_end(struct json_writer *writer) { put_raw(writer, "}", 1); }

void json_open_object(struct json_writer *writer) {
  put_separator(writer);
  put_raw(writer, "{", 1);
  writer->comma = false;
}

void json_close_object(struct json_writer *writer) {
  put_raw(writer, "}", 1);
  writer->comma = true;
}

void json_open_list(struct json_writer *writer, const char *key) {
  put_key(writer, key);
  put_raw(writer, "[", 1);
  writer->comma = false;
}

void json_close_list(struct json_writer *writer) {
  put_raw(writer, "]", 1);
  writer->comma = true;
}

void json_put_text(struct json_writer *writer, const char *key, const char *text) {
  put_key(writer, key);
  put_raw(writer, "\"", 1);
  for (const char *at = text; *at != '\0'; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '"' || c == '\\') {
      char pair[2] = {'\\', *at};
      put_raw(writer, pair, 2);
    } else if (c < 0x20 || c >= 0x7F) {
      /* All text here is ASCII, ours or libsrt's; a stray byte must not break the line. */
      put_raw(writer, "?", 1);
    } else {
      put_raw(writer, at, 1);
    }
  }
  put_raw(writer, "\"", 1);
}

void json_put_integer(struct json_writer *writer, const char *key, int64_t value) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%" PRId64, value);
  put_key(writer, key);
  put_raw(writer, digits, (size_t)length);
}

void json_put_number(struct json_writer *writer, const char *key, double value, int decimals) {
  char digits[48];
  if (!isfinite(value) || fabs(value) > 1e15) value = 0;
  int length = snprintf(digits, sizeof digits, "%.*f", decimals, value);
  put_key(writer, key);
  put_raw(writer, digits, (size_t)length);
}

void json_put_flag(struct json_writer *writer, const char *key, bool value) {
  put_key(writer, key);
  if (value) put_raw(writer, "true", 4);
  else put_raw(writer, "false", 5);
}
