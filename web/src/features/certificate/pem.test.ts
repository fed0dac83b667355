import { expect, test } from 'bun:test';
import { kindByName, pemParts } from './pem.ts';

const cert = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;
const key =
  '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,1F\n\nAAAA\n-----END EC PRIVATE KEY-----';

test('a chain stays in order, without the text between its certificates', () => {
  const text = `subject=/CN=a\n${cert('AA')}\nsubject=/CN=b\n${cert('BB')}\n`;
  expect(pemParts(text, 'key')).toEqual({ certificate: `${cert('AA')}\n${cert('BB')}\n` });
});

test('the key of a combined file is not sent with its certificates', () => {
  expect(pemParts(`${cert('AA')}\n${key}\n${cert('BB')}\n`, 'certificate')).toEqual({
    certificate: `${cert('AA')}\n${cert('BB')}\n`,
    key: `${key}\n`,
  });
});

test('a file with neither is left to the hub as what it was chosen for', () => {
  expect(pemParts('nonsense', 'key')).toEqual({ key: 'nonsense' });
  expect(['hub.KEY', 'hub.der', 'key'].map(kindByName)).toEqual(['key', 'certificate', 'certificate']);
});
