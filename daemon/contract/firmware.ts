/**
 * Firmware files of devices. `firmware/upload` and `firmware/add` are the published upload in two steps; an upload that
 * begins with `firmware/begin-upload` has progress, and continues after an interruption (docs/api.md).
 */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints, formType } from './endpoint.ts';
import { FirmwareVersion, HardwareVersion, ProductId } from './firmware-fields.ts';
import { limits } from './limits.ts';
import { Ids, inWords, listOf, Natural, Paging, whole } from './rules.ts';
import { AnnouncedFile, UploadTask } from './uploads.ts';

/** What the name of the file does not say. What it says cannot be contradicted. */
const statedFirmware = {
  'product-id': z.optional(ProductId),
  'hardware-ver': z.optional(HardwareVersion),
  version: z.optional(FirmwareVersion),
  /** 1: a test build, which is a pre-release. By default what the name says, otherwise 0. */
  'firmware-id': z.optional(whole({ min: 0, max: 999_999_999 })),
  /** The caller accepts the declaration about pre-releases, without which they are refused. */
  'accept-pre-release': z.optional(z.boolean()),
  /** Replaces a file for the same product, hardware and version with another content. */
  replace: z.optional(z.boolean()),
};

export const StatedFirmware = z.object(statedFirmware);
export type StatedFirmware = z.infer<typeof StatedFirmware>;

export const Firmware = z.object({
  id: z.int(),
  /** As it was uploaded. */
  name: z.string(),
  /** Name of downloads: `firmware-PRODUCT-ID-HARDWARE-VERSION.mwf`. */
  'file-path': z.string(),
  /** Bytes. */
  'file-size': z.int(),
  /** In hexadecimal. */
  sha256: z.string(),
  /** Seconds since 1970. */
  'upload-date': z.int(),
  'uploaded-by': z.string(),
  'product-id': z.int(),
  /** Model of the devices of this product that the caller sees; empty without any. */
  'product-name': z.string(),
  /** Id of the family. */
  module: z.int(),
  'hardware-ver': z.string(),
  /** 1: a test build. */
  'firmware-id': z.int(),
  version: z.string(),
  /** The numbers of `version`; the first is spelled as published. */
  'marjor-ver': z.int(),
  'minor-ver': z.int(),
  'build-number': z.int(),
  'is-pre-release': z.boolean(),
  /** Who accepted the declaration about pre-releases; empty for a release. */
  'accepted-by': z.string(),
  /** Whether an upgrade uses it, or waits to. It cannot be deleted meanwhile. */
  'in-use': z.boolean(),
  /** What uses it. */
  'used-by': z.array(z.string()),
  /** Whether its file was lost, for example because a backup had only the database. */
  'is-missing': z.boolean(),
});
export type Firmware = z.infer<typeof Firmware>;

/** Devices of one product, as far as the caller sees them. */
export const FirmwareProduct = z.object({
  'product-id': z.int(),
  /** Model. */
  name: z.string(),
  /** Id of the family. */
  module: z.int(),
  /** Letters in order. */
  'hardware-ver': z.array(z.string()),
});
export type FirmwareProduct = z.infer<typeof FirmwareProduct>;

/** What an uploaded file is, as far as its name says so. */
const FirmwareInfo = z.object({
  'product-id': z.optional(z.int()),
  'product-name': z.optional(z.string()),
  'firmware-id': z.optional(z.int()),
  'hardware-ver': z.optional(z.string()),
  version: z.optional(z.string()),
  'marjor-ver': z.optional(z.int()),
  'minor-ver': z.optional(z.int()),
  'build-number': z.optional(z.int()),
  'is-pre-release': z.boolean(),
});
export type FirmwareInfo = z.infer<typeof FirmwareInfo>;

export const firmwareApi = endpoints(calls.firmware, {
  list: {
    summary: 'List the firmware files, the newest upload first, and the products of the devices that they may be for.',
    needs: 'devices',
    query: z.object({
      ...Paging,
      /** Family; 0 for all. */
      'dev-type': z.optional(Natural),
      'product-id': z.optional(Natural),
      'hardware-ver': z.optional(HardwareVersion),
    }),
    response: z.object({ ...listOf(Firmware).shape, products: z.array(FirmwareProduct) }),
  },
  upload: {
    summary: 'Send a firmware file; `firmware/add` within an hour puts it into the library.',
    needs: 'devices',
    upload: { types: [formType], maxBytes: limits.firmware.maxBytes, isStreamed: true },
    response: z.object({
      /** For `firmware/add`. */
      'file-path': z.string(),
      /** Bytes. */
      'file-size': z.int(),
      'firmware-info': FirmwareInfo,
    }),
  },
  add: {
    summary: 'Put an uploaded file into the library. Product, hardware and version are needed if its name lacks them.',
    needs: 'devices',
    body: z.object({
      'file-path': z.string().check(z.maxLength(64, 'tooLong')),
      ...statedFirmware,
    }),
    response: z.object({ id: z.int() }),
  },
  beginUpload: {
    summary:
      'Begin the upload of a firmware file, which is put into the library when it is complete. Product, hardware and version are needed if its name lacks them.',
    needs: 'devices',
    body: z.object({ ...AnnouncedFile.shape, ...statedFirmware }).check(inWords('The name ends in `.mwf`.')),
    response: UploadTask,
  },
  del: {
    summary: 'Delete firmware files. Refused with 1005 while an upgrade uses one of them.',
    needs: 'devices',
    body: z.object({ id: Ids }),
  },
});
