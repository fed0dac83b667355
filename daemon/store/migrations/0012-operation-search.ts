import type { Migration } from '../migrate.ts';

/**
 * Any part of an entry's text is found without reading the whole log: an index of its groups of three letters, which
 * keeps no copy of the text. Triggers keep it.
 */
export const operationSearch: Migration = {
  version: 12,
  name: 'operation-search',
  sql: `
CREATE INDEX operation_log_by_user ON operation_log (user);
CREATE INDEX operation_log_by_result ON operation_log (result);

CREATE VIRTUAL TABLE operation_text USING fts5 (
  line, content = '', contentless_delete = 1, detail = 'full', tokenize = 'trigram'
);
INSERT INTO operation_text (rowid, line)
  SELECT id, user || char(10) || ip || char(10) || action || char(10) || detail FROM operation_log;
CREATE TRIGGER operation_log_insert_text AFTER INSERT ON operation_log BEGIN
  INSERT INTO operation_text (rowid, line)
    VALUES (NEW.id, NEW.user || char(10) || NEW.ip || char(10) || NEW.action || char(10) || NEW.detail);
END;
CREATE TRIGGER operation_log_delete_text AFTER DELETE ON operation_log BEGIN
  DELETE FROM operation_text WHERE rowid = OLD.id;
END;
`,
};
