import type { Migration } from '../migrate.ts';

/**
 * Two narrow copies of the filter columns, in reading order: the whole log is scanned in one of them in a few
 * milliseconds. A trigram index finds any part of an entry's text without storing a copy of the text; triggers maintain
 * it. Two newlines are appended to each text so that every letter starts a trigram: one or two letters are then found
 * by the trigrams that begin with them.
 */
export const operationSearch: Migration = {
  version: 12,
  name: 'operation-search',
  sql: `
CREATE INDEX operation_log_in_order ON operation_log (id, time, result);
CREATE INDEX operation_log_by_user ON operation_log (user, id, time, result);

CREATE VIRTUAL TABLE operation_text USING fts5 (
  line, content = '', contentless_delete = 1, detail = 'full', tokenize = 'trigram'
);
CREATE VIRTUAL TABLE operation_text_groups USING fts5vocab (operation_text, instance);
INSERT INTO operation_text (rowid, line)
  SELECT id, user || char(10) || ip || char(10) || action || char(10) || detail || char(10, 10) FROM operation_log;
CREATE TRIGGER operation_log_insert_text AFTER INSERT ON operation_log BEGIN
  INSERT INTO operation_text (rowid, line)
    VALUES (NEW.id, NEW.user || char(10) || NEW.ip || char(10) || NEW.action || char(10) || NEW.detail || char(10, 10));
END;
CREATE TRIGGER operation_log_delete_text AFTER DELETE ON operation_log BEGIN
  DELETE FROM operation_text WHERE rowid = OLD.id;
END;
`,
};
