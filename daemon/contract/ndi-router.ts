/** The NDI router: a matrix of inputs (sources of the network) and outputs (names that the hub offers). */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';
import {
  InputNumber,
  NdiInputFields,
  NdiOutputFields,
  NdiRouterFields,
  OutputNumber,
  SalvoName,
} from './ndi-router-fields.ts';
import {
  discoveryServerFaults,
  discoveryServerStates,
  lockKinds,
  ndiFaults,
  ndiRemedies,
  ndiRuntimeStates,
  outputFaults,
  panelServerFaults,
  panelServerStates,
  routeOutcomes,
  routeReasons,
  salvoPolicies,
} from './ndi-router-words.ts';
import { inWords, listOf, Paging, Revised, Revision } from './rules.ts';

/** A source on the network. */
export const NdiSource = z.object({
  /** Exactly as it is on the network: `MACHINE (source)`. */
  name: z.string(),
  /** Whether it is an output of this router. */
  own: z.boolean(),
});
export type NdiSource = z.infer<typeof NdiSource>;

export const NdiRuntime = z.object({
  state: z.enum(ndiRuntimeStates),
  /** The library file. */
  path: z.optional(z.string()),
  /** The version of the library, such as `6.3.2.0`. */
  version: z.optional(z.string()),
  /** With `missing`: the folders that were searched. */
  folders: z.optional(z.array(z.string())),
  /** With `unusable`. */
  fault: z.optional(z.enum(ndiFaults)),
  detail: z.optional(z.string()),
  /** The Debian package that has the missing library. */
  package: z.optional(z.string()),
  /**
   * `noMdns`: avahi-daemon is not running, so nothing is found or announced by mDNS. `simulator`: the library is a
   * simulator, so nothing is found or announced on the network at all.
   */
  limit: z.optional(z.enum(['noMdns', 'simulator'])),
  remedy: z.optional(z.enum(ndiRemedies)),
  /** With `restarting` and `failed`: how the last process ended, for experts. */
  reason: z.optional(z.string()),
  /** With `restarting`: milliseconds until the next attempt. */
  'restarts-in': z.optional(z.int()),
});
export type NdiRuntime = z.infer<typeof NdiRuntime>;

export const NdiInput = z.object({
  /** Its number, from 1. */
  id: z.int(),
  revision: z.int(),
  ...NdiInputFields,
  /** Whether the source is on the network now. */
  online: z.boolean(),
  /** When the source was last online, in milliseconds since 1970. Absent while it is online, and if it never was. */
  'last-seen': z.optional(z.int()),
});
export type NdiInput = z.infer<typeof NdiInput>;

export const NdiLock = z.object({
  by: z.enum(lockKinds),
  /** Id of the user; 0 for a panel. */
  'user-id': z.int(),
  /** Name of the user, or address of the panel. */
  owner: z.string(),
});
export type NdiLock = z.infer<typeof NdiLock>;

export const NdiOutput = z.object({
  /** Its number, from 1. */
  id: z.int(),
  revision: z.int(),
  ...NdiOutputFields,
  /** Its name on the network: `BASE (name)`. */
  'full-name': z.string(),
  /** The input that it is routed to; null for none. */
  in: z.nullable(z.int()),
  /** During a failover, the input whose source the output has instead; null otherwise. */
  substitute: z.nullable(z.int()),
  /** The desired source: that of the input or of its substitute. */
  source: z.nullable(z.string()),
  /** The source that the runtime has confirmed; null if there is none, or while no runtime runs. */
  'applied-source': z.nullable(z.string()),
  /** Whether the runtime has confirmed the source. */
  applied: z.boolean(),
  /** Whether it waits for a source that is not on the network. */
  waiting: z.boolean(),
  fault: z.optional(z.enum(outputFaults)),
  /** Connected receivers. */
  receivers: z.int(),
  lock: z.nullable(NdiLock),
  /** The input that `ndi/router/undo` returns to; absent if there is nothing to undo. */
  previous: z.optional(z.nullable(z.int())),
});
export type NdiOutput = z.infer<typeof NdiOutput>;

export const NdiRouter = z.object({
  ...NdiRouterFields,
  revision: z.int(),
  runtime: NdiRuntime,
  /** Sources that have the base name of this router but are not its outputs; the first 8. Absent if there are none. */
  'name-clash': z.optional(z.array(z.string())),
  /** The server for hardware panels (settings `videohub`). */
  panels: z.optional(
    z.object({
      state: z.enum(panelServerStates),
      /** With `failed`. */
      fault: z.optional(z.enum(panelServerFaults)),
      /** Addresses of the connected panels. */
      clients: z.array(z.string()),
    }),
  ),
  /** The hub's own NDI discovery server (settings `hub-ndi-server`). */
  'discovery-server': z.optional(
    z.object({
      state: z.enum(discoveryServerStates),
      /** Why it is waiting. */
      fault: z.optional(z.enum(discoveryServerFaults)),
      /** How the program ended, for experts. */
      detail: z.optional(z.string()),
      /** The folders in which the hub looks for the program, if it is not installed. */
      folders: z.optional(z.array(z.string())),
      /** Milliseconds from its end to the next attempt. */
      'restarts-in': z.optional(z.int()),
    }),
  ),
  /** The last call that routed several outputs, if it can still be undone. */
  'last-salvo': z.optional(
    z.object({
      /** Name of the salvo; '' for a call that routed several outputs without one. */
      name: z.string(),
      /** Name of the user, address of the panel. */
      by: z.string(),
      /** Milliseconds since 1970. */
      time: z.int(),
      outputs: z.array(z.int()),
    }),
  ),
});
export type NdiRouter = z.infer<typeof NdiRouter>;

export const NdiRoute = z.object({
  out: OutputNumber,
  /** Null: no source. */
  in: z.nullable(InputNumber),
});
export type NdiRoute = z.infer<typeof NdiRoute>;
const Routes = z.array(NdiRoute).check(
  z.minLength(1, 'required'),
  z.maxLength(limits.ndiRouter.outputs.max, 'tooLong'),
  z.refine((routes) => new Set(routes.map(({ out }) => out)).size === routes.length, 'outputTwice'),
  inWords('Each output once.'),
);
const Outputs = z
  .array(OutputNumber)
  .check(z.minLength(1, 'required'), z.maxLength(limits.ndiRouter.outputs.max, 'tooLong'));
const OutputOrOutputs = z.union([OutputNumber, Outputs]);
const Policy = z.enum(salvoPolicies, 'choice');

export const RouteResult = z.object({
  out: z.int(),
  result: z.enum(routeOutcomes),
  /** Absent with `done`. */
  reason: z.optional(z.enum(routeReasons)),
  /** Name of the user or address of the panel that locked it. */
  'locked-by': z.optional(z.string()),
  /** Whether the runtime has confirmed the route. A route that is `done` is stored, and applied once a runtime runs. */
  applied: z.boolean(),
});
export type RouteResult = z.infer<typeof RouteResult>;
/** One for each output of the request, in its order. */
const Results = z.object({ results: z.array(RouteResult) });

export const NdiSalvo = z.object({
  id: z.int(),
  revision: z.int(),
  /** Unique among the salvos. */
  name: z.string(),
  policy: Policy,
  routes: z.array(z.object({ out: z.int(), in: z.nullable(z.int()) })),
});
export type NdiSalvo = z.infer<typeof NdiSalvo>;

const Force = z.optional(z.boolean());
const needs = 'ndiRouter';

export const ndiSourceApi = endpoints(calls.ndiSources, {
  list: {
    summary: 'List the sources on the network by name, those of this router among them.',
    needs,
    query: z.object(Paging),
    response: z.object({ ...listOf(NdiSource).shape, runtime: NdiRuntime }),
  },
});

export const ndiRouterApi = endpoints(calls.ndiRouter, {
  get: {
    summary: 'Get the router with all inputs and outputs.',
    needs,
    response: z.object({ router: NdiRouter, inputs: z.array(NdiInput), outputs: z.array(NdiOutput) }),
  },
  set: {
    summary:
      'Change base name and size of the router; omitted members stay unchanged. 1005 if that would rename outputs that have receivers, and 1009 if a smaller size removes inputs or outputs in use; `force` does it nevertheless.',
    needs,
    body: z.object({ ...z.partial(z.object(NdiRouterFields)).shape, revision: Revision, force: Force }),
    response: Revised,
  },
  route: {
    summary:
      'Route outputs to inputs or to none. Each output has its result; those that were not refused are stored together. With `must-be-online`, sources that are not on the network are refused (2001 if it is the only route).',
    needs,
    body: z.object({ routes: Routes, policy: z.optional(Policy), 'must-be-online': z.optional(z.boolean()) }),
    response: Results,
  },
  setInput: {
    summary:
      'Change an input; omitted members stay unchanged. Without `id`, the next free input is filled. 1005 if it is emptied while outputs are routed to it, unless `force` is set.',
    needs,
    body: z.object({
      id: z.optional(InputNumber),
      ...z.partial(z.object(NdiInputFields)).shape,
      /** Id of a preset, whose source and label are taken. */
      preset: z.optional(z.int('number')),
      revision: Revision,
      force: Force,
    }),
    response: z.object({ id: z.int(), ...Revised.shape }),
  },
  addOutput: {
    summary: 'Add an output with the lowest free number. 1003 if another one has its name.',
    needs,
    body: z.partial(z.object(NdiOutputFields)),
    response: z.object({ id: z.int() }),
  },
  setOutput: {
    summary:
      'Change an output; omitted members stay unchanged. 1005 if it would be renamed while it has receivers, unless `force` is set; 1003 if another one has the name.',
    needs,
    body: z.object({
      id: OutputNumber,
      ...z.partial(z.object(NdiOutputFields)).shape,
      revision: Revision,
      force: Force,
    }),
    response: Revised,
  },
  delOutput: {
    summary:
      'Delete outputs; the others keep their numbers. 1009 if one is routed, locked or has receivers, unless `force` is set.',
    needs,
    body: z.object({ id: OutputOrOutputs, force: Force }),
  },
  lock: {
    summary:
      'Lock outputs for the caller, or unlock them. A locked output is not routed by anybody. 1005 if another one has locked it, unless `force` is set.',
    needs,
    body: z.object({ out: OutputOrOutputs, locked: z.boolean(), force: Force }),
  },
  undo: {
    summary: 'Return outputs to the input before their last route; without `out`, all outputs of the last salvo.',
    needs,
    body: z.object({ out: z.optional(OutputOrOutputs) }),
    response: Results,
  },
});

export const ndiSalvoApi = endpoints(calls.ndiSalvos, {
  list: {
    summary: 'List the salvos in order of creation.',
    needs,
    query: z.object(Paging),
    response: listOf(NdiSalvo),
  },
  add: {
    summary: 'Add a salvo: routes of some outputs. 1003 if another one has its name.',
    needs,
    body: z.object({ name: SalvoName, routes: Routes, policy: z.optional(Policy) }),
    response: z.object({ id: z.int() }),
  },
  set: {
    summary: 'Change a salvo; omitted members stay unchanged.',
    needs,
    body: z.object({
      id: z.int('number'),
      name: z.optional(SalvoName),
      routes: z.optional(Routes),
      policy: z.optional(Policy),
      revision: Revision,
    }),
    response: Revised,
  },
  del: {
    summary: 'Delete salvos.',
    needs,
    body: z.object({
      id: z.union([
        z.int('number'),
        z.array(z.int('number')).check(z.minLength(1, 'required'), z.maxLength(limits.ndiRouter.salvos, 'tooLong')),
      ]),
    }),
  },
  recall: {
    summary: 'Route the outputs of a salvo. Each output has its result.',
    needs,
    body: z.object({ id: z.int('number'), policy: z.optional(Policy) }),
    response: Results,
  },
  capture: {
    summary:
      'Store the present routes as a new salvo, or in place of those of one; by default of the outputs of that salvo, or of all.',
    needs,
    body: z
      .object({
        id: z.optional(z.int('number')),
        name: z.optional(SalvoName),
        outs: z.optional(Outputs),
        revision: Revision,
      })
      .check(
        z.refine((of) => of.id !== undefined || of.name !== undefined, { path: ['name'], error: 'required' }),
        z.meta({ anyOf: [{ required: ['id'] }, { required: ['name'] }] }),
      ),
    response: z.object({ id: z.int() }),
  },
});
