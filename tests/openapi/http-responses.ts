/** The HTTP statuses other than 200, as shared responses. */
import { type Json, refTo } from './components.ts';

const meanings = {
  BadRequest: [400, 'The body or the query cannot be read, for example because it is not JSON.'],
  NotSignedIn: [401, 'There is no session; `result` is 37.'],
  NotPermitted: [
    403,
    'The permission is missing, the request is from a page of another origin, or the hub wants HTTPS.',
  ],
  OtherOrigin: [403, 'The request is from a page of another origin, or the hub wants HTTPS.'],
  NotFound: [404, 'There is no such path, or no such object.'],
  TooSlow: [408, 'The body came too slowly.'],
  Conflict: [409, 'The upload continues elsewhere, or has ended.'],
  TooLarge: [413, 'The body is too large: JSON has at most 256 KiB.'],
  WrongType: [415, 'The body is of another media type.'],
  UnknownHost: [421, 'The hub is not known by the name in the URL; SIGNALBOX_HOSTS can list it.'],
  OtherDigest: [422, 'The SHA-256 of the file differs from the one announced.'],
  Fault: [500, 'A fault of the hub. Its log tells more at the id in `message`.'],
  Unavailable: [503, 'The hub has not been set up, or its streams are all in use; then `retry-after` has the seconds.'],
  NoSpace: [507, 'The disk of the hub is full.'],
} as const satisfies Record<string, readonly [number, string]>;
type Name = keyof typeof meanings;

export const httpResponses: Json = Object.fromEntries(
  Object.entries(meanings).map(([name, [, description]]) => [
    name,
    { description, content: { 'application/json': { schema: refTo('Failure') } } },
  ]),
);

const every = ['OtherOrigin', 'UnknownHost', 'Fault'] as const;
const body = ['BadRequest', 'TooSlow', 'TooLarge', 'WrongType'] as const;
const direct = ['NotSignedIn', 'NotPermitted', 'NotFound', 'UnknownHost', 'Fault', 'Unavailable'] as const;
const kinds: Readonly<Record<'read' | 'write' | 'plain' | 'body', readonly Name[]>> = {
  read: every,
  write: [...every, ...body],
  plain: ['BadRequest', ...direct],
  body: [...body, ...direct, 'Conflict', 'OtherDigest', 'NoSpace'],
};

export function responsesOf(kind: keyof typeof kinds): Json {
  const list = kinds[kind].map((name) => [meanings[name][0], { $ref: `#/components/responses/${name}` }] as const);
  return Object.fromEntries(list.toSorted(([a], [b]) => a - b));
}
