/** Messages between the hub and a process that loads the NDI library: JSON over the channel that Bun opens for it. */
import * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';

/** Protocol version: increased with every change of the messages. */
export const ndiProtocol = 3;

/** Limit of one message as JSON. The longest list of sources takes most of it. */
export const maxMessageBytes = 4 << 20;
/** Sources in one message; others are left out. No network that we know of comes near this limit. */
export const maxSources = 4096;

/** How many sources the process that makes thumbnails receives at the same time. */
export const maxReceivers = 8;
/** Characters of base64; usual pictures need a tenth of it. */
const maxPictureBytes = 256 << 10;

const Id = z.int().check(z.minimum(1));
const Name = z.string().check(z.maxLength(limits.ndi.name));
const Source = z.nullable(Name);

const Output = z.object({ id: Id, name: Name, group: Name, source: Source });
export type ChildOutput = z.infer<typeof Output>;

const Size = z.int().check(z.minimum(1), z.maximum(16_384));

const Change = z.object({ id: Id, source: Source });
const perOutput = z.maxLength(limits.ndiRouter.outputs.max);

/** Messages of the hub. */
export const HubMessage = z.discriminatedUnion('type', [
  /** All outputs. Those that exist with the same name and group stay; the others are removed and created. */
  z.object({ type: z.literal('configure'), outputs: z.array(Output).check(perOutput) }),
  /** Answered with `applied`. */
  z.object({ type: z.literal('apply'), request: z.int(), changes: z.array(Change).check(perOutput) }),
  /** All sources to send pictures of, for the process that makes thumbnails. Receivers of others are closed. */
  z.object({ type: z.literal('watch'), names: z.array(Name).check(z.maxLength(maxReceivers)) }),
  /** Answered with `pong`. */
  z.object({ type: z.literal('ping') }),
]);
export type HubMessage = z.infer<typeof HubMessage>;

const Fault = z.enum(['missingDependency', 'notLoadable', 'tooOld', 'processorRefused']);

const Hello = z.object({
  type: z.literal('hello'),
  protocol: z.int(),
  /** Version of the library. */
  version: z.string().check(z.maxLength(64)),
  /** Whether it says that it is a simulator. */
  isSimulator: z.boolean(),
  /** The optional groups of functions that it has. */
  groups: z.array(z.enum(['send', 'receive'])).check(z.maxLength(2)),
});

const OutputReport = z.object({
  id: Id,
  /** '' while the output does not exist. */
  fullName: Name,
  applied: Source,
  receivers: z.int().check(z.minimum(0)),
  fault: z.optional(z.enum(['nameTaken', 'failed'])),
});
export type OutputReport = z.infer<typeof OutputReport>;

/** Messages of the process. */
export const ChildMessage = z.discriminatedUnion('type', [
  Hello,
  /** Instead of `hello`: the library cannot be used. */
  z.object({ type: z.literal('fault'), fault: Fault, detail: z.string().check(z.maxLength(4096)) }),
  /** All sources; sent after a change. */
  z.object({ type: z.literal('sources'), names: z.array(Name).check(z.maxLength(maxSources)) }),
  /** All outputs; sent after a change. */
  z.object({ type: z.literal('outputs'), outputs: z.array(OutputReport).check(perOutput) }),
  z.object({
    type: z.literal('applied'),
    request: z.int(),
    results: z.array(z.object({ id: Id, result: z.enum(['applied', 'nameTaken', 'failed']) })).check(perOutput),
  }),
  /** The newest picture of a watched source: a JPEG in base64. */
  z.object({ type: z.literal('picture'), name: Name, jpeg: z.string().check(z.maxLength(maxPictureBytes)) }),
  z.object({ type: z.literal('pong') }),
  /** From a process that receives a source: the format of the frames that follow. */
  z.object({
    type: z.literal('receiving'),
    width: Size,
    height: Size,
    framesPerSecond: z.number().check(z.minimum(1), z.maximum(240)),
  }),
  /** From a process that sends a source: the source is on the network. */
  z.object({ type: z.literal('sending'), fullName: Name }),
  /** The process cannot continue, and ends. */
  z.object({
    type: z.literal('ended'),
    cause: z.enum(['formatChanged', 'nameTaken', 'notSupported', 'badStream', 'notRead']),
  }),
]);
export type ChildMessage = z.infer<typeof ChildMessage>;

/** Describes the first fault of a message; it has no text of the message. */
export function messageFault({ issues: [issue] }: z.core.$ZodError): string {
  if (!issue) return 'unknown';
  const path = issue.path.length === 0 ? 'message' : issue.path.join('.');
  return issue.code === 'too_big' ? `${path} has more than ${issue.maximum}` : `${path} is of another form`;
}
