#ifndef SIGNALBOX_JSON_READ_H
#define SIGNALBOX_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A strict JSON reader for the control frames: RFC 8259, no extensions, bounded depth and node count. */

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
  enum json_type type;
  const char *key;  /* member name inside an object, else NULL */
  const char *text; /* decoded string, NUL-terminated */
  size_t length;
  double number;
  uint32_t next;  /* index of the next sibling, 0 = none */
  uint32_t child; /* index of the first child, 0 = none */
};

struct json_document {
  struct json_node *nodes; /* nodes[0] is the root */
  uint32_t count;
  uint32_t capacity;
};

/* Parses in place: `text` is overwritten with the decoded strings and must outlive the document.
   On failure returns false with a short reason; the document can be reused or freed either way. */
bool json_parse(struct json_document *document, char *text, size_t length, const char **reason);
void json_free(struct json_document *document);

/* Typed access to the members of one object. The first member that is missing or out of range is kept in `bad`,
   so that a caller reads everything and checks once. */
struct json_fields {
  const struct json_document *document;
  const struct json_node *object;
  const char *bad;
};

struct json_fields json_fields_of(const struct json_document *document, const struct json_node *object);
const struct json_node *json_child(const struct json_document *document, const struct json_node *node);
const struct json_node *json_next(const struct json_document *document, const struct json_node *node);

/* Required text of min..max bytes. Returns "" when bad. */
const char *json_text(struct json_fields *fields, const char *key, size_t min, size_t max);
/* Required integer in min..max. */
int64_t json_integer(struct json_fields *fields, const char *key, int64_t min, int64_t max);
/* Optional integer. */
int64_t json_integer_or(struct json_fields *fields, const char *key, int64_t min, int64_t max, int64_t fallback);
/* Optional text. */
const char *json_text_or(struct json_fields *fields, const char *key, size_t max, const char *fallback);
/* Optional boolean. */
bool json_flag_or(struct json_fields *fields, const char *key, bool fallback);
/* Required array; NULL when bad. */
const struct json_node *json_array(struct json_fields *fields, const char *key);

#endif
