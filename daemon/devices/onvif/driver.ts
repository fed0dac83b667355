/** Driver of cameras and encoders of any make that speak ONVIF: identity, streams, picture, restart. */
import { limits } from '../../contract/limits.ts';
import { timing } from '../../timing.ts';
import type { Answer } from '../answer.ts';
import type { Credentials, DeviceSession, Driver, Transport } from '../driver.ts';
import { DeviceProblem } from '../problem.ts';
import { isUnanswered } from '../query-session.ts';
import { OnvifClient, readClock } from './client.ts';
import { factsOf, identityOf, type OnvifDetails } from './facts.ts';
import { all, escaped } from './soap.ts';

export type OnvifTimes = Pick<typeof timing.deviceCall, 'answerMs' | 'actMs' | 'settingsMs' | 'rebootMs'>;

const maxProfiles = 4;
const longestUri = 1024;

export function createOnvifDriver(times: OnvifTimes = timing.deviceCall): Driver {
  return {
    api: 'onvif',
    async recognizes(transport, signal) {
      return (await readClock(transport, times.answerMs, signal)) !== undefined;
    },
    open: (transport, credentials) => openSession(transport, credentials, times),
  };
}

function openSession(transport: Transport, credentials: Credentials, times: OnvifTimes): DeviceSession {
  const client = new OnvifClient(transport, credentials, times);
  let details: OnvifDetails = { network: undefined, profiles: [] };
  let detailsDue = 0;

  const readInformation = (signal: AbortSignal) =>
    client.call({ service: 'device', name: 'GetDeviceInformation' }, signal);

  /** Not every device has it, and not every user may read it. */
  async function optional(reading: Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof DeviceProblem && ['unsupported', 'refused', 'noPermission'].includes(error.word)) return;
      throw error;
    }
  }

  const uriOf = async (name: 'GetStreamUri' | 'GetSnapshotUri', content: string, signal: AbortSignal) => {
    const answer = await optional(client.call({ service: 'media', name, content }, signal));
    return answer?.part('MediaUri').text('Uri', longestUri);
  };

  async function findMedia(signal: AbortSignal): Promise<void> {
    if (client.has('media')) return;
    const call = { service: 'device', name: 'GetCapabilities', content: '<Category>All</Category>' } as const;
    const capabilities = (await client.call(call, signal)).part('Capabilities');
    const path = pathOf(capabilities.part('Media').text('XAddr', longestUri));
    if (path !== undefined) client.setPath('media', path);
  }

  async function readProfiles(signal: AbortSignal): Promise<OnvifDetails['profiles']> {
    await findMedia(signal);
    if (!client.has('media')) return [];
    const answer = await optional(client.call({ service: 'media', name: 'GetProfiles' }, signal));
    const profiles: OnvifDetails['profiles'][number][] = [];
    for (const profile of answer === undefined ? [] : all(answer, 'Profiles').slice(0, maxProfiles)) {
      const token = profile.text('@token');
      if (token === undefined) continue;
      const schema = 'http://www.onvif.org/ver10/schema';
      const transportOf = `<Transport xmlns="${schema}"><Protocol>RTSP</Protocol></Transport>`;
      const setup = `<StreamSetup><Stream xmlns="${schema}">RTP-Unicast</Stream>${transportOf}</StreamSetup>`;
      const streamUri = await uriOf('GetStreamUri', `${setup}${tokenField(token)}`, signal);
      profiles.push({ token, profile, streamUri });
    }
    return profiles;
  }

  async function refreshDetails(signal: AbortSignal): Promise<void> {
    if (performance.now() < detailsDue) return;
    const network = await optional(client.call({ service: 'device', name: 'GetNetworkInterfaces' }, signal));
    details = { network, profiles: await readProfiles(signal) };
    detailsDue = performance.now() + times.settingsMs;
  }

  return {
    async identify(signal) {
      return identityOf(await readInformation(signal));
    },
    async poll(signal) {
      const information = await readInformation(signal);
      await refreshDetails(signal);
      return factsOf(information, details);
    },
    async snapshot(signal) {
      if (details.profiles.length === 0) await refreshDetails(signal);
      const [first] = details.profiles;
      const uri = first === undefined ? undefined : await uriOf('GetSnapshotUri', tokenField(first.token), signal);
      const path = pathOf(uri);
      if (path === undefined) throw new DeviceProblem('unsupported', 'the device has no picture');
      return await client.picture(path, signal);
    },
    async stream(use, signal) {
      if (details.profiles.length === 0) await refreshDetails(signal);
      // The best one is first; of the smallest one, there is the first keyframe soonest.
      const uris = details.profiles.flatMap(({ streamUri }) => streamUri ?? []);
      const url = use === 'input' ? uris[0] : uris.at(-1);
      if (url === undefined || URL.parse(url)?.protocol !== 'rtsp:') return undefined;
      const { user: username, password } = credentials;
      return { protocol: 'rtsp', url, username, password, tcpFirst: true, bufferMs: limits.bufferDuration.default };
    },
    async reboot(signal) {
      try {
        await client.call({ service: 'device', name: 'SystemReboot', isAct: true }, signal);
      } catch (error) {
        // A device that does not even answer a question is restarting.
        if (!isUnanswered(error) || (await client.answers(signal).catch(() => false))) throw error;
      }
      return { silentMs: times.rebootMs };
    },
    close: async () => {},
  };
}

const tokenField = (token: string) => `<ProfileToken>${escaped(token)}</ProfileToken>`;

/** A device behind a port of another address states its own one: only path and query count. */
function pathOf(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? `${url.pathname}${url.search}` : undefined;
}
