/**
 * SOAP messages of ONVIF. The packages for it send their requests themselves, around the limits and the rules of
 * `Transport`, and search answers with expressions whose time grows with the square of the length.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parseXml, type XmlElement, type XmlNode } from '@rgrove/parse-xml';
import { Answer } from '../answer.ts';
import type { Credentials } from '../driver.ts';

const schemas = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const deepest = 32;
const maxText = 4096;

export const namespaces = {
  device: 'http://www.onvif.org/ver10/device/wsdl',
  media: 'http://www.onvif.org/ver10/media/wsdl',
} as const;
export type Service = keyof typeof namespaces;

/** `content`: XML of the fields. `now`: the clock of the device in milliseconds since 1970; a login lasts minutes. */
export function envelope(
  { service, name, content = '' }: { readonly service: Service; readonly name: string; readonly content?: string },
  login: (Credentials & { readonly now: number }) | undefined,
): string {
  const header = login === undefined ? '' : `<s:Header>${security(login)}</s:Header>`;
  const body = `<${name} xmlns="${namespaces[service]}">${content}</${name}>`;
  return `<?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope">${header}<s:Body>${body}</s:Body></s:Envelope>`;
}

function security({ user, password, now }: Credentials & { readonly now: number }): string {
  const nonce = randomBytes(16);
  const created = new Date(now).toISOString();
  const digest = createHash('sha1').update(nonce).update(created).update(password).digest('base64');
  const token = [
    `<Username>${escaped(user)}</Username>`,
    `<Password Type="${schemas}-username-token-profile-1.0#PasswordDigest">${digest}</Password>`,
    `<Nonce EncodingType="${schemas}-soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</Nonce>`,
    `<Created xmlns="${schemas}-wssecurity-utility-1.0.xsd">${created}</Created>`,
  ].join('');
  const secext = `${schemas}-wssecurity-secext-1.0.xsd`;
  return `<Security s:mustUnderstand="1" xmlns="${secext}"><UsernameToken>${token}</UsernameToken></Security>`;
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Returns the content of the SOAP body. Names have no prefix, attributes begin with `@`, and elements that occur more
 * than once are lists. Undefined for what is not SOAP.
 */
export function parseSoap(bytes: Uint8Array): Answer | undefined {
  return parseElement(bytes, 'Envelope')?.part('Body');
}

/** Returns the content of a document whose root has this name, in the same form; undefined for any other. */
export function parseElement(bytes: Uint8Array, name: string): Answer | undefined {
  try {
    // The parser replaces these, too (XML 1.0, 2.11), in a time that grows with the square of their number.
    const text = new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, '\n');
    const { root } = parseXml(text);
    if (root === null || nameOf(root.name) !== name) return undefined;
    const fields = fieldsOf(root, 0);
    return typeof fields === 'string' ? undefined : new Answer(fields);
  } catch {
    return undefined;
  }
}

/** The objects under a key, whether there is one or more. */
export function all(answer: Answer, key: string): readonly Answer[] {
  const list = answer.list(key);
  if (list.length > 0) return list;
  return answer.has(key) ? [answer.part(key)] : [];
}

const nameOf = (name: string) => name.slice(name.indexOf(':') + 1);
const isElement = (node: XmlNode): node is XmlElement => node.type === 'element';

function fieldsOf(element: XmlElement, depth: number): Record<string, unknown> | string {
  const children = element.children.filter(isElement);
  if (children.length === 0) return element.text.slice(0, maxText);
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(element.attributes)) fields[`@${nameOf(name)}`] = value;
  if (depth >= deepest) return fields;
  for (const child of children) {
    const [name, value] = [nameOf(child.name), fieldsOf(child, depth + 1)];
    const known = fields[name];
    if (Array.isArray(known)) known.push(value);
    else fields[name] = known === undefined ? value : [known, value];
  }
  return fields;
}
