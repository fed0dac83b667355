#include "json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_NODES = 131072, NO_NODE = 0 };

struct reader {
  struct json_document *document;
  char *at;
  char *end;
  const char *reason;
};

static bool fail(struct reader *reader, const char *reason) {
  if (reader->reason == NULL) reader->reason = reason;
  return false;
}

static void skip_space(struct reader *reader) {
  while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL && *reader->at != '\0') reader->at++;
}

static bool add_node(struct reader *reader, uint32_t *index) {
  struct json_document *document = reader->document;
  if (document->count == MAX_NODES) return fail(reader, "too many values");
  if (document->count == document->capacity) {
    uint32_t capacity = document->capacity == 0 ? 64 : document->capacity * 2;
    struct json_node *nodes = realloc(document->nodes, capacity * sizeof *nodes);
    if (nodes == NULL) return fail(reader, "out of memory");
    document->nodes = nodes;
    document->capacity = capacity;
  }
  memset(&document->nodes[document->count], 0, sizeof document->nodes[0]);
  *index = document->count++;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static bool read_hex4(struct reader *reader, uint32_t *code) {
  if (reader->end - reader->at < 4) return fail(reader, "cut escape");
  *code = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(*reader->at++);
    if (digit < 0) return fail(reader, "bad escape");
    *code = *code * 16 + (uint32_t)digit;
  }
  return true;
}

static char *put_utf8(char *out, uint32_t code) {
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xC0 | (code >> 6));
    *out++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out++ = (char)(0xE0 | (code >> 12));
    *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
    *out++ = (char)(0x80 | (code & 0x3F));
  } else {
    *out++ = (char)(0xF0 | (code >> 18));
    *out++ = (char)(0x80 | ((code >> 12) & 0x3F));
    *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
    *out++ = (char)(0x80 | (code & 0x3F));
  }
  return out;
}

/* The decoded form is never longer than the escape it replaces, so decoding in place is safe. */
static bool read_unicode(struct reader *reader, char **out) {
  uint32_t code;
  if (!read_hex4(reader, &code)) return false;
  if (code >= 0xD800 && code < 0xDC00) {
    uint32_t low;
    if (reader->end - reader->at < 6 || reader->at[0] != '\\' || reader->at[1] != 'u')
      return fail(reader, "bad escape");
    reader->at += 2;
    if (!read_hex4(reader, &low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return fail(reader, "bad escape");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    return fail(reader, "bad escape");
  }
  if (code == 0) return fail(reader, "NUL in text");
  *out = put_utf8(*out, code);
  return true;
}

static bool read_escape(struct reader *reader, char **out) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  if (reader->at == reader->end) return fail(reader, "cut text");
  char name = *reader->at++;
  if (name == 'u') return read_unicode(reader, out);
  const char *found = name == '\0' ? NULL : strchr(names, name);
  if (found == NULL) return fail(reader, "bad escape");
  *(*out)++ = values[found - names];
  return true;
}

/* `at` is just after the opening quote. */
static bool read_text(struct reader *reader, const char **text, size_t *length) {
  char *out = reader->at;
  *text = out;
  while (reader->at < reader->end) {
    char c = *reader->at++;
    if (c == '"') {
      *length = (size_t)(out - *text);
      *out = '\0';
      return true;
    }
    if ((unsigned char)c < 0x20) return fail(reader, "control character in text");
    if (c != '\\') {
      *out++ = c;
    } else if (!read_escape(reader, &out)) {
      return false;
    }
  }
  return fail(reader, "cut text");
}

static bool read_digits(struct reader *reader) {
  char *start = reader->at;
  while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9') reader->at++;
  return reader->at > start ? true : fail(reader, "bad number");
}

static bool read_number(struct reader *reader, double *number) {
  char copy[32];
  char *start = reader->at;
  if (*reader->at == '-') reader->at++;
  bool leading_zero = reader->at < reader->end && *reader->at == '0';
  char *digits = reader->at;
  if (!read_digits(reader)) return false;
  if (leading_zero && reader->at - digits > 1) return fail(reader, "bad number");
  if (reader->at < reader->end && *reader->at == '.') {
    reader->at++;
    if (!read_digits(reader)) return false;
  }
  if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
    reader->at++;
    if (reader->at < reader->end && (*reader->at == '+' || *reader->at == '-')) reader->at++;
    if (!read_digits(reader)) return false;
  }
  size_t length = (size_t)(reader->at - start);
  if (length >= sizeof copy) return fail(reader, "number too long");
  memcpy(copy, start, length);
  copy[length] = '\0';
  *number = strtod(copy, NULL);
  return isfinite(*number) ? true : fail(reader, "number too large");
}

static bool read_word(struct reader *reader, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) {
    return fail(reader, "unknown word");
  }
  reader->at += length;
  return true;
}

static bool read_value(struct reader *reader, int depth, uint32_t *index);

static bool read_key(struct reader *reader, const char **key) {
  size_t length;
  skip_space(reader);
  if (reader->at == reader->end || *reader->at != '"') return fail(reader, "member name expected");
  reader->at++;
  if (!read_text(reader, key, &length)) return false;
  skip_space(reader);
  if (reader->at == reader->end || *reader->at != ':') return fail(reader, "colon expected");
  reader->at++;
  return true;
}

static bool read_members(struct reader *reader, int depth, uint32_t parent, bool is_object) {
  const char close = is_object ? '}' : ']';
  uint32_t last = NO_NODE;
  reader->at++;
  skip_space(reader);
  if (reader->at < reader->end && *reader->at == close) {
    reader->at++;
    return true;
  }
  for (;;) {
    const char *key = NULL;
    uint32_t index;
    if (is_object && !read_key(reader, &key)) return false;
    if (!read_value(reader, depth + 1, &index)) return false;
    struct json_node *nodes = reader->document->nodes;
    nodes[index].key = key;
    if (last == NO_NODE) nodes[parent].child = index;
    else nodes[last].next = index;
    last = index;
    skip_space(reader);
    if (reader->at == reader->end) return fail(reader, "cut list");
    char c = *reader->at++;
    if (c == close) return true;
    if (c != ',') return fail(reader, "comma expected");
  }
}

static bool read_value(struct reader *reader, int depth, uint32_t *index) {
  if (depth > MAX_DEPTH) return fail(reader, "nested too deep");
  skip_space(reader);
  if (reader->at == reader->end) return fail(reader, "value expected");
  if (!add_node(reader, index)) return false;
  struct json_node *node = &reader->document->nodes[*index];
  switch (*reader->at) {
    case '{':
      node->type = JSON_OBJECT;
      return read_members(reader, depth, *index, true);
    case '[':
      node->type = JSON_ARRAY;
      return read_members(reader, depth, *index, false);
    case '"':
      node->type = JSON_STRING;
      reader->at++;
      return read_text(reader, &node->text, &node->length);
    case 't':
      node->type = JSON_TRUE;
      return read_word(reader, "true");
    case 'f':
      node->type = JSON_FALSE;
      return read_word(reader, "false");
    case 'n':
      node->type = JSON_NULL;
      return read_word(reader, "null");
    default:
      node->type = JSON_NUMBER;
      return read_number(reader, &node->number);
  }
}

bool json_parse(struct json_document *document, char *text, size_t length, const char **reason) {
  struct reader reader = {.document = document, .at = text, .end = text + length, .reason = NULL};
  uint32_t root;
  document->count = 0;
  bool ok = read_value(&reader, 0, &root);
  skip_space(&reader);
  if (ok && reader.at != reader.end) ok = fail(&reader, "text after the value");
  *reason = reader.reason;
  return ok;
}

void json_free(struct json_document *document) {
  free(document->nodes);
  memset(document, 0, sizeof *document);
}
