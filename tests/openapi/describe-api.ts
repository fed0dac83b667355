/** The API description, generated from the contract's table, its schemas and their comments. */
import * as z from 'zod/mini';
import { Alarm } from '../../daemon/contract/alarms.ts';
import { cookieNames } from '../../daemon/contract/auth.ts';
import type { Call, Scope } from '../../daemon/contract/calls.ts';
import { Channel } from '../../daemon/contract/channels.ts';
import { DeviceGroup } from '../../daemon/contract/device-groups.ts';
import { Device } from '../../daemon/contract/devices.ts';
import { type Endpoint, formType } from '../../daemon/contract/endpoint.ts';
import { type EventTopic, eventTopics, type TopicData } from '../../daemon/contract/events.ts';
import { Firewall } from '../../daemon/contract/firewall.ts';
import { Forward } from '../../daemon/contract/forwards.ts';
import { LaterChange } from '../../daemon/contract/logs.ts';
import { NdiInput, NdiOutput, NdiRouter, NdiSalvo, NdiSource } from '../../daemon/contract/ndi-router.ts';
import { Network } from '../../daemon/contract/network.ts';
import { handleHeader } from '../../daemon/contract/preview-stream.ts';
import { results } from '../../daemon/contract/result.ts';
import { Schedule } from '../../daemon/contract/schedules.ts';
import { DeviceCounts, SystemStatus } from '../../daemon/contract/system.ts';
import { SystemLogLine } from '../../daemon/contract/system-log.ts';
import { Task } from '../../daemon/contract/tasks.ts';
import { type BodyRoute, bodyType } from '../../daemon/http/body-route.ts';
import type { PlainRoute } from '../../daemon/http/plain-route.ts';
import type { PrefixRoute } from '../../daemon/http/prefix-route.ts';
import { version } from '../../daemon/version.ts';
import { createComponents, type Json, refTo } from './components.ts';
import { httpResponses, responsesOf } from './http-responses.ts';

/** The parts of a hub that have routes. */
export interface Described {
  readonly endpoints: readonly Endpoint[];
  readonly plainRoutes: readonly PlainRoute[];
  readonly bodyRoutes: readonly BodyRoute[];
  readonly prefixRoutes: readonly PrefixRoute[];
}

/** A recorded call (tests/integration/openapi-examples.test.ts). */
export interface Example {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly answer: unknown;
}
/** By method and path. */
export type Examples = Readonly<Record<string, Example>>;

const description = `
Reads are \`GET\` with a query, writes are \`POST\` with a JSON body, files are \`PUT\`.

Every outcome of a call has HTTP status 200 and a \`result\`: 0 is success, any other code is a \`Failure\` with a
\`message\` in English. Only failures below the API have another status; their body is a \`Failure\`, too. Event streams,
downloads, previews, metrics and uploads have no \`result\` to look at, and refuse with an HTTP status.

A call refuses members that it does not know. Answers may get further members in later versions.
`.trim();

const tags: Readonly<Record<string, string>> = {
  alarm: 'Alarms of the channels and the hub, their rules and the webhook.',
  catalog: 'Groups of devices.',
  cert: 'Certificate and key for HTTPS.',
  channel: 'Channels: one input, several outputs, and players.',
  device: 'Encoders, decoders and other devices that the hub manages.',
  events: 'The event stream.',
  firmware: 'Firmware files of devices.',
  health: 'Whether the hub is ready.',
  input: 'Inputs: sources that a channel can use instead of its push key.',
  log: 'The operation log: who did what.',
  login: 'Signing in.',
  logout: 'Signing out.',
  metrics: 'Metrics for Prometheus.',
  'openapi.json': 'This description.',
  route: 'Static routes of an appliance.',
  wifi: 'Wi-Fi and USB network of an appliance.',
  firewall: 'Which ports the WAN interfaces of an appliance let in.',
  network: 'The Ethernet ports of an appliance, and changes that have to be confirmed.',
  ndi: 'The NDI router: inputs, outputs, routes and salvos.',
  output: 'Outputs: destinations that a channel sends to.',
  preset: 'Addresses of inputs and outputs that are stored by name.',
  preview: 'Thumbnails and live previews of channels.',
  reboot: 'Restart of the hub.',
  schedule: 'When devices start and stop recording and sending.',
  server: 'Servers that outputs can be made from.',
  session: 'The own sessions.',
  settings: 'The settings of the hub.',
  setup: 'The first start.',
  socket: 'Calls to devices, as their own APIs have them, and their web pages.',
  syslog: 'The system log: lines of the hub and its child processes.',
  system: 'State and load of the hub.',
  task: 'Long work with progress.',
  time: 'The clock of an appliance.',
  token: 'Access tokens for scripts.',
  upload: 'The bytes of files.',
  usr: 'Users.',
  'usr-group': 'Groups of users and their permissions.',
};

const failureCodes = Object.entries(results).filter(([name]) => name !== 'success');

export function describeApi({ endpoints, plainRoutes, bodyRoutes, prefixRoutes }: Described, examples: Examples): Json {
  const components = createComponents();
  const messages = eventSchemas(components);
  components.all.Failure = failureSchema(components);
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json) => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  for (const endpoint of endpoints) {
    const example = examples[`${endpoint.method} ${endpoint.path}`];
    add(endpoint.path, endpoint.method.toLowerCase(), describeCall(endpoint, example, components));
  }
  for (const route of plainRoutes) {
    add(route.path.replace(namesInPath, '{$1}'), 'get', describePlain(route, messages));
  }
  for (const route of bodyRoutes) add(route.path, 'put', describeBody(route));
  for (const route of prefixRoutes) add(route.prefix, 'get', describePrefix(route));
  const sorted = Object.entries(paths).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const used = new Set(sorted.map(([path]) => tagOf(path)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      summary: 'A hub for live video.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{scheme}://{host}:{port}',
        variables: {
          scheme: { default: 'http', enum: ['http', 'https'] },
          host: { default: 'localhost', description: 'Address of the hub, or a name listed in SIGNALBOX_HOSTS.' },
          port: { default: '8880', description: '8880 for HTTP, 8443 for HTTPS, unless the settings say otherwise.' },
        },
      },
    ],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, text]) => ({ name, description: text })),
    paths: Object.fromEntries(sorted),
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieNames.sid,
          description: '`token` of the answer to `POST /api/login`, which also sets this cookie.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token (`POST /api/token/add`), or `token` of the answer to `POST /api/login`.',
        },
      },
      responses: httpResponses,
      schemas: components.all,
    },
  };
}

type Components = ReturnType<typeof createComponents>;

const fileSchema = { schema: { type: 'string', format: 'binary' } };
const formSchema = {
  schema: { type: 'object', required: ['file'], properties: { file: fileSchema.schema } },
};
const json = (schema: Json, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

function describeCall(endpoint: Endpoint, example: Example | undefined, components: Components): Json {
  const { method, path, summary, scope, needs, query, body, upload } = endpoint;
  const schema = body && components.of(body, 'input');
  return {
    operationId: method.toLowerCase() + pascalCase(path),
    summary,
    description: accessText(scope) + (needs ? ` Only hubs with \`${needs}\` have this call; others return 9.` : ''),
    tags: [tagOf(path)],
    'x-scope': scope,
    ...(needs && { 'x-needs': needs }),
    security: security(scope),
    ...(query && { parameters: parametersOf(components.of(query, 'output'), example?.query) }),
    ...(schema && {
      requestBody: { required: isRequired(schema), content: json(schema, example?.body) },
    }),
    ...(upload && {
      requestBody: {
        required: true,
        content: Object.fromEntries(upload.types.map((type) => [type, type === formType ? formSchema : fileSchema])),
      },
    }),
    responses: {
      200: {
        description: 'The outcome: `result` 0 with the members of the answer, or a failure.',
        content: json(
          { oneOf: [success(components.of(endpoint.response, 'output')), refTo('Failure')] },
          example?.answer,
        ),
      },
      ...responsesOf(method === 'GET' ? 'read' : 'write'),
    },
  };
}

/** Whether a call needs its body: one with optional members only can be left out. */
function isRequired(schema: Json): boolean {
  return !(schema.type === 'object' && schema.required === undefined && schema.anyOf === undefined);
}

/** The answer with `result` 0, by which it differs from a failure. */
function success(response: Json): Json {
  const result = { const: 0, description: 'Success.' };
  if (response.type !== 'object') {
    return { allOf: [{ type: 'object', required: ['result'], properties: { result } }, response] };
  }
  return {
    ...response,
    properties: { result, ...(response.properties as Json | undefined) },
    required: ['result', ...((response.required as string[] | undefined) ?? [])],
  };
}

const namesInPath = /:(\w+)/g;

function describePlain(route: PlainRoute, messages: Json): Json {
  const isEvents = route.contentType === 'text/event-stream';
  const isJson = route.contentType === 'application/json';
  const content = isEvents ? { schema: messages } : isJson ? { schema: { type: 'object' } } : fileSchema;
  return {
    operationId: `get${pascalCase(route.path)}`,
    summary: route.summary,
    description: accessText(route.scope),
    tags: [tagOf(route.path)],
    'x-scope': route.scope,
    security: security(route.scope),
    parameters: [
      ...[...route.path.matchAll(namesInPath)].map(([, name]) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string' } },
      })),
      ...textParameters('query', route.query),
    ],
    responses: {
      200: {
        description: isEvents ? 'Messages named `init` or `change`; the schema is that of `data`.' : route.summary,
        ...(route.contentType.startsWith('multipart/') && {
          headers: { [handleHeader]: { description: 'Names the stream.', required: true, schema: { type: 'string' } } },
        }),
        content: Object.fromEntries(route.contentType.split(', ').map((type) => [type, content])),
      },
      ...responsesOf(route.scope === 'public' ? 'read' : 'plain'),
    },
  };
}

function describeBody(route: BodyRoute): Json {
  return {
    operationId: `put${pascalCase(route.path)}`,
    summary: route.summary,
    description: accessText(route.scope),
    tags: [tagOf(route.path)],
    'x-scope': route.scope,
    security: security(route.scope),
    parameters: [...textParameters('query', route.query), ...textParameters('header', route.headers)],
    requestBody: { required: true, content: { [bodyType]: fileSchema } },
    responses: {
      200: { description: 'The body has arrived.', content: json(success({ type: 'object' })) },
      ...responsesOf('body'),
    },
  };
}

function describePrefix({ prefix, scope, summary, query, field }: PrefixRoute): Json {
  const answer = { type: 'object', properties: { [field]: { type: 'integer', description: '0 is success.' } } };
  return {
    operationId: `get${pascalCase(prefix)}`,
    summary,
    description: accessText(scope),
    tags: [tagOf(prefix)],
    'x-scope': scope,
    security: security(scope),
    parameters: textParameters('query', query),
    responses: {
      200: { description: 'What the device answers.', content: json({ anyOf: [answer, refTo('Failure')] }) },
      ...responsesOf('read'),
    },
  };
}

function textParameters(place: 'query' | 'header', texts: Readonly<Record<string, string>> = {}): Json[] {
  const schema = { type: 'string' };
  return Object.entries(texts).map(([name, text]) => ({ name, in: place, description: text, schema }));
}

function accessText(scope: Scope): string {
  if (scope === 'public') return 'Needs no session.';
  if (scope === 'signedIn') return 'Needs a session or an access token.';
  return scope === 'admin' ? 'For members of the group Admin.' : `Needs the permission \`${scope}\`.`;
}

function security(scope: Scope): Json[] {
  return scope === 'public' ? [] : [{ session: [] }, { bearer: [] }];
}

const tagOf = (path: string) => path.replace(/^\/(api\/)?/, '').split('/')[0] ?? '';

function pascalCase(path: string): string {
  const words = path.replace(/^\/(api\/)?/, '').split(/[^A-Za-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(schema: Json, example: Readonly<Record<string, unknown>> = {}): Json[] {
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description: text, ...rest } = property;
    return {
      ...{ name, in: 'query', required: required.has(name), ...(text !== undefined && { description: text }) },
      schema: rest,
      ...(name in example && { example: example[name] }),
    };
  });
}

function failureSchema(components: Components): Json {
  const params = z.optional(z.record(z.string(), z.union([z.string(), z.number()])));
  const field = z.object({ path: z.string(), rule: z.string(), message: z.string(), params });
  return {
    type: 'object',
    description: 'Why a call failed. docs/api.md explains the codes and the rules.',
    required: ['result', 'message'],
    properties: {
      result: {
        type: 'integer',
        enum: failureCodes.map(([, { code }]) => code),
        description: failureCodes.map(([name, { code }]) => `${code} ${name}`).join(', '),
      },
      message: { type: 'string', description: 'A sentence in English.' },
      params: {
        type: 'object',
        description: 'Values of the sentence, such as `port`.',
        additionalProperties: { type: ['string', 'number'] },
      },
      fields: {
        type: 'array',
        items: components.of(field, 'output'),
        description:
          'Which members of the request broke which rule: `rule` is a word, `message` a sentence with `params`.',
      },
      later: {
        type: 'array',
        items: components.of(LaterChange, 'output'),
        description: 'With 1004: the changes since the revision in the request, the newest first.',
      },
    },
  };
}

const objectsOf = <T extends z.ZodMiniType>(item: T) => objectsBy(z.int(), item);
const objectsBy = <K extends z.ZodMiniType, T extends z.ZodMiniType>(key: K, item: T) =>
  z.object({ changed: z.array(item), removed: z.array(key), left: z.int() });
const linesOf = <T extends z.ZodMiniType>(item: T) => z.object({ lines: z.array(item), last: z.int() });

const topicData = {
  system: objectsOf(SystemStatus),
  channels: objectsOf(Channel),
  alarms: objectsOf(Alarm),
  syslog: linesOf(SystemLogLine),
  tasks: objectsOf(Task),
  devices: objectsBy(z.string(), Device),
  'device-groups': objectsOf(DeviceGroup),
  'device-counts': objectsOf(DeviceCounts),
  forwards: objectsOf(Forward),
  schedules: objectsOf(Schedule),
  'ndi-router': objectsOf(NdiRouter),
  'ndi-inputs': objectsOf(NdiInput),
  'ndi-outputs': objectsOf(NdiOutput),
  'ndi-sources': objectsBy(z.string(), NdiSource),
  'ndi-salvos': objectsOf(NdiSalvo),
  network: objectsOf(Network),
  firewall: objectsOf(Firewall),
} satisfies { [T in EventTopic]: z.ZodMiniType<TopicData[T]> };

/** The data of a message, told apart by its topic. */
function eventSchemas(components: Components): Json {
  const oneOf = (Object.keys(eventTopics) as EventTopic[]).map((topic) => {
    const name = `${pascalCase(topic)}Event`;
    const properties = { topic: { const: topic }, data: components.of(topicData[topic], 'output') };
    components.all[name] = {
      ...{ type: 'object', required: ['topic', 'data'], properties },
      description: `Data of a message of the topic \`${topic}\`. ${accessText(eventTopics[topic])}`,
    };
    return refTo(name);
  });
  return { oneOf };
}

export const nameOf = ({ method, path }: Pick<Call, 'method' | 'path'>) => `${method} ${path}`;
