#include "json_read.h"

#include <math.h>
#include <string.h>

struct json_fields json_fields_of(const struct json_document *document, const struct json_node *object) {
  struct json_fields fields = {.document = document, .object = object, .bad = NULL};
  return fields;
}

const struct json_node *json_child(const struct json_document *document, const struct json_node *node) {
  return node->child == 0 ? NULL : &document->nodes[node->child];
}

const struct json_node *json_next(const struct json_document *document, const struct json_node *node) {
  return node->next == 0 ? NULL : &document->nodes[node->next];
}

static const struct json_node *member(const struct json_fields *fields, const char *key) {
  if (fields->object->type != JSON_OBJECT) return NULL;
  const struct json_node *node = json_child(fields->document, fields->object);
  while (node != NULL && strcmp(node->key, key) != 0) node = json_next(fields->document, node);
  return node;
}

static void mark_bad(struct json_fields *fields, const char *key) {
  if (fields->bad == NULL) fields->bad = key;
}

static const char *checked_text(struct json_fields *fields, const char *key, const struct json_node *node, size_t min,
                                size_t max) {
  if (node != NULL && node->type == JSON_STRING && node->length >= min && node->length <= max) return node->text;
  mark_bad(fields, key);
  return "";
}

static int64_t checked_integer(struct json_fields *fields, const char *key, const struct json_node *node, int64_t min,
                               int64_t max) {
  /* All limits used here are far below 2^53, so the double is exact. */
  if (node != NULL && node->type == JSON_NUMBER && node->number >= (double)min && node->number <= (double)max &&
      floor(node->number) == node->number) {
    return (int64_t)node->number;
  }
  mark_bad(fields, key);
  return min;
}

const char *json_text(struct json_fields *fields, const char *key, size_t min, size_t max) {
  return checked_text(fields, key, member(fields, key), min, max);
}

const char *json_text_or(struct json_fields *fields, const char *key, size_t max, const char *fallback) {
  const struct json_node *node = member(fields, key);
  return node == NULL ? fallback : checked_text(fields, key, node, 0, max);
}

int64_t json_integer(struct json_fields *fields, const char *key, int64_t min, int64_t max) {
  return checked_integer(fields, key, member(fields, key), min, max);
}

int64_t json_integer_or(struct json_fields *fields, const char *key, int64_t min, int64_t max, int64_t fallback) {
  const struct json_node *node = member(fields, key);
  return node == NULL ? fallback : checked_integer(fields, key, node, min, max);
}

bool json_flag_or(struct json_fields *fields, const char *key, bool fallback) {
  const struct json_node *node = member(fields, key);
  if (node == NULL) return fallback;
  if (node->type == JSON_TRUE) return true;
  if (node->type != JSON_FALSE) mark_bad(fields, key);
  return false;
}

const struct json_node *json_array(struct json_fields *fields, const char *key) {
  const struct json_node *node = member(fields, key);
  if (node != NULL && node->type == JSON_ARRAY) return node;
  mark_bad(fields, key);
  return NULL;
}
