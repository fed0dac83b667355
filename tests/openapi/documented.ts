/** What doc-comments.ts inserts into the contract. */
import * as z from 'zod/mini';

const isSchema = (value: unknown): value is z.ZodMiniType => value instanceof Object && '_zod' in value;

/** Plain numbers and members that can be left out are no types of their own. */
const isType = (schema: z.ZodMiniType) =>
  schema.type !== 'optional' && (schema.type !== 'number' || z.globalRegistry.has(schema));

/** Registers an exported schema. Its aliases and everything that is not a schema stay as they are. */
export const named =
  (id: string, description: string) =>
  <T>(value: T): T => {
    if (isSchema(value) && z.globalRegistry.get(value)?.id === undefined) {
      const meta = { ...(isType(value) && { id }), ...(description && { description }) };
      if (Object.keys(meta).length > 0) z.globalRegistry.add(value, { ...z.globalRegistry.get(value), ...meta });
    }
    return value;
  };

/** Returns a schema of its own, because the same one may be used elsewhere with another comment. */
export const described =
  (description: string) =>
  <T>(value: T): T => {
    if (!isSchema(value)) return value;
    const own = z.clone(value, value.def as never, { parent: true }) as T & z.ZodMiniType;
    z.globalRegistry.add(own, { ...z.globalRegistry.get(value), id: undefined, description });
    return own;
  };
