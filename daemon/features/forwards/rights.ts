/** Who may have which forward: asked when one is started, and again all the time while it runs. */
import { usualForwardPorts } from '../../contract/forward-states.ts';
import { isGranted } from '../../http/access.ts';
import type { Session } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import { isLoopback, kindOf } from '../../lib/outgoing-address.ts';
import { ownAddresses } from '../../lib/own-addresses.ts';
import type { ForwardDeps } from './service.ts';
import type { ForwardRow } from './store.ts';

type Wanted = Pick<ForwardRow, 'sn' | 'remotePort' | 'localPort' | 'address'>;

interface RightsDeps extends Pick<ForwardDeps, 'devices' | 'currentSession' | 'ownPorts'> {
  readonly addedPorts: (sn: string) => readonly number[];
}

/** 1007, at the field of the form. */
export function occupied(port: number, message: string): HubError {
  const fields = [{ path: 'local-port', rule: 'occupied', message }];
  return new HubError('portOccupied', message, { params: { port }, fields });
}

export function createForwardRights({ devices, currentSession, ownPorts, addedPorts }: RightsDeps) {
  /** Others than this machine reach it: that takes the right to approve devices. */
  const isOpen = ({ address }: Pick<Wanted, 'address'>) => !isLoopback(address);
  const allowsPort = ({ sn, remotePort }: Wanted) =>
    usualForwardPorts.includes(remotePort) || addedPorts(sn).includes(remotePort);
  const mayUse = (session: Session, wanted: Wanted) =>
    isGranted(session, isOpen(wanted) ? 'deviceAdvanced' : 'deviceControl') && devices.canSee(session, wanted.sn);

  return {
    /** Whether the address is one of loopback, or of an interface that other machines can reach. */
    canListen: (address: string): boolean =>
      isLoopback(address) || (!address.includes('%') && kindOf(address) !== 'forbidden'),
    /** Throws what hinders the caller. */
    refuse(session: Session, wanted: Wanted): void {
      const { sn, remotePort, localPort, address } = wanted;
      const device = devices.standing(sn);
      if (device?.hasPorts === false) throw new HubError('unsupported', 'a device that is a stream has no ports');
      if (device?.isAccepted !== true) {
        throw new HubError('wrongState', 'the device is not approved', { params: { what: sn } });
      }
      if (!mayUse(session, wanted)) {
        throw new HubError(
          'notPermitted',
          `a forward that listens on ${address} requires the permission deviceAdvanced`,
        );
      }
      if (!allowsPort(wanted)) {
        throw fieldError('remote-port', 'devicePort', `port ${remotePort} of this device may not be forwarded`);
      }
      const isOwn = isLoopback(address) || ownAddresses().some((own) => own.address === address);
      if (!isOwn || !this.canListen(address)) {
        throw fieldError('address', 'ownAddress', `the hub does not have the address ${address}`);
      }
      if (ownPorts().includes(localPort)) throw occupied(localPort, `port ${localPort} is used by the hub itself`);
    },
    /** Whether the user who started it may still have it. */
    mayRun(row: ForwardRow): boolean {
      if (devices.standing(row.sn)?.isAccepted !== true || !allowsPort(row)) return false;
      if (ownPorts().includes(row.localPort)) return false;
      const session = currentSession(row);
      return session !== null && mayUse(session, row);
    },
  };
}
