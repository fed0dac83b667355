/** Simulates a camera that speaks ONVIF: it checks the digests of WS-Security and, for its picture, of HTTP. */
import { createHash } from 'node:crypto';
import type { Credentials } from '../../../daemon/devices/driver.ts';
import { factoryCredentials } from './device.ts';

export interface OnvifOptions {
  readonly sn: string;
  readonly credentials?: Credentials;
  /** Milliseconds by which the clock of the camera is ahead. */
  readonly driftMs?: number;
  /** Whether it offers HTTP Basic instead of Digest for its picture. */
  readonly isBasic?: boolean;
  /** Returns a JPEG; by default one without content. */
  readonly picture?: () => Uint8Array<ArrayBuffer>;
}

const loginLastsMs = 5000;
const picturePath = '/snap.jpg?channel=1&size=full';
const nonceOfPictures = 'b2c41f';
const realm = 'camera "north"'.replaceAll('"', '');

export class OnvifDevice {
  readonly sn: string;
  readonly credentials: Credentials;
  driftMs: number;
  /** Names of calls that it refuses as not implemented. */
  lacks: readonly string[] = [];
  /** Answers every request with this. */
  broken: (() => Response) | undefined;
  /** Whether it accepts requests and never answers them. */
  isSilent = false;
  readonly calls: string[] = [];
  private readonly nonces = new Set<string>();
  private readonly isBasic: boolean;
  private readonly currentPicture: () => Uint8Array<ArrayBuffer>;

  constructor({ sn, credentials = factoryCredentials, driftMs = 0, isBasic = false, picture }: OnvifOptions) {
    this.sn = sn;
    this.credentials = credentials;
    this.driftMs = driftMs;
    this.isBasic = isBasic;
    this.currentPicture = picture ?? (() => new Uint8Array([0xff, 0xd8, 0xff, 0xd9]));
  }

  async handle(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const xml = await request.text();
    const name = /<s:Body><(\w+)/.exec(xml)?.[1] ?? pathname;
    this.calls.push(name);
    if (this.isSilent) return new Promise<Response>(() => {});
    if (this.broken !== undefined) return this.broken();
    if (`${pathname}${search}` === picturePath) return this.picture(request);
    const isService = pathname === '/onvif/device_service' || pathname === '/onvif/media';
    if (request.method !== 'POST' || !isService) return new Response(null, { status: 404 });
    if (name === 'GetSystemDateAndTime') return soap(name, this.clock());
    if (!this.isSignedIn(xml)) return fault('ter:NotAuthorized');
    if (this.lacks.includes(name)) return fault('ter:ActionNotSupported');
    const content = pathname === '/onvif/media' ? this.media(name, xml) : this.device(name);
    return content === undefined ? fault('ter:ActionNotSupported') : soap(name, content);
  }

  async close(): Promise<void> {}

  private device(name: string): string | undefined {
    switch (name) {
      case 'GetDeviceInformation':
        return `<tds:Manufacturer>Example</tds:Manufacturer><tds:Model>Dome 4 &amp; Co</tds:Model>
          <tds:FirmwareVersion>7.10.2</tds:FirmwareVersion><tds:SerialNumber>${this.sn}</tds:SerialNumber>
          <tds:HardwareId>1A3</tds:HardwareId>`;
      case 'GetCapabilities':
        return `<tds:Capabilities><tt:Media><tt:XAddr>http://192.0.2.7:8999/onvif/media</tt:XAddr></tt:Media></tds:Capabilities>`;
      case 'GetNetworkInterfaces':
        return `<tds:NetworkInterfaces token="eth0"><tt:Enabled>true</tt:Enabled>
          <tt:Info><tt:Name>eth0</tt:Name><tt:HwAddress>02:00:5e:10:20:30</tt:HwAddress></tt:Info>
          <tt:IPv4><tt:Enabled>true</tt:Enabled><tt:Config><tt:Manual><tt:Address>192.0.2.7</tt:Address>
          <tt:PrefixLength>22</tt:PrefixLength></tt:Manual><tt:DHCP>false</tt:DHCP></tt:Config></tt:IPv4>
          </tds:NetworkInterfaces>`;
      case 'SystemReboot':
        this.isSilent = true;
        return '<tds:Message>Rebooting</tds:Message>';
      default:
        return undefined;
    }
  }

  private media(name: string, xml: string): string | undefined {
    const token = /<ProfileToken>(.*?)<\/ProfileToken>/.exec(xml)?.[1] ?? '';
    switch (name) {
      case 'GetProfiles':
        return (
          profile('main&amp;1', 'Main', 'H264', [1920, 1080, 25, 4096]) +
          profile('sub', 'Sub', 'JPEG', [640, 360, 10, 512])
        );
      case 'GetStreamUri':
        return `<trt:MediaUri><tt:Uri>rtsp://192.0.2.7:554/${token === 'sub' ? 'sub' : 'main'}?user=x&amp;p=secret</tt:Uri></trt:MediaUri>`;
      case 'GetSnapshotUri':
        if (token !== 'main&amp;1') return undefined;
        return `<trt:MediaUri><tt:Uri>http://192.0.2.7:8999${picturePath.replaceAll('&', '&amp;')}</tt:Uri></trt:MediaUri>`;
      default:
        return undefined;
    }
  }

  private clock(): string {
    const now = new Date(Date.now() + this.driftMs);
    const [h, m, s] = [now.getUTCHours(), now.getUTCMinutes(), now.getUTCSeconds()];
    return `<tds:SystemDateAndTime><tt:DateTimeType>Manual</tt:DateTimeType><tt:UTCDateTime>
      <tt:Time><tt:Hour>${h}</tt:Hour><tt:Minute>${m}</tt:Minute><tt:Second>${s}</tt:Second></tt:Time>
      <tt:Date><tt:Year>${now.getUTCFullYear()}</tt:Year><tt:Month>${now.getUTCMonth() + 1}</tt:Month><tt:Day>${now.getUTCDate()}</tt:Day></tt:Date>
      </tt:UTCDateTime></tds:SystemDateAndTime>`;
  }

  private isSignedIn(xml: string): boolean {
    const field = (name: string) => new RegExp(`<${name}[^>]*>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
    const [nonce, created] = [field('Nonce'), field('Created')];
    const digest = createHash('sha1')
      .update(Buffer.from(nonce, 'base64'))
      .update(created)
      .update(this.credentials.password)
      .digest('base64');
    const ageMs = Math.abs(Date.now() + this.driftMs - Date.parse(created));
    if (field('Username') !== this.credentials.user || field('Password') !== digest) return false;
    if (nonce === '' || this.nonces.has(nonce) || !(ageMs < loginLastsMs)) return false;
    this.nonces.add(nonce);
    return true;
  }

  private picture(request: Request): Response {
    const header = request.headers.get('authorization') ?? '';
    const field = (name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(header)?.[1] ?? '';
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    const { user, password } = this.credentials;
    const [own, wanted] = [md5(`${user}:${realm}:${password}`), md5(`GET:${picturePath}`)];
    const rest = `${nonceOfPictures}:${field('nc')}:${field('cnonce')}:auth:${wanted}`;
    if (!this.isBasic && field('cnonce') !== '' && field('response') === md5(`${own}:${rest}`)) {
      return new Response(this.currentPicture(), { headers: { 'content-type': 'image/jpeg' } });
    }
    const digest = `Digest realm="${realm}", nonce="${nonceOfPictures}", qop="auth,auth-int"`;
    const challenge = this.isBasic ? `Basic realm="${realm}"` : `Basic realm="${realm}", ${digest}`;
    return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
  }
}

function profile(token: string, name: string, encoding: string, numbers: readonly [number, number, number, number]) {
  const [width, height, fps, kbps] = numbers;
  return `<trt:Profiles token="${token}" fixed="true"><tt:Name>${name}</tt:Name><tt:VideoEncoderConfiguration token="v">
    <tt:Encoding>${encoding}</tt:Encoding><tt:Resolution><tt:Width>${width}</tt:Width><tt:Height>${height}</tt:Height></tt:Resolution>
    <tt:RateControl><tt:FrameRateLimit>${fps}</tt:FrameRateLimit><tt:BitrateLimit>${kbps}</tt:BitrateLimit></tt:RateControl>
    </tt:VideoEncoderConfiguration></trt:Profiles>`;
}

function soap(name: string, content: string): Response {
  const service = /^Get(Profiles|StreamUri|SnapshotUri)$/.test(name) ? 'trt' : 'tds';
  return xmlResponse(200, `<${service}:${name}Response>${content}</${service}:${name}Response>`);
}

const fault = (subcode: string) =>
  xmlResponse(
    400,
    `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>${subcode}</s:Value></s:Subcode></s:Code></s:Fault>`,
  );

function xmlResponse(status: number, body: string): Response {
  const names = [
    's="http://www.w3.org/2003/05/soap-envelope"',
    'tt="http://www.onvif.org/ver10/schema"',
    'tds="http://www.onvif.org/ver10/device/wsdl"',
    'trt="http://www.onvif.org/ver10/media/wsdl"',
    'ter="http://www.onvif.org/ver10/error"',
  ].map((name) => `xmlns:${name}`);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<s:Envelope ${names.join(' ')}><s:Body>${body}</s:Body></s:Envelope>`;
  return new Response(text, { status, headers: { 'content-type': 'application/soap+xml; charset=utf-8' } });
}
