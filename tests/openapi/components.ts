/** JSON Schemas of the contract; exported schemas become named components that others refer to. */
import * as z from 'zod/mini';

export type Json = Record<string, unknown>;
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

interface Components {
  /** Returns the schema of something that clients send, or receive. */
  of(schema: z.ZodMiniType, io: 'input' | 'output'): Json;
  readonly all: Record<string, Json>;
}

export function createComponents(): Components {
  const all: Record<string, Json> = {};
  return {
    all,
    of(schema, io) {
      const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, override: adapt(io) }) as Json;
      const defs = Object.entries($defs as Record<string, Json>);
      // What is sent differs from what is received where defaults are filled in; it then has a name of its own.
      const renamed = new Map(defs.map(([name]) => [name, name]));
      for (let changed = true; changed; ) {
        changed = false;
        for (const [name, def] of defs) {
          const known = all[name];
          const isOther = known !== undefined && !Bun.deepEquals(known, withRefs(def, renamed));
          if (isOther && renamed.get(name) === name) {
            renamed.set(name, `${name}${io === 'input' ? 'Request' : 'Response'}`);
            changed = true;
          }
        }
      }
      for (const [name, def] of defs) all[renamed.get(name) ?? name] = withRefs(def, renamed);
      return withRefs(json, renamed);
    },
  };
}

/** Turns references to definitions within a schema into references to components, and shortens what it can. */
function withRefs(json: Json, names: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === '$ref') {
      const name = String(value).replace('#/$defs/', '');
      return refTo(names.get(name) ?? name).$ref;
    }
    return value instanceof Object && !Array.isArray(value) ? shorter(value) : value;
  });
}

/** Writes a choice of numbers as `enum`, and says that they are integers. */
function shorter({ anyOf, ...json }: Json): Json {
  if (!Array.isArray(anyOf)) return typeof json.const === 'number' ? { ...json, type: 'integer' } : json;
  const isConst = (option: Json) => Object.keys(option).every((key) => key === 'type' || key === 'const');
  if (!anyOf.every((option) => isConst(option) && typeof option.const === 'number')) return { ...json, anyOf };
  return { ...json, type: 'integer', enum: anyOf.map((option) => option.const) };
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** The characters of classes that other languages do not have. */
const classes: Readonly<Record<string, string>> = {
  '\\p{Cc}': '\\u0000-\\u001f\\u007f-\\u009f',
  '\\p{Zl}': '\\u2028',
  '\\p{Zp}': '\\u2029',
  '\\p{Bidi_Control}': '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069',
};
const withoutClasses = (pattern: string) => pattern.replaceAll(/\\p\{\w+\}/g, (name) => classes[name] ?? name);

function adapt(io: 'input' | 'output'): Override {
  return ({ zodSchema, jsonSchema }) => {
    // Clients must accept members that later versions add.
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    if (jsonSchema.type === 'integer') {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    }
    // Other languages have no classes of Unicode properties.
    if (jsonSchema.pattern) jsonSchema.pattern = withoutClasses(jsonSchema.pattern);
    // Those of any letter cannot be translated: they are in the words of the rule.
    if (jsonSchema.allOf?.some(({ pattern }) => pattern?.includes('\\p{'))) delete jsonSchema.allOf;
    const meta = z.globalRegistry.get(zodSchema) ?? {};
    const { rule } = jsonSchema;
    delete jsonSchema.rule;
    if (typeof rule === 'string') jsonSchema.description = [jsonSchema.description, rule].filter(Boolean).join(' ');
    // A rule that is a function is invisible here: `z.meta` next to it, or a comment, has to tell it.
    const isFunction = (zodSchema._zod.def.checks ?? []).some(({ _zod }) => _zod.def.check === 'custom');
    if (io === 'input' && isFunction && Object.keys(meta).length === 0) {
      const what = JSON.stringify(jsonSchema).slice(0, 200);
      throw new Error(`a rule is a function; describe it with z.meta, inWords or a comment: ${what}`);
    }
  };
}
