/** Runs the agent of devices in the foreground. */
import { createLog, logLevels } from '../lib/log.ts';
import { surviveRejections } from '../lib/survive-rejections.ts';
import { exitCodes, type Role } from './role.ts';

export const role: Role = {
  help: `It connects devices with a hub that can't reach them: it runs near the devices and dials the hub, which then reaches
their web servers through it. An administrator of the hub approves each device once.

Options:
  --hub HOST[:PORT]      the hub and its port for devices, by default 8070
  --code CODE            the invitation code of the hub, if it asks for one
  --device URL           web address of a device, such as http://192.168.1.20; repeat it for up to 64
  --certificate SHA256   of the certificate of an https device that no authority has signed; may be repeated
  --user NAME            user on the device; by default Admin
  --password-file FILE   file whose first line is the password of that user
  --port PORT            another port of the devices that the hub may reach, beside 80 and 443; may be repeated
  --hub-key KEY          key of the hub; without it, the first hub that answers is trusted, and no other afterwards
  --insecure             dial without TLS, for a hub without HTTPS in a trusted network
  --state FOLDER         folder of the keys; by default that of the systemd unit or ~/.local/state/signalbox-agent

One --user and one --password-file apply to all devices; or give one for each device, in the same order.

Exit codes:
  0  stopped as asked
  1  no device is left: see the lines before
  2  an argument can't be used
`,
  async run(args) {
    const { readArguments } = await import('../agent/arguments.ts');
    const options = readArguments(args, process.env);
    const [{ runAgent }, { createDevicePorts }] = await Promise.all([
      import('../agent/agent.ts'),
      import('../devices/device-ports.ts'),
    ]);
    const level = logLevels.find((name) => name === process.env.SIGNALBOX_LOG) ?? 'info';
    const log = createLog(level).in('agent');
    surviveRejections(log);
    const stopping = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());
    const { identify } = createDevicePorts({
      // The user of this machine names the devices.
      outgoing: () => ({ allowsPrivate: true, setting: '--device', closedPorts: [] }),
      agentSocket: () => undefined,
      agentPort: () => 'offline',
      log,
    });
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    await runAgent(options, { identify, say, signal: stopping.signal });
    return stopping.signal.aborted ? 0 : exitCodes.fault;
  },
};
