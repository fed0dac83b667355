/** The settings file: all settings of a hub as one JSON document, to keep or to move to another hub. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import { confirmation } from './network.ts';
import { inWords } from './rules.ts';

/** Encrypts the secrets of the file. */
const FilePassphrase = z
  .string()
  .check(
    z.minLength(limits.settingsFile.passphrase.min, 'tooShort'),
    z.maxLength(limits.settingsFile.passphrase.max, 'tooLong'),
  );

const SectionNames = z
  .array(z.string().check(z.maxLength(64, 'tooLong')))
  .check(z.maxLength(limits.settingsFile.sections, 'tooMany'), inWords('Names of sections; absent: all of them.'));

/** docs/settings-file.md describes it. */
export const SettingsDocument = z.object({
  format: z.literal('signalbox-settings'),
  'format-version': z.int(),
  product: z.string(),
  /** Of the hub that wrote the file. */
  version: z.string(),
  /** Milliseconds since 1970. */
  created: z.int(),
  /** Name of the hub. */
  hub: z.string(),
  sections: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
  /** Absent if the secrets were left out. */
  secrets: z.optional(
    z.object({
      kdf: z.literal('argon2id'),
      /** KiB. */
      memory: z.int(),
      passes: z.int(),
      parallelism: z.int(),
      cipher: z.literal('aes-256-gcm'),
      /** Base64; so are the others. */
      salt: z.string(),
      nonce: z.string(),
      tag: z.string(),
      data: z.string(),
    }),
  ),
  /** SHA-256, hexadecimal, of the document without it, with the members of each object in the order of their names. */
  checksum: z.optional(z.string()),
});
export type SettingsDocument = z.infer<typeof SettingsDocument>;

export const sectionEffects = ['restart', 'now', 'confirm'] as const;
export type SectionEffect = (typeof sectionEffects)[number];

/** What the import does to the objects of a section. */
export const SectionPreview = z.object({
  name: z.string(),
  /** Names of objects; at most 100 of each kind, and the number of all. */
  added: z.array(z.string()),
  'added-num': z.int(),
  /** With the names of the members that change; `secrets` for those. */
  changed: z.array(z.object({ name: z.string(), members: z.array(z.string()) })),
  'changed-num': z.int(),
  removed: z.array(z.string()),
  'removed-num': z.int(),
  'unchanged-num': z.int(),
  /** Objects whose secrets the file leaves out and the hub does not have. A user has to set them again. */
  'lacks-secrets': z.array(z.string()),
  /**
   * How a change of it takes effect. `restart`: with a restart of the hub. `now`: at once. `confirm`: at once; it can cut
   * off the caller, so that the import is undone unless it is confirmed.
   */
  effect: z.enum(sectionEffects),
});
export type SectionPreview = z.infer<typeof SectionPreview>;

export const settingsFileApi = endpoints(calls.settingsFile, {
  export: {
    summary:
      'Get the settings as one document. Secrets are encrypted with the passphrase; without one, they are left out.',
    body: z.object({ passphrase: z.optional(FilePassphrase), sections: z.optional(SectionNames) }),
    response: z.object({
      file: SettingsDocument,
      /** Sections that are not in the file because a part of the system is missing. */
      'left-out': z.array(z.string()),
    }),
  },
  import: {
    summary:
      'Replace the settings by those of a file. With `preview`, only say what would change. Otherwise the hub stores all of it or nothing, and restarts; streams that stay the same continue. An import that changes how an appliance is reached waits to be confirmed: 1004 while another change does.',
    maxBytes: limits.settingsFile.maxBodyBytes,
    body: z.object({
      /** The text of the file. */
      file: z.string().check(z.minLength(1, 'required')),
      /** Of its secrets. */
      passphrase: z.optional(z.string().check(z.maxLength(limits.settingsFile.passphrase.max, 'tooLong'))),
      sections: z.optional(SectionNames),
      preview: z.optional(z.boolean()),
      /** `digest` of the preview: 1004 if the import would do something else by now. */
      digest: z.optional(z.string().check(z.maxLength(64, 'tooLong'))),
      /** For sections with the effect `confirm`, as in `network/set`. */
      ...confirmation,
    }),
    response: z.object({
      /** Of the file. */
      file: z.object({
        version: z.string(),
        created: z.int(),
        hub: z.string(),
        /** Whether it contains secrets. */
        'has-secrets': z.boolean(),
        /** Whether it has a checksum, which a file that was edited by hand lacks. */
        'has-checksum': z.boolean(),
      }),
      sections: z.array(SectionPreview),
      /** Sections of the file that this hub does not have, or that need a missing part of the system. */
      ignored: z.array(z.string()),
      /** Users that become administrators, or administrators that get another password: only the root user may do that. */
      'root-needed': z.array(z.string()),
      /** Of what the import does. */
      digest: z.string(),
      /** For `network/confirm`; absent for a preview, and for an import that is final. */
      token: z.optional(z.string()),
      /** Seconds until the import is undone; 0 for a preview, and for an import that is final. */
      'confirm-by-s': z.int(),
      /** The addresses that the hub will have, as far as they are known. Unchanged addresses are left out. */
      addresses: z.array(z.string()),
      /** Whether the hub restarts now; false for a preview, until it is confirmed, and if nothing needs it. */
      restarts: z.boolean(),
      /** Seconds until the console answers again; 0 if the hub does not restart. */
      'estimate-sec': z.int(),
    }),
  },
});
