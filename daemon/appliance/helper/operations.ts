/**
 * What the helper does as root: a fixed list, with the exact form of every request and answer. The hub and the helper
 * both check against it. An argument is a number, a choice or a name with a strict grammar, and never becomes a path, a
 * unit or a word of a shell.
 */
import { isIP } from 'node:net';
import * as z from 'zod/mini';
import type { AppliancePart } from '../../contract/appliance-parts.ts';
import { systemAreas } from '../../contract/power-fields.ts';
import { ClockTime, HostName, maxNtpServers, NtpServer, ZoneName } from '../../contract/time-fields.ts';
import { FirewallReading, FirewallSetup, InterfaceName } from '../firewall/setup.ts';
import { maxBlinkSeconds } from '../light/port.ts';

const operation = <A extends z.core.$ZodShape, R extends z.core.$ZodShape>(args: A, answer: R) => ({
  args: z.strictObject(args),
  answer: z.strictObject(answer),
});

export const operations = {
  /** Replaces the packet filter of the appliance in one step, and returns what it is now. */
  'firewall.apply': operation({ setup: FirewallSetup }, { reading: FirewallReading }),
  /** Returns what the packet filter is now. */
  'firewall.read': operation({}, { reading: FirewallReading }),
  /** Changes NTP and time zone; what is absent stays. */
  'time.apply': operation(
    {
      ntp: z.optional(
        z.strictObject({ enabled: z.boolean(), servers: z.array(NtpServer).check(z.maxLength(maxNtpServers)) }),
      ),
      zone: z.optional(ZoneName),
    },
    {},
  ),
  /** Sets the clock, in milliseconds since 1970. */
  'time.set': operation({ at: ClockTime }, {}),
  'host-name.set': operation({ name: HostName }, {}),
  /** Restarts the machine; answered before that begins. */
  'system.reboot': operation({}, {}),
  /** Makes the lights of a port blink. Answers when they stop, or at once if the driver does not support it. */
  'port.blink': operation(
    { interface: InterfaceName, seconds: z.int().check(z.gte(1), z.lte(maxBlinkSeconds)) },
    { isSupported: z.boolean() },
  ),
  /** Restores the state from before the first change by the hub. `network` is not an area of the helper. */
  'system.reset': operation({ area: z.enum(systemAreas).check(z.refine((area) => area !== 'network')) }, {}),
} as const;

/** Operations that change nothing and do not wait for others. */
export const harmless: ReadonlySet<OperationName> = new Set(['port.blink']);

export type OperationName = keyof typeof operations;
export type ArgsOf<N extends OperationName> = z.infer<(typeof operations)[N]['args']>;
export type AnswerOf<N extends OperationName> = z.infer<(typeof operations)[N]['answer']>;

/** Who asks, as the hub states it: the log of the helper names them. */
const Asker = z.object({
  /** Name of the user; '' for the hub itself. */
  user: z.string().check(z.regex(/^[A-Za-z0-9_]{0,12}$/)),
  /** Address of the user; '' for the hub itself. */
  address: z.string().check(z.refine((text) => text === '' || isIP(text) !== 0)),
});
export type Asker = z.infer<typeof Asker>;

export const byHub: Asker = { user: '', address: '' };

/** Longest line of a request and of an answer, in bytes, without its end. */
export const longestRequest = 64 << 10;
export const longestAnswer = 1 << 20;

/** Why the helper refused or failed. `missing`: a program of the system that the answer names as `part`. */
export const helperFaults = [
  'badRequest',
  'unknownOperation',
  'tooLong',
  'busy',
  'timeout',
  'missing',
  'failed',
] as const;
export type HelperFault = (typeof helperFaults)[number];

/** Programs of the system that the helper needs. */
const helperParts = ['nftables', 'chrony', 'ethtool'] as const satisfies readonly AppliancePart[];
export type HelperPart = (typeof helperParts)[number];

export const Refusal = z.object({
  ok: z.literal(false),
  error: z.enum(helperFaults),
  message: z.string(),
  part: z.optional(z.enum(helperParts)),
});
export type Refusal = z.infer<typeof Refusal>;

/** A request that the helper does not carry out, or one that failed. The message contains no argument as it came. */
export class HelperRefusal extends Error {
  readonly fault: HelperFault;
  readonly part: HelperPart | undefined;

  constructor(fault: HelperFault, message: string, part?: HelperPart) {
    super(message);
    this.name = 'HelperRefusal';
    this.fault = fault;
    this.part = part;
  }
}

export interface Request<N extends OperationName = OperationName> {
  readonly op: N;
  readonly asker: Asker;
  readonly args: ArgsOf<N>;
}

/** Who sent the request; undefined if it does not say so properly. */
export function askerIn({ user, address }: Members): Asker | undefined {
  return Asker.safeParse({ user, address }).data;
}

/** Throws HelperRefusal. */
export function requestIn({ op, user, address, ...rest }: Members): Request {
  if (typeof op !== 'string' || !Object.hasOwn(operations, op)) {
    throw new HelperRefusal('unknownOperation', 'there is no such operation');
  }
  const name = op as OperationName;
  const asker = Asker.safeParse({ user, address });
  if (!asker.success) throw malformed(name, asker.error);
  const args = operations[name].args.safeParse(rest);
  if (!args.success) throw malformed(name, args.error);
  return { op: name, asker: asker.data, args: args.data };
}

export type Members = Readonly<Record<string, unknown>>;

/** Reads a line without its end. Throws HelperRefusal. */
export function membersOf(line: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new HelperRefusal('badRequest', 'the line is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HelperRefusal('badRequest', 'the line is not a JSON object');
  }
  return value as Members;
}

/** Names the place only: its value, or an unknown name, may be anything. */
function malformed(op: OperationName, { issues }: z.core.$ZodError): HelperRefusal {
  const [{ code = '', path = [] } = {}] = issues;
  const place = path.map(String).filter((part) => /^[\w-]{1,32}$/.test(part));
  const fault =
    code === 'unrecognized_keys' ? 'has a member that it must not have' : 'has not the form that it must have';
  return new HelperRefusal('badRequest', `${[op, ...place].join('.')} ${fault}`);
}
