/** Text for the rule words in the contract's schemas and the hub's field faults. */
import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { RuleFacts } from '../../../daemon/contract/rule-facts.ts';

/** By the rule word with which the contract, the hub or a console form reports the rule that a field broke. */
export const ruleTexts = {
  required: msg`Required`,
  tooShort: msg`Too short`,
  tooLong: msg`Too long`,
  outerSpace: msg`No space at the beginning or end`,
  characters: msg`Contains a character that is not allowed here`,
  number: msg`Enter a whole number`,
  range: msg`Out of range`,
  type: msg`Wrong type of value`,
  choice: msg`Choose one of the listed values`,
  format: msg`Wrong format`,
  fingerprint: msg`A SHA-256 fingerprint has 64 hexadecimal digits`,
  md5: msg`Enter 32 hexadecimal digits`,
  exactlyOne: msg`Change one group at a time`,
  unique: msg`Already used by another field`,
  ntpOn: msg`Switch NTP off first`,
  host: msg`Enter an IP address or a host name`,
  ip: msg`Enter an IP address`,
  ipv4: msg`Enter an IPv4 address`,
  counter: msg`Names of several devices need #, which becomes their number`,
  sameFamily: msg`Use IPv4 or IPv6 for both addresses`,
  sourceOfInput: msg`Only an input can name its sender`,
  multicast: msg`Enter a multicast address, 224.0.0.0 to 239.255.255.255`,
  subnet: msg`Enter a subnet such as 192.168.1.0/24, from /22 to /32`,
  subnet6: msg`IPv6 networks are too large to be scanned. Leave the subnet empty: devices that announce themselves are found.`,
  ownSubnet: msg`The hub has no private network that contains this`,
  mask: msg`Enter a subnet mask such as 255.255.0.0`,
  hostAddress: msg`A host cannot have this address`,
  gateway: msg`Enter another address of the same network`,
  noPort: msg`The hub does not have this port`,
  sameNetwork: msg`ETH1 and ETH2 must be in different networks`,
  port: msg`Enter a port from 1 to 65535`,
  portRange: msg`Enter a port from 1 to 65535, or a range such as 5000-5010`,
  url: msg`Enter an address such as srt://host:port`,
  rtmpUrl: msg`Enter an address such as rtmp://host/app`,
  rtspUrl: msg`Enter an address such as rtsp://host/path`,
  addressNotAllowed: msg`The hub may not connect to this address; see “Outgoing connections” in the settings`,
  deviceAddress: msg`Enter an address such as 192.0.2.10, 192.0.2.10:8080 or https://encoder.example`,
  deviceStream: msg`Enter the address of an RTSP, SRT, RTMP or HTTP stream, such as rtsp://192.0.2.10/live`,
  devicePort: msg`This port of the device is not allowed; an administrator can add it`,
  ownAddress: msg`The hub does not have this address`,
  snapshot: msg`Enter a path such as /snapshot.jpg, or an HTTP address`,
  snapshotHost: msg`The picture must be on the host of the stream`,
  httpUrl: msg`Enter an address such as http://host/stream.m3u8`,
  mailAddress: msg`Enter an address such as noc@example.org`,
  tooMany: msg`Too many`,
  scheme: msg`This protocol is not supported here`,
  unknownOption: msg`The address has an unknown option`,
  fixedOption: msg`The address has an option that cannot be changed here`,
  repeated: msg`The address contains an option twice`,
  unsupported: msg`Not yet supported`,
  conflict: msg`Conflicts with another field`,
  needsSort: msg`A sort order requires a sort field`,
  differ: msg`Passwords don't match`,
  weak: msg`The password does not meet the rules yet`,
  exists: msg`Already in use`,
  taken: msg`Already in use`,
  shortKey: msg`Use at least 8 characters`,
  sameKey: msg`The push key and the play key must differ`,
  sameServer: msg`Another destination already has this`,
  sameTime: msg`Choose a time other than the start time`,
  time: msg`Enter a time such as 09:30`,
  date: msg`Enter a valid date`,
  occupied: msg`This port is already in use`,
  privilegedPort: msg`The operating system does not allow the hub to open this port; choose one above 1023`,
  needsHttps: msg`Open the console over HTTPS and switch it on there`,
  httpsChanges: msg`Save the HTTPS change first, then switch this on over HTTPS`,
  hstsOn: msg`Switch HSTS off first`,
  passphraseWrong: msg`Wrong passphrase`,
  passphraseNeeded: msg`Encryption needs a passphrase`,
  secretAgain: msg`The address has changed: enter this again`,
  sendPassword: msg`Send the password itself, not its MD5`,
  expired: msg`Timed out; try again`,
  mismatch: msg`Incorrect password`,
  tokenLength: msg`Enter exactly 64 characters`,
  guessable: msg`Too easy to guess; use random characters`,
  sessionId: msg`Not a valid session`,
  invitationCode: msg`Enter four digits`,
  setupCode: msg`Incorrect set-up code; the hub creates a new one each time it starts`,
  impossible: msg`No password can meet all of these rules`,
  adminOnly: msg`Only administrators can have this permission`,
  unknown: msg`Contains an unknown permission`,
  wider: msg`Cannot exceed the permissions of its owner`,
  past: msg`This time is in the past`,
  builtIn: msg`Cannot be changed for a built-in group`,
  rootUser: msg`The user Admin stays an administrator`,
  self: msg`You cannot remove your own permissions`,
  firmwareName: msg`Choose a firmware file (.mwf)`,
  hardwareVersion: msg`Enter a letter from A to Z`,
  version: msg`Enter two to four numbers such as 2.4.288`,
  otherName: msg`This does not match the file name`,
  preRelease: msg`Accept the declaration first`,
  destination: msg`Enter a network such as 10.20.0.0/16, or an IPv4 address`,
  defaultRoute: msg`The default route is the gateway of a port, on the Network page`,
  hostBits: msg`This is an address within the network; enter the first one`,
  reservedNet: msg`No route can lead to loopback, link-local, multicast or reserved addresses`,
  ownNet: msg`The hub is in this network, which needs no route`,
  routeExists: msg`Route already exists`,
  outputTwice: msg`Route each output once`,
  loop: msg`Outputs would get their picture from each other in a loop`,
  ownSubstitute: msg`An input cannot be its own substitute`,
  noSuchInput: msg`This input does not exist`,
  routeGateway: msg`Enter another host in the network of the interface`,
  networkInterface: msg`There is no such interface`,
  tooManyBytes: msg`At most 32 bytes; characters beyond English take several`,
  ssidHex: msg`Enter 1 to 32 bytes in hexadecimal`,
  wifiKey: msg`Enter 8 to 63 English characters, or 64 hexadecimal digits`,
  wifiWrongKey: msg`The access point does not accept this key`,
  wifiOpen: msg`This network has no key`,
  wifiProtection: msg`The hub does not support how this network is protected`,
  wifiNotFound: msg`No access point in range has this name`,
  wifiNoAddress: msg`The network assigned no address to the hub`,
  wifiRefused: msg`The access point refused the hub or did not answer`,
  wifiTimeout: msg`The access point or its network did not answer in time`,
  noWifi: msg`The hub has no Wi-Fi adapter that is switched on`,
  viewerLeft: msg`Choose another group for a viewer instead`,
} satisfies Record<string, MessageDescriptor>;

/** A limit in a rule word: `atLeast:20`. */
const limitRule = /^(atLeast|atMost):(-?\d+)$/;

/** Rules whose sentences contain facts. Any other rule has the same sentence with facts as without. */
const factRules: ReadonlySet<string> = new Set(['characters', 'range', 'tooLong', 'tooShort']);

/** A rule word with its facts, as one text: `tooLong?max=63`. */
export function ruleWith(rule: string, facts: RuleFacts | undefined): string {
  if (!factRules.has(rule) || facts === undefined) return rule;
  const texts = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  return `${rule}?${new URLSearchParams(texts)}`;
}

export function ruleText(i18n: I18n, rule: string): string {
  const [, kind, limit = ''] = limitRule.exec(rule) ?? [];
  if (kind === 'atLeast') return limitText(i18n, limit, null) ?? '';
  if (kind === 'atMost') return limitText(i18n, null, limit) ?? '';
  const [word = '', query = ''] = rule.split(/\?(.*)/s);
  const known: Readonly<Record<string, MessageDescriptor>> = ruleTexts;
  return factText(i18n, word, new URLSearchParams(query)) ?? i18n._(known[word] ?? msg`Invalid entry`);
}

function factText(i18n: I18n, word: string, facts: URLSearchParams): string | undefined {
  const [min, max, value, allowed] = ['min', 'max', 'value', 'allowed'].map((name) => facts.get(name));
  switch (word) {
    case 'characters':
      return value ? charactersText(i18n, value, allowed ?? '') : undefined;
    case 'tooLong':
      if (!max) return undefined;
      if (facts.has('wide')) return i18n._(msg`At most ${max} characters; each non-English character counts as 3`);
      return i18n._(msg`At most ${max} characters`);
    case 'tooShort':
      return min ? i18n._(msg`At least ${min} characters`) : undefined;
    case 'range':
      if (min && max) return i18n._(msg`Enter ${min} to ${max}`);
      return limitText(i18n, min, max);
    default:
      return undefined;
  }
}

function limitText(i18n: I18n, min: string | null | undefined, max: string | null | undefined): string | undefined {
  const limit = min || max;
  if (!limit) return undefined;
  return min ? i18n._(msg`At least ${limit}`) : i18n._(msg`At most ${limit}`);
}

function charactersText(i18n: I18n, value: string, allowed: string): string {
  const refused = value === 'space' ? i18n._(msg`Spaces aren't allowed.`) : i18n._(msg`“${value}” isn't allowed.`);
  if (allowed === '') return refused;
  const words: Readonly<Record<string, string>> = {
    letters: i18n._(msg`letters`),
    digits: i18n._(msg`digits`),
    space: i18n._(msg`space`),
  };
  const list = allowed
    .split(' ')
    .map((item) => words[item] ?? item)
    .join(' ');
  return `${refused} ${i18n._(msg`Use ${list}`)}`;
}
