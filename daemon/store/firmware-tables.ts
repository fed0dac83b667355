import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** The firmware library; each file is in the folder `firmware` of the data folder. */
export const firmwareFiles = sqliteTable(
  'firmware_files',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** As it was uploaded. */
    name: text('name').notNull(),
    productId: integer('product_id').notNull(),
    firmwareId: integer('firmware_id').notNull(),
    /** A letter. */
    hardware: text('hardware').notNull(),
    version: text('version').notNull(),
    /** Bytes. */
    size: integer('size').notNull(),
    sha256: text('sha256').notNull().unique(),
    /** Name of the file in the folder, which is that of its upload. */
    file: text('file').notNull().unique(),
    /** Milliseconds since 1970. */
    uploadedAt: integer('uploaded_at').notNull(),
    uploadedBy: text('uploaded_by').notNull(),
    /** Who accepted the declaration about pre-releases; empty for a release. */
    acceptedBy: text('accepted_by').notNull(),
  },
  (table) => [uniqueIndex('firmware_files_by_version').on(table.productId, table.hardware, table.version)],
);
